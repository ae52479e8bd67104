"""What a tap means: a part of a play, completed by the only legal way to finish it, or the question that is left."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from companion.core.game import Game, Play, State, Violation, is_legal, iter_distinct_candidates
from companion.core.schema import (
    Malformed,
    decode,
    decode_partial,
    encode,
    field_names,
    get_field_metadata,
    get_label,
    is_optional,
    is_sequence,
)
from companion.core.text import SeatName, Text, _

_CHANGED = _("This is no longer possible as the board showed it. What was played?")


@dataclass(frozen=True)
class Alternative:
    """One way to go on: the word that says so, and how the button reads."""

    word: str
    label: Text


@dataclass(frozen=True)
class Ambiguity:
    """Several legal plays fit: the field that tells them apart (or `kind`), and what is settled by asking for it."""

    text: Text
    field: str
    alternatives: tuple[Alternative, ...]
    known_words: Mapping[str, str]


@dataclass(frozen=True)
class NoLegalPlay:
    """Several plays fit, and none is legal: what stands against each of them."""

    violations: tuple[Violation, ...]


def complete_play(
    game: Game, state: State, words: Mapping[str, str], seen: State | None = None
) -> Play | Ambiguity | NoLegalPlay:
    """Return the play that the words say, whole (legal or not) or in part, or what stands in the way.

    `seen` is the state that the page showed when it was tapped. Where its board offered one play only, that play is
    meant: it is preferred to others, never replaced by another without a question, and refused for its own reasons.
    Raises Malformed if no play fits the words.
    """
    kind = words.get("kind", "")
    given = {name: word for name, word in words.items() if name != "kind"}
    if kind and kind not in game.plays:
        raise Malformed(_("There is no such kind of entry."), "kind")
    whole = _whole(game, kind, given)
    if whole is not None and is_legal(game, state, whole):
        return whole
    fitting = tuple(_fitting(game, state, kind, given))
    legal = tuple(play for play in fitting if is_legal(game, state, play))
    offer = _offer(game, state, seen, words) if seen is not None and seen != state else None
    if offer is not None:
        if legal and not any(map(offer.fits, legal)):
            return _question(game, state, legal, offer)
        if offer.is_exact and not legal:
            return offer.play
        legal = tuple(filter(offer.fits, legal))
    return _question(game, state, legal) if len(legal) > 1 else _only(game, state, (*legal, whole), fitting)


def _only(game: Game, state: State, said: tuple[Play | None, ...], fitting: tuple[Play, ...]) -> Play | NoLegalPlay:
    """Return the first play that was said, or the only one that fits. Raises Malformed if none fits."""
    found = [play for play in said if play is not None] or (fitting if len(fitting) == 1 else ())
    if found:
        return found[0]
    if not fitting:
        raise Malformed(_("That can’t be played now."))
    violations = (violation for play in fitting for violation in game.judge(state, play))
    return NoLegalPlay(tuple(dict.fromkeys(violations)))


@dataclass(frozen=True)
class _Offer:
    """The one play that a board offered for a tap, by whoever is to play now."""

    play: Play
    is_exact: bool
    """Whether it is known in full: what another player could have done says no more than the kind."""

    def fits(self, play: Play) -> bool:
        return play == self.play if self.is_exact else type(play) is type(self.play)


def _offer(game: Game, state: State, seen: State, words: Mapping[str, str]) -> _Offer | None:
    """Return what the words meant on a board that showed `seen`; None where it offered nothing, or a choice."""
    try:
        play = complete_play(game, seen, words)
    except Malformed:
        return None
    if isinstance(play, Ambiguity | NoLegalPlay) or not is_legal(game, seen, play):
        return None
    if "seat" in words or not hasattr(play, "seat"):
        return _Offer(play, is_exact=True)
    turns = {candidate.seat for candidate in game.candidates(state)}
    is_exact = turns == {play.seat} or encode(play).keys() <= {*words, "seat"}
    return _Offer(replace(play, seat=turns.pop()) if len(turns) == 1 else play, is_exact)


def _whole(game: Game, kind: str, given: Mapping[str, str]) -> Play | None:
    """The play, if every field that it needs is there. Raises Malformed for a field that is no such thing."""
    if not kind:
        return None
    try:
        play: Play = decode(game.plays[kind], given)
    except Malformed:
        if decode_partial(game.plays[kind], given) is None or _leaves_open(game.plays[kind], given):
            raise
        return None
    return play


def _fitting(game: Game, state: State, kind: str, given: Mapping[str, str]) -> Iterator[Play]:
    """The candidates that agree with what is given."""
    kinds = (cls for own, cls in game.plays.items() if (not kind or own == kind) and not _leaves_open(cls, given))
    wanted = {cls: decode_partial(cls, given) for cls in kinds}
    for play in iter_distinct_candidates(game, state):
        values = wanted.get(type(play))
        if values is not None and all(getattr(play, name) == value for name, value in values.items()):
            yield play


def _leaves_open(cls: type[Play], given: Mapping[str, str]) -> bool:
    """Whether a sequence is missing: candidates hold some that could be, and none of them is ever guessed."""
    return any(is_sequence(cls, name) and not is_optional(cls, name) and name not in given for name in field_names(cls))


def _question(game: Game, state: State, plays: tuple[Play, ...], offer: _Offer | None = None) -> Ambiguity:
    """The first thing in which the plays differ, from each other or from what was offered: their kind, or a field."""
    other = (offer.play,) if offer else ()
    kinds = {game.get_kind(play): play for play in plays}
    if len({type(play) for play in (*plays, *other)}) > 1:
        options = tuple(Alternative(kind, game.describe(state.options, play)) for kind, play in kinds.items())
        return Ambiguity(_CHANGED if offer else _("Which of these?"), "kind", options, {})
    (kind,) = kinds
    cls = game.plays[kind]
    field = next(name for name in field_names(cls) if len({getattr(play, name) for play in (*plays, *other)}) > 1)
    by_value = {getattr(play, field): encode(play).get(field, "") for play in plays}
    is_seat = field == "seat" or bool(get_field_metadata(cls, field).get("is_seat"))
    options = tuple(Alternative(word, _label(value, is_seat=is_seat)) for value, word in by_value.items())
    text = _CHANGED if offer else get_label(cls, field) or _("Which of these?")
    return Ambiguity(text, field, options, {"kind": kind})


def _label(value: object, *, is_seat: bool) -> Text:
    if is_seat and isinstance(value, int):
        return _("{name}", name=SeatName(value))
    label = getattr(value, "label", None)
    return label if isinstance(label, Text) else Text("{value}", (("value", str(value)),))
