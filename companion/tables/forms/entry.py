"""Form for an entry of the log: posted fields to new entries."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum

from django.http import QueryDict

from companion import limits
from companion.core import refusals
from companion.core.completion import Ambiguity, NoLegalPlay, complete_play
from companion.core.entry import TARGETED, EntryKind
from companion.core.game import Game
from companion.core.log import Log
from companion.core.match import Match
from companion.core.protocols import Count, Play, Record, State
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
_KINDS_WITHOUT_CONTENT = frozenset(EntryKind) - {EntryKind.CORRECT, EntryKind.INSERT}
_META_FIELDS = frozenset(
    {
        "csrfmiddlewaretoken",
        "key",
        "intent",
        "kind",
        "round",
        "place",
        "seen",
        "way",
        "all",
        "insist",
        "amend",
        "target",
    }
)
"""Fields about the entry; all others are its words."""


class Intent(StrEnum):
    """What a posted entry is meant to be."""

    PLAY = "play"
    """One play, or as much of it as a tap says."""
    COUNTS = "counts"
    """The filled boxes of the pad, perhaps of several players."""
    SETTING = "setting"
    LOG = "log"
    """A kind that needs no more than a target or a round: undo, redo, strike, insist, confirm, close, reopen."""


@dataclass(frozen=True)
class PostedEntry:
    """What a page may post to record an entry: well-formed, not yet checked against the rules.

    Each attribute is a form field of the same name, unless its docstring names another; all are text when posted.
    """

    key: str
    """Idempotency key made by the phone, 8 to 64 characters: posting a form twice records it once."""
    intent: Intent
    """Posted by pads (`counts`); of other forms, `kind` tells."""
    kind: str
    """A play or setting of the game, or an EntryKind; empty for counts, and for a tap that any kind of play may fit."""
    round: int
    """The round that the entry belongs to, from 1; 0 for the current one."""
    place: int | None
    """Which play of the round this is, from 1; the slot that was free when the page was rendered."""
    seen: int | None
    """The version of the log that the page showed."""
    mode: str
    """`pad` or `referee`, posted as `way`: which page to answer with."""
    is_for_all: bool
    """Posted as `all`: whether a phone with a seat counts for the others, too."""
    insists: frozenset[str]
    """Ids of the rules to overrule, posted as `insist`, once for each."""
    amend: str
    """`correct` or `insert` if the entry is to replace the target, or to go before it; else empty."""
    target: str
    """Number of the entry to amend, undo, redo, strike or insist on."""
    words: Mapping[str, str]
    """All other fields. Of a play or setting its own (`seat`, `card`); those left out are completed if only one legal
    play fits. Of counts the boxes: `<count>.<seat>.<field>`, with `all` for what is counted once a table, repeated for
    the parts of a sequence."""


def parse_entry(data: QueryDict, game: Game) -> PostedEntry:
    """Parse a posted form. Raises Malformed."""
    key = _get_single(data, "key")
    if not KEY.fullmatch(key):
        raise Malformed(refusals.OUTDATED_PAGE, "key")
    amend = _get_single(data, "amend")
    if amend not in ("", EntryKind.CORRECT, EntryKind.INSERT):
        raise Malformed(refusals.UNKNOWN_KIND, "amend")
    target = _get_single(data, "target")
    round_ = _parse_number(data, "round") or 0
    if not 0 <= round_ <= MAX_ROUND:
        raise Malformed(refusals.UNKNOWN_ROUND, "round")
    return PostedEntry(
        key=key,
        intent=_parse_intent(data, game),
        kind=_get_single(data, "kind"),
        round=round_,
        place=_parse_number(data, "place"),
        seen=_parse_number(data, "seen"),
        mode=_get_single(data, "way"),
        is_for_all="all" in data,
        insists=frozenset(word[:60] for word in data.getlist("insist")[:30]),
        amend=amend,
        target=str(parse_whole_number(target, "target")) if target else "",
        words={name: _parse_value(data, name, game) for name in data if name not in _META_FIELDS},
    )


def _parse_intent(data: QueryDict, game: Game) -> Intent:
    """Return the intent. Entries that a phone has kept since before release 0.7 do not post that they are counts."""
    kind, intent = _get_single(data, "kind"), _get_single(data, "intent")
    if intent not in ("", Intent.COUNTS):
        raise Malformed(refusals.UNKNOWN_KIND, "intent")
    if kind in _KINDS_WITHOUT_CONTENT:  # on a pad, undo comes with its boxes, to show them again
        return Intent.LOG
    if kind in game.options.settings:
        return Intent.SETTING
    return Intent.COUNTS if intent or any("." in name for name in data) else Intent.PLAY


class IncompletePlay(Exception):
    """The posted words match several plays, or no legal one."""

    def __init__(self, reason: Ambiguity | NoLegalPlay) -> None:
        super().__init__(type(reason).__name__)
        self.reason = reason


def build_new_entries(posted: PostedEntry, log: Log, recorded: int | None = None) -> list[NewEntry]:
    """Return the entries to record; `recorded` is the number of the entry that already has the key.

    Raises Malformed or IncompletePlay.
    """
    game = log.match.game
    contents: list[tuple[str, Record]]
    match posted.intent:
        case Intent.LOG:
            return [_build_log_entry(posted)]
        case Intent.SETTING:
            contents = [(posted.kind, decode(game.options.settings[posted.kind], _drop_blank(posted.words)))]
        case Intent.COUNTS:
            contents = [(group[0], _decode_count(log.match, *group)) for group in _group_boxes(posted, log.match)]
        case Intent.PLAY:
            play = _complete_play(posted, log, recorded)
            contents = [(posted.kind or game.get_kind(play), play)]
    if not contents:
        raise Malformed(refusals.NOTHING_ENTERED)
    if posted.amend and len(contents) > 1:
        raise Malformed(refusals.SEVERAL_CORRECTIONS, "target")
    return [_build_new_entry(posted, kind, content) for kind, content in contents]


def _build_log_entry(posted: PostedEntry) -> NewEntry:
    if posted.amend:
        raise Malformed(refusals.UNKNOWN_KIND, "amend")
    if posted.kind in TARGETED and not posted.target:
        raise Malformed(refusals.UNKNOWN_ENTRY, "target")
    words = {"target": posted.target} if posted.kind in TARGETED else {}
    return NewEntry(posted.key, posted.kind, words, posted.round, posted.place, posted.seen, posted.insists)


def _complete_play(posted: PostedEntry, log: Log, recorded: int | None) -> Play:
    """Return the play, completed at its slot. Raises Malformed or IncompletePlay."""
    before = _get_match_at_slot(posted, log, recorded)
    number = posted.round or before.current_number
    seen: State | None = None
    if posted.seen is not None and posted.seen < len(log.entries) and not posted.amend:
        seen = log.get_round_at(posted.round or log.match.current_number, posted.seen).state
    words = _drop_blank({"kind": posted.kind, **posted.words})
    play = complete_play(log.match.game, before.get_round(number).state, words, seen)
    if isinstance(play, Ambiguity | NoLegalPlay):
        raise IncompletePlay(play)
    return play


def _get_match_at_slot(posted: PostedEntry, log: Log, recorded: int | None) -> Match:
    """Return the match before the entry.

    That is before the entry that it amends; before itself, if it has already been recorded; before the play that has
    taken its slot since the page was rendered; or all of it.
    """
    if posted.amend:
        return log.match_before(int(posted.target)) if posted.target else log.match
    if recorded is not None:
        return log.match_before(recorded)
    played = log.match.rounds.get(posted.round)
    if played is None or posted.place is None or not 0 < posted.place <= len(played.plays):
        return log.match
    return log.match_before(played.plays[posted.place - 1].action.number)


def _drop_blank(words: Mapping[str, str]) -> dict[str, str]:
    return {name: word for name, word in words.items() if word}


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


def _build_new_entry(posted: PostedEntry, kind: str, content: Record) -> NewEntry:
    key, words = posted.key, encode(content)
    if posted.amend:
        if not posted.target:
            raise Malformed(refusals.UNKNOWN_ENTRY, "target")
        kind, words = posted.amend, {"target": posted.target, "kind": kind, **words}
    elif posted.intent == Intent.COUNTS:  # a pad that is posted again may hold more counts
        key = f"{key}.{kind}.{words.get('seat', 'all')}"
    return NewEntry(key, kind, words, posted.round, posted.place, posted.seen, posted.insists, content)


def _group_boxes(posted: PostedEntry, match: Match) -> Iterator[tuple[str, str, dict[str, str]]]:
    """Yield kind, seat and filled boxes of each count that is not blank."""
    grouped: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for name, word in posted.words.items():
        kind, seat, field = (*name.split(".", 2), "", "")[:3]
        if kind not in match.game.pad.counts or not field:
            raise Malformed(refusals.UNKNOWN_FIELD.with_values(name=display_word(name)), name)
        if word.strip():
            grouped[kind, seat][field] = word.strip()
    yield from ((kind, seat, words) for (kind, seat), words in grouped.items())


def _decode_count(match: Match, kind: str, seat: str, words: Mapping[str, str]) -> Count:
    """Decode a count. Raises Malformed or Incomplete, with the name of its player."""
    try:
        for name, word in words.items():
            _check_complete(match.game.pad.counts[kind], name, word)
        count: Count = decode(match.game.pad.counts[kind], words if seat == "all" else {"seat": seat, **words})
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
                text = refusals.TOO_MANY_POINTS.with_values(n=number, most=most)
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
    if kind in game.pad.counts and field and is_sequence(game.pad.counts[kind], field):
        joined = ",".join(value.strip() for value in values)
        if get_field_metadata(game.pad.counts[kind], field).get("may_be_shorter"):
            joined = joined.rstrip(",")
        return _check_length(joined if joined.strip(",") else "", name)
    if len(values) > 1 and any(
        is_sequence(cls, name) for cls in (*game.plays.values(), *game.options.settings.values())
    ):
        return _check_length(",".join(value.strip() for value in values), name)
    return _get_single(data, name)


def _get_single(data: QueryDict, name: str) -> str:
    values = data.getlist(name)
    if len(values) > 1:
        raise Malformed(refusals.REPEATED_FIELD.with_values(name=display_word(name)), name)
    return _check_length(values[0], name) if values else ""


def _check_length(word: str, name: str) -> str:
    if len(word) > MAX_VALUE_LENGTH:
        raise Malformed(refusals.VALUE_TOO_LONG, name)
    return word


def _parse_number(data: QueryDict, name: str) -> int | None:
    word = _get_single(data, name)
    return parse_whole_number(word, name) if word else None
