"""Score sheet, ranking, chart and log lines of a table."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from operator import itemgetter

from django.utils.timezone import localtime

from companion.charts.line_chart import LineChart, Series, build_line_chart
from companion.core.entry import TARGETED, EntryKind
from companion.core.entry import Entry as LogEntry
from companion.core.log import Log
from companion.core.match import Match, Round
from companion.core.protocols import Options, Record
from companion.core.schema import Malformed, Meaning, decode, describe_value, get_label, parse_small_number
from companion.core.scoring import OPEN, ScoreValue
from companion.core.text import SeatName, Text, _
from companion.people.services import pick_look
from companion.tables.auth import TableAccess
from companion.tables.forms.pad import format_side_name
from companion.tables.models import Seat

_TEXTS: Mapping[str, Text] = {
    EntryKind.CLOSE: _("The table is closed"),
    EntryKind.REOPEN: _("The table is open again"),
    EntryKind.CORRECT: _("No. {n} corrected: {old} → {new}"),
    EntryKind.INSERT: _("Inserted before no. {n}: {new}"),
    EntryKind.STRIKE: _("No. {n} struck out: {old}"),
    EntryKind.INSIST: _("No. {n} kept anyway: {old}"),
    EntryKind.UNDO: _("Undone, no. {n}: {old}"),
    EntryKind.REDO: _("Redone, no. {n}: {old}"),
}


@dataclass(frozen=True)
class LogLine:
    """A rendered entry of the log."""

    number: int
    text: Text
    device_label: str
    """Empty for the viewer's own device, and for unknown ones."""
    clock: str
    """Local time of day."""
    overruled: tuple[str, ...]
    has_objections: bool
    is_undone: bool
    is_amended: bool
    can_correct: bool

    @property
    def css_class(self) -> str:
        return "undone" if self.is_undone else "void" if self.has_objections else ""


@dataclass(frozen=True)
class GridRow:
    """Points of a round by side, each with the number of the entry to correct if it was counted by hand."""

    number: int
    cells: tuple[tuple[int | None, int | None], ...]
    is_pending: bool
    """Not confirmed yet, or reopened by a correction, so that it does not count."""


@dataclass(frozen=True)
class ScoreGrid:
    """Points by round and side, with totals."""

    match: Match

    @cached_property
    def sides(self) -> tuple[Text, ...]:
        return name_sides(self.match)

    @cached_property
    def rows(self) -> tuple[GridRow, ...]:
        sides = self.match.game.scoring.sides(self.match.options, self.match.seats)
        finished = {played.number for played in self.match.finished_rounds}
        rounds = [self.match.get_round(number) for number in range(1, self.match.last_number + 1)]
        return tuple(
            GridRow(played.number, _build_cells(played, sides), played.number not in finished)
            for played in rounds
            if played.is_over or played.number < self.match.last_number
        )

    @property
    def totals(self) -> tuple[ScoreValue, ...]:
        """By side; open while the score of a round is open."""
        totals = self.match.standing.totals
        return tuple(OPEN for _total in totals) if self.match.has_open_score else totals

    @property
    def side_totals(self) -> Iterable[tuple[Text, ScoreValue]]:
        return zip(self.sides, self.totals, strict=True)

    @cached_property
    def ranking(self) -> Sequence[tuple[int, Text, ScoreValue]]:
        """Rank (0 before anybody is ranked), name and total of each side, by rank; nothing if there is only one."""
        ranks = self.match.standing.ranks or (0,) * len(self.totals)
        rows = zip(ranks, self.sides, self.totals, strict=True)
        return sorted(rows, key=itemgetter(0)) if len(self.totals) > 1 else []


def name_sides(match: Match) -> tuple[Text, ...]:
    """Return the name of each side."""
    sides = match.game.scoring.sides(match.options, match.seats)
    return tuple(format_side_name(match.seats, side) for side in sides)


