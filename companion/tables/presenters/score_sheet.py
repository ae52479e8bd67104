"""What the pages of a table show, computed; templates only print it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import Any

from django.utils.timezone import localtime

from companion.core.game import OPEN, Game, ScoreValue, Standing, Violation
from companion.core.log import INSERT, TARGETED, Log
from companion.core.log import Entry as LogEntry
from companion.core.match import CONFIRM, Match, Round
from companion.core.schema import Malformed, decode
from companion.core.text import Text, _
from companion.people.models import Device
from companion.tables.forms.pad import format_side_name
from companion.tables.log_cache import CachedLog

RECENT_LINES = 5
"""Entries of the log that stand on the table page; the rest is a tap away."""


@dataclass(frozen=True)
class LogLine:
    """A line of the log as it is shown."""

    number: int
    round: int
    text: Text
    who: str
    clock: str
    """The time of day on this machine."""
    overruled: tuple[str, ...]
    objections: tuple[Violation, ...]
    is_undone: bool
    is_amended: bool
    can_correct: bool


@dataclass(frozen=True)
class GridCell:
    """Points of a side in a round; `count` is the entry to correct where it was counted by hand."""

    points: int | None
    count: int | None


@dataclass(frozen=True)
class GridRow:
    number: int
    cells: tuple[GridCell, ...]
    is_pending: bool
    """Computed by the referee and not confirmed yet, or opened again by a correction: it does not count."""


@dataclass(frozen=True)
class ScoreGrid:
    """The rounds so far, by side, with totals and ranks."""

    sides: tuple[Text, ...]
    rows: tuple[GridRow, ...]
    standing: Standing
    totals: tuple[ScoreValue, ...]
    """Of the sides; open as long as the score of a round is."""


@dataclass(frozen=True)
class RankedSide:
    """A side in the ranking; `rank` is 0 where nobody is ranked yet."""

    rank: int
    name: Text
    total: ScoreValue


@dataclass(frozen=True)
class UnsettledEntry:
    """An entry that no longer stands, and what can be done about it."""

    number: int
    round: int
    text: Text
    reasons: tuple[Violation, ...]
    malformed: Text | None
    can_insist: bool

    @property
    def rules(self) -> tuple[str, ...]:
        return tuple(str(violation.rule) for violation in self.reasons)


def build_score_grid(match: Match) -> ScoreGrid:
    sides = match.game.sides(match.options, match.seats)
    rounds = (match.get_round(number) for number in range(1, match.last_number + 1))
    finished = {played.number for played in match.finished_rounds}
    rows = tuple(_build_row(played, sides, played.number in finished) for played in rounds if _has_row(match, played))
    return ScoreGrid(
        tuple(format_side_name(match.seats, side) for side in sides), rows, match.standing, get_totals(match)
    )


def get_totals(match: Match) -> tuple[ScoreValue, ...]:
    """The total of each side; none is known while the score of a round is open."""
    return tuple(OPEN for _total in match.standing.totals) if match.has_open_score else match.standing.totals


def rank_sides(match: Match) -> list[RankedSide]:
    """The sides by rank; none where there is only one."""
    standing = match.standing
    names = [format_side_name(match.seats, side) for side in match.game.sides(match.options, match.seats)]
    if len(names) == 1:
        return []
    ranks = standing.ranks or (0,) * len(names)
    found = [RankedSide(*place) for place in zip(ranks, names, get_totals(match), strict=True)]
    return sorted(found, key=lambda place: place.rank)


def build_log_lines(
    known: CachedLog,
    devices: Mapping[int, str],
    *,
    own: int | None,
    entries: Iterable[LogEntry],
    secrets: Mapping[int, Text],
    concealed: Container[int],
) -> list[LogLine]:
    """The given entries as lines, in their order; `own` is the device that asks, `secrets` what it reads instead.

    What stands against a concealed entry is not shown: it speaks of the others as well.
    """
    found = [_build_log_line(known, devices, own, entry) for entry in entries]
    found = [replace(line, objections=()) if line.number in concealed else line for line in found]
    return [
        replace(line, text=secrets[line.number], overruled=(), can_correct=False) if line.number in secrets else line
        for line in found
    ]


def get_recent_entries(log: Log) -> tuple[LogEntry, ...]:
    """The newest entries, newest first."""
    return tuple(reversed(log.entries[-RECENT_LINES:]))


def get_device_labels(known: CachedLog, own: Device | None) -> dict[int, str]:
    """The names of the devices that wrote the log; asks the database only where there is another than one's own."""
    wanted = {receipt.device for receipt in known.entry_meta.values() if receipt.device}
    labels = {own.pk: own.label} if own else {}
    if wanted - set(labels):
        labels.update(Device.objects.filter(pk__in=wanted).values_list("pk", "label"))
    return labels


def count_entries_by_device(known: CachedLog, devices: Mapping[int, str]) -> list[tuple[str, int]]:
    """Which phones entered how much of a log, the busiest first; without a name those that are gone, or were in a file.

    Nothing where no phone is known.
    """
    counts = Counter(devices.get(receipt.device or 0, "") for receipt in known.entry_meta.values())
    return counts.most_common() if any(counts) else []


def count_corrections(log: Log) -> int:
    """How many entries changed an earlier one."""
    return sum(entry.kind in TARGETED for entry in log.entries)


