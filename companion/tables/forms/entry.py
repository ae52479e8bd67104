"""The gate of shape for what a page posts: form fields become drafts. What the rules say comes after."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass

from django.http import QueryDict

from companion import limits
from companion.core.completion import Ambiguity, NoLegalPlay, complete_play
from companion.core.game import Count, Game, State
from companion.core.log import CLOSE, CORRECT, INSERT, INSIST, REDO, REOPEN, STRIKE, UNDO
from companion.core.match import CONFIRM, Match
from companion.core.schema import (
    Incomplete,
    Malformed,
    decode,
    display_word,
    encode,
    field_names,
    get_field_metadata,
    is_sequence,
    parse_whole_number,
)
from companion.core.text import SeatName, _
from companion.people.rate_limits import build_limit_error
from companion.tables.services.entries import NewEntry

KEY = re.compile(r"[A-Za-z0-9_-]{8,64}")
LONGEST_WORD = 1_000
LAST_ROUND = 9_999
"""More than any table plays, and less than the database can hold."""
_KINDS_WITHOUT_CONTENT = frozenset({UNDO, REDO, STRIKE, INSIST, CONFIRM, CLOSE, REOPEN})
"""Kinds that say all with a target or a round."""
_META_FIELDS = frozenset(
    {"csrfmiddlewaretoken", "key", "round", "place", "seen", "way", "all", "insist", "amend", "target"}
)
"""Fields that say how an entry is meant; all others say what it is."""


@dataclass(frozen=True)
class PostedEntry:
    """A form, read strictly: how it is meant, and what it says."""

    key: str
    round: int
    place: int | None
    seen: int | None
    way: str
    insists: frozenset[str]
    amend: str
    target: str
    words: Mapping[str, str]


def parse_entry(data: QueryDict, game: Game) -> PostedEntry:
    """Raises Malformed."""
    key = _get_single(data, "key")
    if not KEY.fullmatch(key):
        raise Malformed(_("This page is too old to be used. Nothing was saved; please reload it."), "key")
    amend = _get_single(data, "amend")
    if amend not in ("", CORRECT, INSERT):
        raise Malformed(_("There is no such kind of entry."), "amend")
    target = _get_single(data, "target")
    round_ = _parse_number(data, "round") or 0
    if not 0 <= round_ <= LAST_ROUND:
        raise Malformed(_("There is no such round."), "round")
    return PostedEntry(
        key=key,
        round=round_,
        place=_parse_number(data, "place"),
        seen=_parse_number(data, "seen"),
        way=_get_single(data, "way"),
        insists=frozenset(word[:60] for word in data.getlist("insist")[:30]),
        amend=amend,
        target=str(parse_whole_number(target, "target")) if target else "",
        words={name: _parse_value(data, name, game) for name in data if name not in _META_FIELDS},
    )


class IncompletePlay(Exception):
    """What was tapped is not a play yet: a question is left, or nothing that it could become is legal."""

    def __init__(self, what: Ambiguity | NoLegalPlay) -> None:
        super().__init__(type(what).__name__)
        self.what = what


def build_new_entries(
    posted: PostedEntry, match: Match, before: Match | None = None, seen: State | None = None
) -> list[NewEntry]:
    """What is to be recorded. Raises Malformed or Unfinished.

    `before` is the match as it stood where the entry belongs, if that is not at its end; `seen` the state of the round
    that the page showed, if that is an older one.
    """
    kind = posted.words.get("kind", "")
    if kind in _KINDS_WITHOUT_CONTENT:
        words = {"target": posted.target} if posted.target else {}
        if kind in (UNDO, REDO, STRIKE, INSIST) and not posted.target:
            raise Malformed(_("There is no such entry."), "target")
        return [_build_new_entry(posted, kind, words)]
    if kind in match.game.settings:
        said = {name: word for name, word in posted.words.items() if word and name != "kind"}
        found = [(kind, encode(decode(match.game.settings[kind], said)))]
    elif any("." in name for name in posted.words):
        found = list(_encode_counts(posted, match))
    else:
        stood = before or match
        said = {name: word for name, word in posted.words.items() if word}
        play = complete_play(match.game, stood.get_round(posted.round or stood.current_number).state, said, seen)
        if isinstance(play, Ambiguity | NoLegalPlay):
            raise IncompletePlay(play)
        found = [(match.game.get_kind(play), encode(play))]
    if not found:
        raise Malformed(_("Nothing has been entered yet."))
    if posted.amend and len(found) > 1:
        raise Malformed(_("One entry is corrected at a time."), "target")
    return [_build_new_entry(posted, kind, words) for kind, words in found]


def parse_complete_counts(posted: PostedEntry, match: Match) -> list[Count]:
    """The counts whose boxes are all filled in; one that is being typed is not there yet. Raises Malformed."""
    found = []
    for kind, seat, words in _group_boxes(posted, match):
        with suppress(Incomplete):
            found.append(_decode_count(match, kind, seat, words))
    return found


def build_box_name(kind: str, seat: int | str | None, name: str) -> str:
    """How a box of the pad is called in the form."""
    return f"{kind}.{'all' if seat is None else seat}.{name}"


def _build_new_entry(posted: PostedEntry, kind: str, words: Mapping[str, str]) -> NewEntry:
    key = posted.key
    if posted.amend:
        if not posted.target:
            raise Malformed(_("There is no such entry."), "target")
        words = {"target": posted.target, "kind": kind, **words}
        kind = posted.amend
    elif any("." in name for name in posted.words):  # a pad that is sent again may have more filled in than before
        key = f"{key}.{kind}.{words.get('seat', 'all')}"
    return NewEntry(key, kind, words, posted.round, posted.place, posted.seen, posted.insists)


def _encode_counts(posted: PostedEntry, match: Match) -> Iterator[tuple[str, dict[str, str]]]:
    """The counts that the boxes hold, in words. Raises Malformed, or Incomplete where a box is still empty."""
    for kind, seat, words in _group_boxes(posted, match):
        yield kind, encode(_decode_count(match, kind, seat, words))


def _group_boxes(posted: PostedEntry, match: Match) -> Iterator[tuple[str, str, dict[str, str]]]:
    """The filled boxes by kind and seat; a seat whose boxes are all blank is not counted yet."""
    grouped: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for name, word in posted.words.items():
        kind, seat, field = (*name.split(".", 2), "", "")[:3]
        if kind not in match.game.counts or not field:
            raise Malformed(_("There is no field “{name}” here.", name=display_word(name)), name)
        if word.strip():
            grouped[kind, seat][field] = word.strip()
    yield from ((kind, seat, words) for (kind, seat), words in grouped.items())


def _decode_count(match: Match, kind: str, seat: str, words: Mapping[str, str]) -> Count:
    """One count. Raises Malformed or Incomplete, naming whose it is."""
    try:
        for name, word in words.items():
            _check_complete(match.game.counts[kind], name, word)
        count: Count = decode(match.game.counts[kind], words if seat == "all" else {"seat": seat, **words})
        _check_points(count)
        return count
    except Malformed as error:
        text = error.text
        if seat in map(str, range(match.seats)):
            text = _("{name}: {text}", name=SeatName(int(seat)), text=text)
        raise type(error)(text, f"{kind}.{seat}.{error.field}") from None


def _check_points(count: Count) -> None:
    """Raises Malformed for a number that is too much for any sheet, whatever the rules make of it."""
    for name in field_names(type(count)):
        value = getattr(count, name)
        for number in value if isinstance(value, tuple) else (value,):
            if isinstance(number, int) and abs(number) > limits.MAX_POINTS:
                most = limits.MAX_POINTS
                text = _(
                    "{n} is too much for the sheet: it has room for {most}, above or below zero.", n=number, most=most
                )
                raise build_limit_error("MAX_POINTS", text, name)


def _check_complete(cls: type, name: str, word: str) -> None:
    """Raises Incomplete for a sequence of which some boxes are blank."""
    parts = word.split(",")
    if "" in parts and is_sequence(cls, name):
        label, filled = get_field_metadata(cls, name)["label"], sum(map(bool, parts))
        raise Incomplete(_("{label}: {n} of {all} are filled in.", label=label, n=filled, all=len(parts)), name)


def _parse_value(data: QueryDict, name: str, game: Game) -> str:
    values = data.getlist(name)
    kind, _seat, field = (*name.split(".", 2), "", "")[:3]
    if kind in game.counts and field and is_sequence(game.counts[kind], field):
        joined = ",".join(value.strip() for value in values)
        if get_field_metadata(game.counts[kind], field).get("short"):
            joined = joined.rstrip(",")
        return _check_length(joined if joined.strip(",") else "", name)
    if len(values) > 1 and any(is_sequence(cls, name) for cls in (*game.plays.values(), *game.settings.values())):
        return _check_length(",".join(value.strip() for value in values), name)
    return _get_single(data, name)


def _get_single(data: QueryDict, name: str) -> str:
    values = data.getlist(name)
    if len(values) > 1:
        raise Malformed(_("The field “{name}” is given twice.", name=display_word(name)), name)
    return _check_length(values[0], name) if values else ""


def _check_length(word: str, name: str) -> str:
    if len(word) > LONGEST_WORD:
        raise Malformed(_("That is too long to be an entry."), name)
    return word


def _parse_number(data: QueryDict, name: str) -> int | None:
    word = _get_single(data, name)
    return parse_whole_number(word, name) if word else None