def build_score_chart(match: Match, seats: Sequence[Seat]) -> LineChart | None:
    """Return the chart, or None after fewer than two rounds; `seats` must have their players loaded."""
    rounds = match.finished_rounds
    if len(rounds) < 2:
        return None
    totals = [match.standing_after(rounds[:count]).totals for count in range(1, len(rounds) + 1)]
    looks = {seat.number: (seat.player.colour, seat.player.sign) for seat in seats if seat.player}
    series = []
    for index, side in enumerate(match.game.scoring.sides(match.options, match.seats)):
        colour, sign = looks.get(side[0]) or pick_look(index)
        series.append(Series(format_side_name(match.seats, side), tuple(row[index] for row in totals), colour, sign))
    return build_line_chart(
        series, title=_("Totals after each round"), labels=[str(played.number) for played in rounds]
    )


def build_log_lines(access: TableAccess, entries: Iterable[LogEntry]) -> list[LogLine]:
    """Return entries as lines, without what is hidden from the device.

    Objections to a concealed entry are left out: they would give away the other counts.
    """
    return [_build_log_line(access, entry) for entry in entries]


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
        return _TEXTS.get(entry.kind) or describe_entry(log.match, entry.kind, entry.words, entry.content)
    if not 0 < entry.target < entry.number:
        return _("An entry that cannot be read ({kind})", kind=entry.kind)
    old = describe_log_entry(log, log.entries[entry.target - 1])
    new = describe_entry(log.match, entry.new_kind, entry.new_words, entry.content) if entry.new_kind else old
    return _TEXTS[entry.kind].with_values(n=entry.target, old=old, new=new)


def describe_visible_entry(access: TableAccess, entry: LogEntry) -> Text:
    """Return the text of a line of the log, without what is hidden from the device."""
    is_hidden = entry.number in access.visibility.hidden
    return describe_hidden_entry(entry) if is_hidden else describe_log_entry(access.cached_log.log, entry)


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
        applies = part.metadata.get("applies")
        has_text = "label" in part.metadata and part.metadata.get("meaning") is not Meaning.PATTERN
        is_changed = part.name != "dealer" and getattr(options, part.name) not in (part.default, title)
        if has_text and is_changed and (applies is None or applies(options)):
            texts.append(_format_option(options, part.name))
    return tuple(texts)


def _format_option(options: Options, name: str) -> Text:
    """Return the label of a flag, `question answer` if the label is a question, `label: value` otherwise."""
    label, answer = get_label(type(options), name), describe_value(options, name)
    if isinstance(getattr(options, name), bool):
        return label
    if str(label).endswith("?"):
        return _("{question} {answer}", question=label, answer=answer)
    return _("{name}: {text}", name=label, text=answer)


def format_round_title(match: Match, number: int) -> Text:
    rounds = match.game.scoring.round_count(match.options, match.seats)
    if rounds == 1:
        return match.game.get_table_title(match.options)
    if rounds is None or number > rounds:
        return _("Round {n}", n=number)
    return _("Round {n} of {rounds}", n=number, rounds=rounds)


def _build_log_line(access: TableAccess, entry: LogEntry) -> LogLine:
    log, view = access.cached_log.log, access.visibility
    meta = access.cached_log.entry_meta[entry.number]
    step = access.match.get_step(entry.number)
    is_own = meta.device is not None and meta.device == access.device.pk
    is_hidden = entry.number in view.hidden
    overruled = step.action.overruled if step else entry.overruled
    is_editable = access.can_enter and not log.is_closed
    return LogLine(
        number=entry.number,
        text=describe_visible_entry(access, entry),
        device_label="" if is_own else access.get_device_label(entry.number),
        clock=localtime(meta.at).strftime("%H:%M"),
        overruled=() if is_hidden else tuple(overruled),
        has_objections=step is not None and bool(step.objections) and entry.number not in view.concealed,
        is_undone=entry.number in log.undone,
        is_amended=step is not None and step.action.words != entry.words and entry.kind != EntryKind.INSERT,
        can_correct=step is not None and step.action.kind != EntryKind.CONFIRM and not is_hidden and is_editable,
    )


def _build_cells(played: Round, sides: Sequence[Sequence[int]]) -> tuple[tuple[int | None, int | None], ...]:
    points = played.sheet.points if played.sheet else (None,) * len(sides)
    counts = {getattr(step.entry, "seat", None): step.action.number for step in played.counts if step.has_effect}
    if played.missing_counts:
        counts = {}
    entries = (next((counts[seat] for seat in (*side, None) if seat in counts), None) for side in sides)
    return tuple(zip(points, entries, strict=True))
