"""Completion of partial plays: what a tap on the board means."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from companion.core import refusals
from companion.core.game import AnyReferee, Game, Violation
from companion.core.protocols import Play, State
from companion.core.schema import (
    Malformed,
    Meaning,
    decode,
    decode_partial,
    encode,
    field_names,
    get_field_metadata,
    is_optional,
    is_sequence,
)
from companion.core.text import SeatName, Text, _

_CHANGED = _("The board was out of date, and this is no longer possible. What was played?")


@dataclass(frozen=True)
class Alternative:
    """One answer to an Ambiguity: its word, and the label of its button."""

    word: str
    label: Text


@dataclass(frozen=True)
class Ambiguity:
    """Several legal plays fit: the field that tells them apart (or `kind`), and fields known besides the tap."""

    text: Text
    field: str
    alternatives: tuple[Alternative, ...]
    known_words: Mapping[str, str]


@dataclass(frozen=True)
class NoLegalPlay:
    """Several plays fit and none is legal: the violations of all of them."""

    violations: tuple[Violation, ...]


def complete_play(
    game: Game, state: State, words: Mapping[str, str], seen: State | None = None
) -> Play | Ambiguity | NoLegalPlay:
    """Return the play that words describe, legal or not, completed if they leave only one legal play.

    `words` are fields in notation, perhaps with the `kind` of the play. Returns an Ambiguity if several legal plays
    fit, and NoLegalPlay if several fit and none is legal. Sequences are never guessed.

    `seen` is the state that the page showed when it was tapped. If its board offered exactly one play, that play is
    meant: it is preferred to others, refused for its own violations, and replaced by another only after asking.

    Raises Malformed for a value of the wrong shape, or if no play fits.
    """
    kind = words.get("kind", "")
    fields = {name: word for name, word in words.items() if name != "kind"}
    referee = game.referee
    if referee is None or (kind and kind not in referee.plays):
        raise Malformed(refusals.UNKNOWN_KIND, "kind")
    whole = _decode_whole(referee, kind, fields)
    if whole is not None and referee.is_legal(state, whole):
        return whole
    fitting = tuple(_iter_fitting(referee, state, kind, fields))
    legal = tuple(play for play in fitting if referee.is_legal(state, play))
    offer = _find_offer(game, referee, state, seen, words) if seen is not None and seen != state else None
    if offer is not None:
        if legal and not any(map(offer.fits, legal)):
            return _build_ambiguity(game, state, legal, offer)
        if offer.is_exact and not legal:
            return offer.play
        legal = tuple(filter(offer.fits, legal))
    if len(legal) > 1:
        return _build_ambiguity(game, state, legal)
    return _choose_only(referee, state, (*legal, whole), fitting)


def _choose_only(
    referee: AnyReferee, state: State, preferred: tuple[Play | None, ...], fitting: tuple[Play, ...]
) -> Play | NoLegalPlay:
    """Return the first preferred play, or the only one that fits. Raises Malformed if none fits."""
    plays = [play for play in preferred if play is not None] or (fitting if len(fitting) == 1 else ())
    if plays:
        return plays[0]
    if not fitting:
        raise Malformed(refusals.NOT_PLAYABLE)
    violations = (violation for play in fitting for violation in referee.judge(state, play))
    return NoLegalPlay(tuple(dict.fromkeys(violations)))


@dataclass(frozen=True)
class _Offer:
    """The one play that a board offered for a tap, made by the player whose turn it is now."""

    play: Play
    is_exact: bool
    """Whether all of it was meant; if the turn has passed to somebody else, only its kind was."""

    def fits(self, play: Play) -> bool:
        return play == self.play if self.is_exact else type(play) is type(self.play)


def _find_offer(game: Game, referee: AnyReferee, state: State, seen: State, words: Mapping[str, str]) -> _Offer | None:
    """Return what the words meant on a board that showed `seen`; None if it offered no or several plays."""
    try:
        play = complete_play(game, seen, words)
    except Malformed:
        return None
    if isinstance(play, Ambiguity | NoLegalPlay) or not referee.is_legal(seen, play):
        return None
    if "seat" in words or not hasattr(play, "seat"):
        return _Offer(play, is_exact=True)
    turns = {getattr(candidate, "seat", None) for candidate in referee.candidates(state)}
    is_exact = turns == {play.seat} or encode(play).keys() <= {*words, "seat"}
    return _Offer(replace(play, seat=turns.pop()) if len(turns) == 1 else play, is_exact)


def _decode_whole(referee: AnyReferee, kind: str, fields: Mapping[str, str]) -> Play | None:
    """Return the play if every required field is there. Raises Malformed for a value of the wrong shape."""
    if not kind:
        return None
    try:
        play: Play = decode(referee.plays[kind], fields)
    except Malformed:
        if decode_partial(referee.plays[kind], fields) is None or _lacks_sequence(referee.plays[kind], fields):
            raise
        return None
    return play


def _iter_fitting(referee: AnyReferee, state: State, kind: str, fields: Mapping[str, str]) -> Iterator[Play]:
    """Yield the candidates that have these fields."""
    classes = [referee.plays[kind]] if kind else referee.plays.values()
    wanted = {cls: decode_partial(cls, fields) for cls in classes if not _lacks_sequence(cls, fields)}
    for play in referee.iter_distinct_candidates(state):
        values = wanted.get(type(play))
        if values is not None and all(getattr(play, name) == value for name, value in values.items()):
            yield play


def _lacks_sequence(cls: type[Play], fields: Mapping[str, str]) -> bool:
    """Whether a required sequence is missing: candidates have only some examples of it, so it cannot be guessed."""
    return any(
        is_sequence(cls, name) and not is_optional(cls, name) and name not in fields for name in field_names(cls)
    )


def _build_ambiguity(game: Game, state: State, plays: tuple[Play, ...], offer: _Offer | None = None) -> Ambiguity:
    """Ask for the first thing in which the plays, and the offered one, differ: their kind or a field."""
    offered = (offer.play,) if offer else ()
    kinds = {game.get_kind(play): play for play in plays}
    if len({type(play) for play in (*plays, *offered)}) > 1:
        options = tuple(Alternative(kind, game.help.describe(state.options, play)) for kind, play in kinds.items())
        return Ambiguity(_CHANGED if offer else _("Which of these?"), "kind", options, {})
    (kind,) = kinds
    cls = game.plays[kind]
    field = next(name for name in field_names(cls) if len({getattr(play, name) for play in (*plays, *offered)}) > 1)
    by_value = {getattr(play, field): encode(play).get(field, "") for play in plays}
    is_seat = field == "seat" or get_field_metadata(cls, field).get("meaning") is Meaning.SEAT
    options = tuple(Alternative(word, _label(value, is_seat=is_seat)) for value, word in by_value.items())
    text = _CHANGED if offer else get_field_metadata(cls, field).get("label") or _("Which of these?")
    return Ambiguity(text, field, options, {"kind": kind})


def _label(value: object, *, is_seat: bool) -> Text:
    if is_seat and isinstance(value, int):
        return _("{name}", name=SeatName(value))
    label = getattr(value, "label", None)
    return label if isinstance(label, Text) else Text("{value}", (("value", str(value)),))
