"""Every log folded anew and compared with what is kept beside it; nothing is written, and no statistics are read."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import Any

from django.db.models import Max, Min, QuerySet

from companion.core.errors import Malformed
from companion.core.match import CONFIRM
from companion.core.notation import build_options
from companion.games import get_broken_games, get_games
from companion.tables.log_cache import CachedLog, get_table_game, load_log
from companion.tables.models import Entry, Seat, Table
from companion.tables.services.entries import summarize_log

BATCH_SIZE = 100
"""Tables whose entries are read together."""
MAX_CHECKS = 3
"""How often a table at which somebody is just playing is read again before it is said to be wrong."""


@dataclass(frozen=True)
class Difference:
    """What is kept of a table, and what its log says instead."""

    table: str
    """Its public id."""
    column: str
    kept: object
    told: object


@dataclass(frozen=True)
class TableCheck:
    """A table with its seats and its log, if that could be folded, and all that differs."""

    table: Table
    seats: tuple[Seat, ...]
    cached_log: CachedLog | None
    differences: tuple[Difference, ...]


def check_tables(tables: QuerySet[Table]) -> Iterator[TableCheck]:
    """The tables one after the other, by their numbers."""
    last = 0
    while batch := list(tables.filter(pk__gt=last).order_by("pk")[:BATCH_SIZE]):
        last = batch[-1].pk
        for found in _check_batch(batch):
            yield _recheck(found) if found.differences else found


def check_sample(count: int) -> list[Difference]:
    """What differs at some tables: half of them the newest, the others by chance. For a quick look, again and again."""
    ends = Table.objects.aggregate(first=Min("pk"), last=Max("pk"))
    if ends["first"] is None:
        return []
    newest = list(Table.objects.order_by("-pk").values_list("pk", flat=True)[: (count + 1) // 2])
    drawn = [random.randint(ends["first"], ends["last"]) for _table in range(count // 2)]
    others = [Table.objects.filter(pk__gte=pk).order_by("pk").values_list("pk", flat=True).first() for pk in drawn]
    tables = Table.objects.filter(pk__in=[*newest, *others])
    return [difference for found in check_tables(tables) for difference in found.differences]


def _check_batch(tables: Sequence[Table]) -> Iterator[TableCheck]:
    rows = Entry.objects.filter(table__in=tables).order_by("table", "number")
    entries = {pk: list(own) for pk, own in groupby(rows, attrgetter("table_id"))}
    places = Seat.objects.filter(table__in=tables).order_by("table", "number")
    seats = {pk: tuple(own) for pk, own in groupby(places, attrgetter("table_id"))}
    for table in tables:
        yield _check_table(table, seats.get(table.pk, ()), entries.get(table.pk, []))


def _recheck(found: TableCheck) -> TableCheck:
    """The same table as it is now: an entry may have come between its row and its log."""
    for _look in range(MAX_CHECKS):
        table = Table.objects.filter(pk=found.table.pk).first()
        if table is None or not found.differences:
            return TableCheck(found.table, found.seats, found.cached_log, ())
        found = next(_check_batch([table]))
    return found


def _check_table(table: Table, seats: tuple[Seat, ...], entries: Sequence[Entry]) -> TableCheck:
    differences = [Difference(table.public_id, *words) for words in _compare_rows(table, seats, entries)]
    if table.game in get_broken_games():  # named by the doctor; the log waits until it can be loaded again
        return TableCheck(table, seats, None, tuple(differences))
    try:
        cached_log = load_log(table, len(seats), entries)
        pairs = [*_compare_summary(table, cached_log)]
    except Exception as error:  # whatever it is, it is what is looked for
        cached_log, pairs = None, [("log", f"{len(entries)} entries", f"{type(error).__name__}: {error}")]
    differences += [Difference(table.public_id, *words) for words in pairs]
    return TableCheck(table, seats, cached_log, tuple(differences))


def _compare_rows(
    table: Table, seats: Sequence[Seat], entries: Sequence[Entry]
) -> Iterator[tuple[str, object, object]]:
    """Column, what is kept, and what should be: numbers from 1 without a gap, each key once."""
    numbers, keys = [row.number for row in entries], [row.key for row in entries]
    if numbers != list(range(1, len(entries) + 1)):
        missing = next(n for n, number in enumerate([*numbers, None], 1) if n != number)
        yield "number", f"no entry {missing}", f"1 to {len(entries)}"
    if table.version != len(entries):
        yield "version", table.version, len(entries)
    if len(set(keys)) < len(keys):
        yield "key", len(keys), len(set(keys))
    if [seat.number for seat in seats] != list(range(len(seats))) or not seats:
        yield "seats", [seat.number for seat in seats], list(range(len(seats)))


def _compare_summary(table: Table, cached_log: CachedLog) -> Iterator[tuple[str, object, object]]:
    """The same of the columns that are copies of what the log says."""
    if table.game_version == get_table_game(table).version:
        yield from _find_unreadable(table, cached_log)
    for column, told in summarize_log(cached_log.log).items():
        kept, wanted = getattr(table, column), _normalize_json(told)
        is_new = column == "result" and kept == {} and table.version == 0  # written with the first entry
        if kept != wanted and not is_new:
            yield column, kept, wanted
    is_finished = cached_log.match.standing.is_over or cached_log.log.is_closed
    if table.ended_at is not None and not is_finished:
        yield "ended_at", table.ended_at, None
    elif table.ended_at is None and is_finished and table.source is None:  # of a file it may not be cached_log
        yield "ended_at", None, "a time"


def _find_unreadable(table: Table, cached_log: CachedLog) -> Iterator[tuple[str, object, object]]:
    """Options and entries that the game of this version would not have let in; a file may have brought such entries."""
    try:
        build_options(get_games()[table.game], cached_log.match.seats, table.options)
    except Malformed as error:
        yield "options", table.options, str(error)
    if table.source is None:
        for step in cached_log.match.steps:
            if step.malformed is not None and step.action.kind != CONFIRM:
                yield (
                    f"entry {step.action.number}",
                    f"{step.action.kind} {dict(step.action.words)}",
                    str(step.malformed),
                )


def _normalize_json(value: Any) -> Any:
    return json.loads(json.dumps(value))