def list_unsettled_entries(match: Match, concealed: Container[int]) -> tuple[UnsettledEntry, ...]:
    """The entries that do not stand and are to be settled; concealed ones are, once all are seen."""
    return tuple(
        UnsettledEntry(
            step.action.number,
            step.action.round,
            describe_entry(match, step.action.kind, step.action.words),
            step.objections,
            step.malformed,
            bool(step.objections) and not any(violation.binding for violation in step.objections),
        )
        for step in match.invalid_steps
        if step.action.number not in concealed
    )


def describe_entry(match: Match, kind: str, words: Mapping[str, str]) -> Text:
    """What an entry says, as far as it can be read."""
    return _describe_entry(match.game, match.options, kind, tuple(words.items()))


@lru_cache(maxsize=4_000)
def _describe_entry(game: Game, options: Any, kind: str, words: tuple[tuple[str, str], ...]) -> Text:
    """Kept, for of the lines on a page the page before it has shown nearly all."""
    if kind == CONFIRM:
        return _("Confirm the round")
    try:
        return game.describe(options, decode(game.kinds[kind], dict(words)))
    except (KeyError, Malformed):
        return _("An entry that cannot be read ({kind})", kind=kind)


def describe_log_entry(log: Log, entry: LogEntry) -> Text:
    """What a line of the log says; one that changes another says which, and to what."""
    if entry.kind not in TARGETED:
        plain: dict[str, Text] = {"close": _("The table is closed"), "reopen": _("The table is open again")}
        return plain.get(entry.kind) or describe_entry(log.match, entry.kind, entry.words)
    if not 0 < entry.target < entry.number:
        return _("An entry that cannot be read ({kind})", kind=entry.kind)
    old = describe_log_entry(log, log.entries[entry.target - 1])
    words = {name: word for name, word in entry.words.items() if name not in ("target", "kind")}
    match entry.kind:
        case "correct":
            new = describe_entry(log.match, entry.words.get("kind", ""), words)
            return _("No. {n} corrected: {old} → {new}", n=entry.target, old=old, new=new)
        case "insert":
            new = describe_entry(log.match, entry.words.get("kind", ""), words)
            return _("Inserted before no. {n}: {new}", n=entry.target, new=new)
        case "strike":
            return _("No. {n} struck out: {old}", n=entry.target, old=old)
        case "insist":
            return _("No. {n} kept anyway: {old}", n=entry.target, old=old)
        case "undo":
            return _("Undone, no. {n}: {old}", n=entry.target, old=old)
        case _:
            return _("Redone, no. {n}: {old}", n=entry.target, old=old)


def describe_options(match: Match) -> tuple[Text, ...]:
    """What the table plays otherwise than usual: its options, as they are called where they are chosen.

    Not what the table is called, which stands above everything; nor a pattern, which is seen and not told.
    """
    found = []
    options = match.newest_options
    called = str(match.game.get_table_title(options))
    for part in fields(options):
        value, applies = getattr(options, part.name), part.metadata.get("applies")
        is_told = "label" in part.metadata and part.name != "dealer" and part.metadata.get("input_type") != "cells"
        if not is_told or value in (part.default, called) or (applies and not applies(options)):
            continue
        label = part.metadata["label"]
        chosen = next((choice.label for choice in part.metadata["choices"] or () if choice.value == str(value)), None)
        is_flag = isinstance(value, bool)
        found.append(label if is_flag else _format_option(label, chosen or _format_value(value)))
    return tuple(found)


def _format_option(label: Text, value: Text | str) -> Text:
    """An option and its value; a question is followed by its answer."""
    if str(label).endswith("?"):
        return _("{question} {answer}", question=label, answer=value)
    return _("{name}: {text}", name=label, text=value)


def _format_value(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def format_round_title(match: Match, number: int) -> Text:
    rounds = match.game.round_count(match.options, match.seats)
    if rounds == 1:
        return match.game.get_table_title(match.options)
    if rounds is None or number > rounds:
        return _("Round {n}", n=number)
    return _("Round {n} of {rounds}", n=number, rounds=rounds)


def _build_log_line(known: CachedLog, devices: Mapping[int, str], own: int | None, entry: LogEntry) -> LogLine:
    log = known.log
    receipt = known.entry_meta[entry.number]
    step = known.match.get_step(entry.number)
    is_own = receipt.device is not None and receipt.device == own
    return LogLine(
        number=entry.number,
        round=step.action.round if step else entry.round,
        text=describe_log_entry(log, entry),
        who="" if is_own else devices.get(receipt.device or 0, ""),
        clock=localtime(receipt.at).strftime("%H:%M"),
        overruled=tuple(step.action.overruled if step else entry.overruled),
        objections=step.objections if step else (),
        is_undone=entry.number in log.undone,
        is_amended=step is not None and step.action.words != entry.words and entry.kind != INSERT,
        can_correct=step is not None and step.action.kind != CONFIRM and not log.is_closed,
    )


def _build_row(played: Round, sides: Sequence[Sequence[int]], is_finished: bool) -> GridRow:
    points: Sequence[int | None] = played.sheet.points if played.sheet else [None] * len(sides)
    counts = {getattr(step.entry, "seat", None): step.action.number for step in played.counts if step.has_effect}
    if played.missing_counts:
        counts = {}
    cells = tuple(
        GridCell(value, next((counts[seat] for seat in (*side, None) if seat in counts), None))
        for value, side in zip(points, sides, strict=True)
    )
    return GridRow(played.number, cells, not is_finished)


def _has_row(match: Match, played: Round) -> bool:
    return played.is_over or played.number < match.last_number
