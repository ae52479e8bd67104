"""Score sheet, ranking and log lines of a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields

from django.utils.timezone import localtime

from companion.core.entry import TARGETED, EntryKind
from companion.core.entry import Entry as LogEntry
from companion.core.game import OPEN, ScoreValue, Standing, Violation
from companion.core.log import Log
from companion.core.match import Match, Round
from companion.core.protocols import Record
from companion.core.schema import Malformed, Meaning, decode, get_choices, parse_small_number
from companion.core.text import SeatName, Text, _
from companion.people.models import Device
from companion.tables.auth import TableAccess
from companion.tables.forms.pad import format_side_name
from companion.tables.log_cache import CachedLog

RECENT_LINES = 5
"""How many entries of the log the table page shows."""


@dataclass(frozen=True)
class LogLine:
    """A rendered entry of the log."""

    number: int
    round: int
    text: Text
    device_label: str
    """Empty for the viewer's own device, and for unknown ones."""
    clock: str
    """Local time of day."""
    overruled: tuple[str, ...]
    objections: tuple[Violation, ...]
    is_undone: bool
    is_amended: bool
    can_correct: bool

    @property
    def css_class(self) -> str:
        return "undone" if self.is_undone else "void" if self.objections else ""


@dataclass(frozen=True)
class GridCell:
    """Points of a side in a round; `count` is the number of the entry to correct if it was counted by hand."""

    points: int | None
    count: int | None


@dataclass(frozen=True)
class GridRow:
    number: int
    cells: tuple[GridCell, ...]
    is_pending: bool
    """Not confirmed yet, or reopened by a correction, so that it does not count."""


@dataclass(frozen=True)
class ScoreGrid:
    """Points by round and side, with totals and ranks."""

    sides: tuple[Text, ...]
    rows: tuple[GridRow, ...]
    standing: Standing
    totals: tuple[ScoreValue, ...]
    """By side; open while the score of a round is open."""

    @property
    def side_totals(self) -> Iterable[tuple[Text, ScoreValue]]:
        return zip(self.sides, self.totals, strict=True)


@dataclass(frozen=True)
class RankedSide:
    """A side in the ranking; `rank` is 0 before anybody is ranked."""

    rank: int
    name: Text
    total: ScoreValue


@dataclass(frozen=True)
class UnsettledEntry:
    """An entry that has become invalid and needs a decision."""

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
    sides = match.game.scoring.sides(match.options, match.seats)
    rounds = (match.get_round(number) for number in range(1, match.last_number + 1))
    finished = {played.number for played in match.finished_rounds}
    rows = tuple(_build_row(played, sides, played.number in finished) for played in rounds if _has_row(match, played))
    return ScoreGrid(
        tuple(format_side_name(match.seats, side) for side in sides), rows, match.standing, get_totals(match)
    )


def get_totals(match: Match) -> tuple[ScoreValue, ...]:
    """Return the total of each side, open while the score of a round is open."""
    return tuple(OPEN for _total in match.standing.totals) if match.has_open_score else match.standing.totals


def rank_sides(match: Match) -> list[RankedSide]:
    """Return the sides by rank; empty if there is only one side."""
    standing = match.standing
    names = [format_side_name(match.seats, side) for side in match.game.scoring.sides(match.options, match.seats)]
    if len(names) == 1:
        return []
    ranks = standing.ranks or (0,) * len(names)
    ranked_sides = [RankedSide(*values) for values in zip(ranks, names, get_totals(match), strict=True)]
    return sorted(ranked_sides, key=lambda side: side.rank)


def build_log_lines(
    access: TableAccess, entries: Iterable[LogEntry], devices: Mapping[int, str] | None = None
) -> list[LogLine]:
    """Return entries as lines, without what is hidden from the device; `devices` are the labels of those in the log.

    Objections to a concealed entry are left out: they would give away the other counts.
    """
    devices = get_device_labels(access.cached_log, access.device) if devices is None else devices
    return [_build_log_line(access, devices, entry) for entry in entries]


def get_recent_entries(log: Log) -> tuple[LogEntry, ...]:
    """Return the newest entries, newest first."""
    return tuple(reversed(log.entries[-RECENT_LINES:]))


def get_device_labels(cached_log: CachedLog, viewer: Device | None) -> dict[int, str]:
    """Return the labels of the devices in the log; queries only if there are others than the viewer's."""
    device_ids = {meta.device for meta in cached_log.entry_meta.values() if meta.device}
    labels = {viewer.pk: viewer.label} if viewer else {}
    if device_ids - set(labels):
        labels.update(Device.objects.filter(pk__in=device_ids).values_list("pk", "label"))
    return labels


def count_entries_by_device(cached_log: CachedLog, devices: Mapping[int, str]) -> list[tuple[str, int]]:
    """Return the number of entries by device label, most first; the label of unknown or imported devices is empty.

    Returns an empty list if no device is known.
    """
    counts = Counter(devices.get(meta.device or 0, "") for meta in cached_log.entry_meta.values())
    return counts.most_common() if any(counts) else []


def count_corrections(log: Log) -> int:
    """Return how many entries change an earlier one."""
    return sum(entry.kind in TARGETED for entry in log.entries)


