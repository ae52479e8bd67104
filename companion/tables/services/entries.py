"""Recording entries."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db import OperationalError, transaction
from django.utils import timezone

from companion import limits
from companion.core import refusals
from companion.core.entry import AMENDMENTS, TARGETED, EntryKind
from companion.core.entry import Entry as LogEntry
from companion.core.game import AnyReferee
from companion.core.log import Log, NoSuchTarget
from companion.core.match import Round, Step
from companion.core.protocols import Record
from companion.core.schema import Malformed
from companion.core.text import SeatName
from companion.db.retry import is_deadlock
from companion.people.models import Device
from companion.people.rate_limits import build_limit_error
from companion.tables.auth import CIRCLE, SCORER, NotAllowed, check_and_lock_role
from companion.tables.log_cache import CachedLog, cache_log, get_cached_log
from companion.tables.models import Attendance, Entry, Table
from companion.tables.services import saved_options
from companion.tables.visibility import Visibility, compute_visibility, find_hidden_seat, judge_visible

MAX_ATTEMPTS = 40
"""Attempts to record after losing a race, on databases that do not serialize writers."""


@dataclass(frozen=True)
class NewEntry:
    """An entry to be recorded."""

    key: str
    kind: str
    words: Mapping[str, str]
    round: int = 0
    slot: int | None = None
    """The place in the round that was free on the page; for plays only."""
    seen_version: int | None = None
    """The version of the table that the page showed, on which a correction is based."""
    insisted_rules: frozenset[str] = frozenset()
    content: Record | None = None
    """What the words (of a correction: the new ones) decode to, if known."""

    def build_log_entry(self, number: int) -> LogEntry:
        """Return the line of the log that it becomes."""
        return LogEntry(number, self.kind, self.words, self.round, content=self.content)


class EntryRefused(Exception):
    """The rules or the state of the log do not allow some of the entries. Nothing has been written."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self.objections = tuple(dict.fromkeys(violation for step in steps for violation in step.objections))
        self.malformed = next((step.malformed for step in steps if step.malformed), None)
        self.is_final = not all(step.overrulable_rules for step in steps)
        """Whether insisting is impossible."""
        super().__init__(", ".join(violation.rule for violation in self.objections))

    def list_rules_to_overrule(self, insisted: Iterable[str]) -> tuple[str, ...]:
        """Return all rules to overrule, including those insisted on already; none if insisting is impossible."""
        rules = () if self.is_final else (str(violation.rule) for violation in self.objections)
        return tuple(dict.fromkeys([*insisted, *rules])) if rules else ()


class SlotTaken(Exception):
    """The slot holds a different entry of somebody else. The new entry has not been written."""

    def __init__(self, new_entry: NewEntry, taken_by: int) -> None:
        super().__init__(f"slot taken by entry {taken_by}")
        self.new_entry = new_entry
        self.taken_by = taken_by


class TableClosed(Exception):
    """The table is closed, and can only be reopened."""

    text = refusals.TABLE_CLOSED


@dataclass(frozen=True)
class RecordResult:
    """The log after recording, with the numbers of new entries and of duplicates."""

    cached_log: CachedLog
    new: tuple[int, ...]
    duplicates: tuple[int, ...]
    clashes: tuple[SlotTaken, ...] = ()


class _WriteConflict(Exception):
    """Another writer was faster."""


def record_entries(table: Table, *, seats: int, device: Device | None, new_entries: Sequence[NewEntry]) -> RecordResult:
    """Record the entries in one short transaction; if one is refused, none is recorded.

    Entries whose slot is taken are skipped and reported as clashes. Permission is checked in the transaction, unless
    `device` is None. Raises Http404 or ViewOnly if the device may not record (any more), NotAllowed if it may not
    record this, EntryRefused, TableClosed, NoSuchTarget, Malformed, and OperationalError if the database stays busy.
    """
    for attempt in range(MAX_ATTEMPTS):
        try:
            with transaction.atomic():
                role = CIRCLE if device is None else check_and_lock_role(table, device, at_least=SCORER)
                if attempt:  # read again, inside the transaction
                    table = Table.objects.get(pk=table.pk)
                result = _write_entries(get_cached_log(table, seats), table, device, role, new_entries)
                if role == CIRCLE:
                    _save_changed_options(table, result)
        except _WriteConflict:
            continue
        except OperationalError as error:
            if not is_deadlock(error):
                raise
            continue
        except (NotAllowed, EntryRefused, NoSuchTarget, TableClosed):
            if attempt or Table.objects.filter(pk=table.pk, version=table.version).exists():
                raise
            continue  # judged with an outdated row
        if result.new:
            cache_log(table, result.cached_log)
        return result
    raise OperationalError("the table is too busy")


