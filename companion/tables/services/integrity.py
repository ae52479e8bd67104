"""Read-only comparison of logs, judged again, with the columns derived from them."""

import json
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from django.db.models import QuerySet

from companion.core.entry import EntryKind
from companion.core.errors import Malformed
from companion.core.notation import build_options
from companion.games import get_broken_games, get_game, get_games
from companion.tables.log_cache import CachedLog, load_log
from companion.tables.models import Entry, Seat, Table
from companion.tables.services.entries import summarize_log

BATCH_SIZE = 100
"""Tables per query."""
MAX_CHECKS = 3
"""How often a table is checked, in case somebody is playing at it, before a difference is reported."""


@dataclass(frozen=True)
class Difference:
    """A stored value that differs from the log."""

    table: str
    """Its public id."""
    column: str
    stored: object
    expected: object


@dataclass(frozen=True)
class TableCheck:
    """A checked table with its seats, its log (None if it cannot be judged), and the differences."""

    table: Table
    seats: tuple[Seat, ...]
    cached_log: CachedLog | None
    differences: tuple[Difference, ...]


def check_tables(tables: QuerySet[Table]) -> Iterator[TableCheck]:
    """Yield a check of each table, by id."""
    last = 0
    while batch := list(_fetch_logs(tables.filter(pk__gt=last).order_by("pk")[:BATCH_SIZE])):
        last = batch[-1].pk
        for check in map(_check_table, batch):
            yield _recheck(check) if check.differences else check


def check_sample(count: int) -> list[Difference]:
    """Return the differences at `count` tables: the newest, and as many at random."""
    ids = Table.objects.order_by("-pk").values_list("pk", flat=True)
    first, newest = ids.last(), list(ids[: (count + 1) // 2])
    if first is None:
        return []
    others = [ids.filter(pk__gte=random.randint(first, newest[0])).last() for _table in range(count // 2)]
    tables = Table.objects.filter(pk__in=[*newest, *others])
    return [difference for check in check_tables(tables) for difference in check.differences]


def _fetch_logs(tables: QuerySet[Table]) -> QuerySet[Table]:
    return tables.prefetch_related("entries", "seats")


def _recheck(check: TableCheck) -> TableCheck:
    """Check the table again, since an entry may have been recorded between reading its row and its log."""
    for _attempt in range(MAX_CHECKS):
        table = _fetch_logs(Table.objects.filter(pk=check.table.pk)).first()
        if table is None or not check.differences:
            return TableCheck(check.table, check.seats, check.cached_log, ())
        check = _check_table(table)
    return check


def _check_table(table: Table) -> TableCheck:
    seats, entries, cached_log = tuple(table.seats.all()), table.entries.all(), None
    values = [*_compare_rows(table, seats, entries)]
    if table.game not in get_broken_games():  # those are reported by the doctor
        try:
            cached_log = load_log(table, len(seats), entries)
            values += [*_compare_summary(table, cached_log)]
        except Exception as error:  # any error is a finding
            cached_log = None
            values.append(("log", f"{len(entries)} entries", f"{type(error).__name__}: {error}"))
    return TableCheck(table, seats, cached_log, tuple(Difference(table.public_id, *three) for three in values))


def _compare_rows(
    table: Table, seats: Sequence[Seat], entries: Iterable[Entry]
) -> Iterator[tuple[str, object, object]]:
    """Yield column, stored and expected value where numbers have gaps or keys repeat."""
    numbers, keys = [row.number for row in entries], [row.key for row in entries]
    if numbers != list(range(1, len(numbers) + 1)):
        missing = next(n for n, number in enumerate([*numbers, None], 1) if n != number)
        yield "number", f"no entry {missing}", f"1 to {len(numbers)}"
    if table.version != len(numbers):
        yield "version", table.version, len(numbers)
    if len(set(keys)) < len(keys):
        yield "key", len(keys), len(set(keys))
    if [seat.number for seat in seats] != list(range(len(seats))) or not seats:
        yield "seats", [seat.number for seat in seats], list(range(len(seats)))


def _compare_summary(table: Table, cached_log: CachedLog) -> Iterator[tuple[str, object, object]]:
    """Yield column, stored and expected value of derived columns."""
    if table.game_version == get_game(table.game).about.version:
        yield from _find_unreadable(table, cached_log)
    for column, value in summarize_log(cached_log.log).items():
        stored, expected = getattr(table, column), json.loads(json.dumps(value))
        is_new = column == "result" and stored == {} and table.version == 0  # written with the first entry
        if stored != expected and not is_new:
            yield column, stored, expected
    is_finished = cached_log.match.standing.is_over or cached_log.log.is_closed
    if table.ended_at is not None and not is_finished:
        yield "ended_at", table.ended_at, None
    elif table.ended_at is None and is_finished and table.source is None:  # may be unknown if imported
        yield "ended_at", None, "a time"


def _find_unreadable(table: Table, cached_log: CachedLog) -> Iterator[tuple[str, object, object]]:
    """Yield options and entries that this version of the game would not have accepted; imports may contain some."""
    try:
        build_options(get_games()[table.game], cached_log.match.seats, table.options)
    except Malformed as error:
        yield "options", table.options, str(error)
    if table.source is None:
        for step in cached_log.match.steps:
            if step.malformed is not None and step.action.kind != EntryKind.CONFIRM:
                words = f"{step.action.kind} {dict(step.action.words)}"
                yield f"entry {step.action.number}", words, str(step.malformed)