def list_unsettled_entries(match: Match, concealed: Container[int]) -> tuple[UnsettledEntry, ...]:
    """Return the entries that are no longer valid, without concealed ones."""
    return tuple(
        UnsettledEntry(
            step.action.number,
            step.action.round,
            describe_entry(match, step.action.kind, step.action.words, step.entry),
            step.objections,
            step.malformed,
            bool(step.objections) and not any(violation.binding for violation in step.objections),
        )
        for step in match.invalid_steps
        if step.action.number not in concealed
    )


def describe_entry(match: Match, kind: str, words: Mapping[str, str], content: Record | None = None) -> Text:
    """Return the text of an entry, even if it cannot be decoded; `content` is what it decodes to, if known."""
    if kind == EntryKind.CONFIRM:
        return _("Confirm the round")
    try:
        return match.game.help.describe(match.options, content or decode(match.game.kinds[kind], words))
    except (KeyError, Malformed):
        return _("An entry that cannot be read ({kind})", kind=kind)


def describe_log_entry(log: Log, entry: LogEntry) -> Text:
    """Return the text of a line of the log; an amendment quotes its target."""
    if entry.kind not in TARGETED:
        plain: dict[str, Text] = {"close": _("The table is closed"), "reopen": _("The table is open again")}
        return plain.get(entry.kind) or describe_entry(log.match, entry.kind, entry.words, entry.content)
    if not 0 < entry.target < entry.number:
        return _("An entry that cannot be read ({kind})", kind=entry.kind)
    old = describe_log_entry(log, log.entries[entry.target - 1])
    new = describe_entry(log.match, entry.new_kind, entry.new_words, entry.content) if entry.new_kind else old
    match entry.kind:
        case EntryKind.CORRECT:
            return _("No. {n} corrected: {old} → {new}", n=entry.target, old=old, new=new)
        case EntryKind.INSERT:
            return _("Inserted before no. {n}: {new}", n=entry.target, new=new)
        case EntryKind.STRIKE:
            return _("No. {n} struck out: {old}", n=entry.target, old=old)
        case EntryKind.INSIST:
            return _("No. {n} kept anyway: {old}", n=entry.target, old=old)
        case EntryKind.UNDO:
            return _("Undone, no. {n}: {old}", n=entry.target, old=old)
        case _:
            return _("Redone, no. {n}: {old}", n=entry.target, old=old)


def describe_hidden_entry(entry: LogEntry) -> Text:
    """Return the text of an entry without its hidden content."""
    seat = parse_small_number(entry.words.get("seat", ""))
    if entry.kind in TARGETED:
        return _("No. {n} changed", n=entry.target)
    return _("{name} has counted", name=SeatName(seat)) if seat is not None else _("A count")


def describe_options(match: Match) -> tuple[Text, ...]:
    """Return the options that differ from their defaults.

    Leaves out the title of the table, which is in the heading, and patterns of cells, which have no text.
    """
    texts = []
    options = match.newest_options
    title = str(match.game.get_table_title(options))
    for part in fields(options):
        value, applies = getattr(options, part.name), part.metadata.get("applies")
        has_text = (
            "label" in part.metadata and part.name != "dealer" and part.metadata.get("meaning") is not Meaning.PATTERN
        )
        if not has_text or value in (part.default, title) or (applies and not applies(options)):
            continue
        label = part.metadata["label"]
        choices = get_choices(type(options), part.name)
        chosen = next((choice.label for choice in choices if choice.value == str(value)), None)
        is_flag = isinstance(value, bool)
        texts.append(label if is_flag else _format_option(label, chosen or _format_value(value)))
    return tuple(texts)


def _format_option(label: Text, value: Text | str) -> Text:
    """Return `question answer` if the label is a question, `label: value` otherwise."""
    if str(label).endswith("?"):
        return _("{question} {answer}", question=label, answer=value)
    return _("{name}: {text}", name=label, text=value)


def _format_value(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def format_round_title(match: Match, number: int) -> Text:
    rounds = match.game.scoring.round_count(match.options, match.seats)
    if rounds == 1:
        return match.game.get_table_title(match.options)
    if rounds is None or number > rounds:
        return _("Round {n}", n=number)
    return _("Round {n} of {rounds}", n=number, rounds=rounds)


def _build_log_line(access: TableAccess, devices: Mapping[int, str], entry: LogEntry) -> LogLine:
    log, view = access.cached_log.log, access.visibility
    meta = access.cached_log.entry_meta[entry.number]
    step = access.match.get_step(entry.number)
    is_own = meta.device is not None and meta.device == access.device.pk
    is_hidden = entry.number in view.hidden
    overruled = step.action.overruled if step else entry.overruled
    return LogLine(
        number=entry.number,
        round=step.action.round if step else entry.round,
        text=describe_hidden_entry(entry) if is_hidden else describe_log_entry(log, entry),
        device_label="" if is_own else devices.get(meta.device or 0, ""),
        clock=localtime(meta.at).strftime("%H:%M"),
        overruled=() if is_hidden else tuple(overruled),
        objections=step.objections if step and entry.number not in view.concealed else (),
        is_undone=entry.number in log.undone,
        is_amended=step is not None and step.action.words != entry.words and entry.kind != EntryKind.INSERT,
        can_correct=step is not None and step.action.kind != EntryKind.CONFIRM and not log.is_closed and not is_hidden,
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