def _save_changed_options(table: Table, result: RecordResult) -> None:
    """Save options that members have just changed, so that the circle is offered them again."""
    game, entries = result.cached_log.game, result.cached_log.log.entries
    if any(entries[number - 1].kind in game.options.settings for number in result.new):
        saved_options.save_options(game, table.circle, result.cached_log.match.newest_options)


def _write_entries(
    cached_log: CachedLog, table: Table, device: Device | None, role: Attendance.Role, new_entries: Sequence[NewEntry]
) -> RecordResult:
    duplicates: list[int] = []
    clashes: list[SlotTaken] = []
    new: list[Entry] = []
    refused: list[Step] = []
    for new_entry in new_entries:
        viewer = device.pk if device else None
        visibility = compute_visibility(cached_log, viewer) if table.hides_counts else Visibility()
        _check_entry_allowed(table, cached_log, role, visibility, new_entry)
        try:
            number = _find_duplicate(cached_log, visibility, new_entry)
        except SlotTaken as clash:
            clashes.append(clash)
            continue
        if number is None:
            cached_log, row, refused_step = _append_entry(table, cached_log, device, visibility, new_entry)
            new.append(row)
            refused += [refused_step] if refused_step else []
        else:
            duplicates.append(number)
    if refused:
        raise EntryRefused(refused)
    if new:
        _store_rows(table, cached_log, role, new)
    return RecordResult(cached_log, tuple(row.number for row in new), tuple(duplicates), tuple(clashes))


def _store_rows(table: Table, cached_log: CachedLog, role: Attendance.Role, new: Sequence[Entry]) -> None:
    """Store the entries, and the columns that follow from them. Raises _WriteConflict."""
    summary = summarize_log(cached_log.log)
    values = {"version": cached_log.version, **summary, **_build_end_columns(table, cached_log)}
    rows = Table.objects.filter(pk=table.pk, version=cached_log.version - len(new))
    if role != CIRCLE:
        rows = rows.filter(binned_at=None)  # in case the table has just been binned
    if not rows.update(**values):
        raise _WriteConflict
    for name, value in values.items():
        setattr(table, name, value)  # for the response
    Entry.objects.bulk_create(new)


def _check_entry_allowed(
    table: Table, cached_log: CachedLog, role: Attendance.Role, visibility: Visibility, new_entry: NewEntry
) -> None:
    """Raise NotAllowed for what guests may not do, and for changes to a count hidden from the device."""
    if role != CIRCLE and table.binned_at is not None:
        raise NotAllowed(refusals.TABLE_BINNED)
    if role != CIRCLE and new_entry.kind in (EntryKind.CLOSE, EntryKind.REOPEN):
        raise NotAllowed(refusals.MEMBERS_ONLY)
    if visibility.hidden:
        seat = find_hidden_seat(cached_log, visibility.hidden, new_entry.build_log_entry(cached_log.version + 1))
        if seat is not None:
            raise NotAllowed(refusals.COUNT_HIDDEN.with_values(name=SeatName(seat)), is_due_to_role=False)


def _check_limits(cached_log: CachedLog, new_entry: NewEntry) -> None:
    """Check that the log takes the entry, whatever the rules say. Raises TableClosed and Malformed."""
    if cached_log.log.is_closed and new_entry.kind != EntryKind.REOPEN:
        raise TableClosed
    if cached_log.version >= limits.MAX_ENTRIES:
        raise build_limit_error("MAX_ENTRIES", refusals.LOG_FULL.with_values(n=limits.MAX_ENTRIES))
    if new_entry.kind in cached_log.game.kinds and new_entry.round > limits.MAX_ROUNDS:
        text = refusals.TOO_MANY_ROUNDS.with_values(n=limits.MAX_ROUNDS)
        raise build_limit_error("MAX_ROUNDS", text, "round")
    if new_entry.kind in cached_log.game.kinds and not 1 <= new_entry.round <= cached_log.match.last_number + 1:
        raise Malformed(refusals.UNKNOWN_ROUND, "round")


def _append_entry(
    table: Table, cached_log: CachedLog, device: Device | None, visibility: Visibility, new_entry: NewEntry
) -> tuple[CachedLog, Entry, Step | None]:
    """Return the log with the entry judged and appended, its row, and its step if it is refused."""
    _check_limits(cached_log, new_entry)
    number = cached_log.version + 1
    entry = new_entry.build_log_entry(number)
    log = cached_log.log.append(entry)
    step, refused = log.newest_step, None
    if step is not None and visibility.hidden:
        step = judge_visible(log, step, visibility.hidden)
    if step is not None and not step.is_valid:
        refused = step if not step.overrulable_rules or set(step.overrulable_rules) - new_entry.insisted_rules else None
        entry = replace(entry, overruled=step.overrulable_rules)
        log = cached_log.log.append(entry)
    row = Entry(
        table=table,
        number=number,
        key=new_entry.key,
        kind=new_entry.kind,
        round=new_entry.round,
        words=dict(new_entry.words),
        overruled=list(entry.overruled),
        game_version=cached_log.game.about.version,
        device=device,
        at=timezone.now(),
    )
    return cached_log.add_rows(log, row), row, refused


