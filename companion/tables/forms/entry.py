"""Form for an entry of the log: posted fields to new entries."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass

from django.http import QueryDict

from companion import limits
from companion.core.completion import Ambiguity, NoLegalPlay, complete_play
from companion.core.entry import EntryKind
from companion.core.game import Count, Game, State
from companion.core.match import Match
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
MAX_VALUE_LENGTH = 1_000
MAX_ROUND = 9_999
"""More rounds than anybody plays, and within the range of the database column."""
_KINDS_WITHOUT_CONTENT = frozenset(
    {
        EntryKind.UNDO,
        EntryKind.REDO,
        EntryKind.STRIKE,
        EntryKind.INSIST,
        EntryKind.CONFIRM,
        EntryKind.CLOSE,
        EntryKind.REOPEN,
    }
)
"""Kinds that need no words but a target or a round."""
_META_FIELDS = frozenset(
    {"csrfmiddlewaretoken", "key", "round", "place", "seen", "way", "all", "insist", "amend", "target"}
)
"""Fields about the entry; all others are its words."""


@dataclass(frozen=True)
class PostedEntry:
    """A posted form of well-formed fields, not yet checked against the rules."""

    key: str
    """Idempotency key: posting a form twice records it once."""
    round: int
    """0 for the current round."""
    place: int | None
    """Which play of the round this is, from 1; the slot that was free when the page was rendered."""
    seen: int | None
    """The version of the log that the page showed."""
    mode: str
    insists: frozenset[str]
    """Ids of the rules to overrule."""
    amend: str
    """`correct`, `insert`, or empty."""
    target: str
    """Number of the entry to amend, undo, redo, strike or insist on."""
    words: Mapping[str, str]


def parse_entry(data: QueryDict, game: Game) -> PostedEntry:
    """Parse a posted form. Raises Malformed."""
    key = _get_single(data, "key")
    if not KEY.fullmatch(key):
        raise Malformed(_("This page is out of date. Nothing was saved; please reload it."), "key")
    amend = _get_single(data, "amend")
    if amend not in ("", EntryKind.CORRECT, EntryKind.INSERT):
        raise Malformed(_("There is no such kind of entry."), "amend")
    target = _get_single(data, "target")
    round_ = _parse_number(data, "round") or 0
    if not 0 <= round_ <= MAX_ROUND:
        raise Malformed(_("There is no such round."), "round")
    return PostedEntry(
        key=key,
        round=round_,
        place=_parse_number(data, "place"),
        seen=_parse_number(data, "seen"),
        mode=_get_single(data, "way"),
        insists=frozenset(word[:60] for word in data.getlist("insist")[:30]),
        amend=amend,
        target=str(parse_whole_number(target, "target")) if target else "",
        words={name: _parse_value(data, name, game) for name in data if name not in _META_FIELDS},
    )


class IncompletePlay(Exception):
    """The posted words match several plays, or no legal one."""

    def __init__(self, reason: Ambiguity | NoLegalPlay) -> None:
        super().__init__(type(reason).__name__)
        self.reason = reason


def build_new_entries(
    posted: PostedEntry, match: Match, before: Match | None = None, seen: State | None = None
) -> list[NewEntry]:
    """Return the entries to record. Raises Malformed or IncompletePlay.

    `before` is the match at the slot of the entry, if that is not its end; `seen` the state of the round that the page
    showed, if entries were recorded since.
    """
    kind = posted.words.get("kind", "")
    if kind in _KINDS_WITHOUT_CONTENT:
        words = {"target": posted.target} if posted.target else {}
        if kind in (EntryKind.UNDO, EntryKind.REDO, EntryKind.STRIKE, EntryKind.INSIST) and not posted.target:
            raise Malformed(_("There is no such entry."), "target")
        return [_build_new_entry(posted, kind, words)]
    if kind in match.game.settings:
        words = {name: word for name, word in posted.words.items() if word and name != "kind"}
        contents = [(kind, encode(decode(match.game.settings[kind], words)))]
    elif any("." in name for name in posted.words):
        contents = list(_encode_counts(posted, match))
    else:
        match_then = before or match
        words = {name: word for name, word in posted.words.items() if word}
        play = complete_play(
            match.game, match_then.get_round(posted.round or match_then.current_number).state, words, seen
        )
        if isinstance(play, Ambiguity | NoLegalPlay):
            raise IncompletePlay(play)
        contents = [(match.game.get_kind(play), encode(play))]
    if not contents:
        raise Malformed(_("Nothing has been entered yet."))
    if posted.amend and len(contents) > 1:
        raise Malformed(_("Correct one entry at a time."), "target")
    return [_build_new_entry(posted, kind, words) for kind, words in contents]


def parse_complete_counts(posted: PostedEntry, match: Match) -> list[Count]:
    """Return the counts whose boxes are all filled in. Raises Malformed."""
    counts = []
    for kind, seat, words in _group_boxes(posted, match):
        with suppress(Incomplete):
            counts.append(_decode_count(match, kind, seat, words))
    return counts


def build_box_name(kind: str, seat: int | str | None, name: str) -> str:
    """Return the form field name of a box of the pad."""
    return f"{kind}.{'all' if seat is None else seat}.{name}"


def _build_new_entry(posted: PostedEntry, kind: str, words: Mapping[str, str]) -> NewEntry:
    key = posted.key
    if posted.amend:
        if not posted.target:
            raise Malformed(_("There is no such entry."), "target")
        words = {"target": posted.target, "kind": kind, **words}
        kind = posted.amend
    elif any("." in name for name in posted.words):  # a pad that is posted again may hold more counts
        key = f"{key}.{kind}.{words.get('seat', 'all')}"
    return NewEntry(key, kind, words, posted.round, posted.place, posted.seen, posted.insists)


def _encode_counts(posted: PostedEntry, match: Match) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield each count as its kind and words. Raises Malformed, or Incomplete if a box is blank."""
    for kind, seat, words in _group_boxes(posted, match):
        yield kind, encode(_decode_count(match, kind, seat, words))