def _find_duplicate(cached_log: CachedLog, visibility: Visibility, new_entry: NewEntry) -> int | None:
    """Return the number of an equal entry in the slot; None if the slot is free. Raises SlotTaken.

    A hidden entry never counts as equal, or it could be guessed.
    """
    number = cached_log.numbers.get(new_entry.key)
    if number is not None:
        entry = cached_log.log.entries[number - 1]
        is_same = (entry.kind, dict(entry.words)) == (new_entry.kind, dict(new_entry.words))
        if is_same and entry.round == new_entry.round and number not in visibility.hidden:
            return number
        raise SlotTaken(new_entry, number)
    taken = _find_in_slot(cached_log, visibility, new_entry)
    if taken is None:
        return None
    step = cached_log.log.get_step(taken)
    other = step.action if step is not None and new_entry.kind not in AMENDMENTS else cached_log.log.entries[taken - 1]
    if taken not in visibility.hidden and (other.kind, dict(other.words)) == (new_entry.kind, dict(new_entry.words)):
        return taken
    raise SlotTaken(new_entry, taken)


def _find_in_slot(cached_log: CachedLog, visibility: Visibility, new_entry: NewEntry) -> int | None:
    """Return the number of the entry that fills the new entry's slot."""
    game, kind, seen_version = cached_log.game, new_entry.kind, new_entry.seen_version
    if kind in AMENDMENTS:
        return _find_amendment_since(cached_log, new_entry) if seen_version is not None else None
    if kind not in game.kinds and kind != EntryKind.CONFIRM:
        return None
    played = cached_log.match.get_round(new_entry.round)
    if kind in game.pad.counts:
        seat = new_entry.words.get("seat")
        counts = [
            step.action for step in played.counts if step.has_effect or step.action.number in visibility.concealed
        ]
        return next((count.number for count in counts if count.words.get("seat") == seat), None)
    if game.referee and kind in game.plays:
        return _find_clashing_play(game.referee, played, new_entry)
    if kind in game.options.settings:
        numbers = (step.action.number for step in played.steps if step.action.kind == kind and step.has_effect)
        return next((number for number in numbers if seen_version is not None and number > seen_version), None)
    if kind == EntryKind.CONFIRM:
        steps = played.steps if played.is_confirmed else ()
        confirmation = next((step.action.number for step in steps if step.action.kind == EntryKind.CONFIRM), None)
        return confirmation or _find_change_since(cached_log, new_entry)
    return None


def _find_clashing_play(referee: AnyReferee, played: Round, new_entry: NewEntry) -> int | None:
    """Return the number of a play made since the page was shown, in the slot of the new one."""
    play = new_entry.content
    since = played.plays[new_entry.slot - 1 :] if new_entry.slot and new_entry.slot > 0 else ()
    for step in since:
        if play is None or step.entry is None or referee.share_slot(step.entry, play):
            return step.action.number
    return None


def _find_change_since(cached_log: CachedLog, new_entry: NewEntry) -> int | None:
    """Return the number of an entry that changed the round after the page showed its tally."""
    newer = cached_log.log.entries[new_entry.seen_version :] if new_entry.seen_version is not None else ()
    kinds = cached_log.game.kinds
    changes = (e for e in newer if e.kind in TARGETED or (e.kind in kinds and e.round == new_entry.round))
    return next((entry.number for entry in changes), None)


def _find_amendment_since(cached_log: CachedLog, new_entry: NewEntry) -> int | None:
    """Return the number of somebody else's amendment of the same entry since the page was shown."""
    newer = cached_log.log.entries[new_entry.seen_version :]
    target = new_entry.words.get("target")
    amendments = (e for e in newer if e.kind in AMENDMENTS and e.words.get("target") == target)
    return next((entry.number for entry in amendments if entry.number not in cached_log.log.undone), None)


def summarize_log(log: Log) -> dict[str, Any]:
    """Return the derived columns of a table, which lists read."""
    standing = log.match.standing
    result = {"totals": standing.totals, "ranks": standing.ranks, "rounds": len(log.match.finished_rounds)}
    return {"is_over": standing.is_over, "is_closed": log.is_closed, "result": result}


def _build_end_columns(table: Table, cached_log: CachedLog) -> dict[str, Any]:
    """Return the columns that change when a match ends or resumes."""
    was_finished = table.is_over or table.is_closed
    if not (cached_log.match.standing.is_over or cached_log.log.is_closed):
        return {"ended_at": None, "has_stale_stats": True} if was_finished else {}
    return {"has_stale_stats": True} if was_finished else {"ended_at": timezone.now(), "has_stale_stats": True}