def _group_boxes(posted: PostedEntry, match: Match) -> Iterator[tuple[str, str, dict[str, str]]]:
    """Yield kind, seat and filled boxes of each count that is not blank."""
    grouped: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for name, word in posted.words.items():
        kind, seat, field = (*name.split(".", 2), "", "")[:3]
        if kind not in match.game.counts or not field:
            raise Malformed(_("There is no field “{name}” here.", name=display_word(name)), name)
        if word.strip():
            grouped[kind, seat][field] = word.strip()
    yield from ((kind, seat, words) for (kind, seat), words in grouped.items())


def _decode_count(match: Match, kind: str, seat: str, words: Mapping[str, str]) -> Count:
    """Decode a count. Raises Malformed or Incomplete, with the name of its player."""
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
    """Reject numbers outside the range of a score sheet. Raises Malformed."""
    for name in field_names(type(count)):
        value = getattr(count, name)
        for number in value if isinstance(value, tuple) else (value,):
            if isinstance(number, int) and abs(number) > limits.MAX_POINTS:
                most = limits.MAX_POINTS
                text = _(
                    "{n} is too much for the sheet: the limit is {most}, above or below zero.", n=number, most=most
                )
                raise build_limit_error("MAX_POINTS", text, name)


def _check_complete(cls: type, name: str, word: str) -> None:
    """Raise Incomplete if some boxes of a sequence are blank."""
    parts = word.split(",")
    if "" in parts and is_sequence(cls, name):
        label, filled = get_field_metadata(cls, name)["label"], sum(map(bool, parts))
        raise Incomplete(_("{label}: {n} of {all} are filled in.", label=label, n=filled, all=len(parts)), name)


def _parse_value(data: QueryDict, name: str, game: Game) -> str:
    values = data.getlist(name)
    kind, _seat, field = (*name.split(".", 2), "", "")[:3]
    if kind in game.counts and field and is_sequence(game.counts[kind], field):
        joined = ",".join(value.strip() for value in values)
        if get_field_metadata(game.counts[kind], field).get("may_be_shorter"):
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
    if len(word) > MAX_VALUE_LENGTH:
        raise Malformed(_("That is too long for an entry."), name)
    return word


def _parse_number(data: QueryDict, name: str) -> int | None:
    word = _get_single(data, name)
    return parse_whole_number(word, name) if word else None
