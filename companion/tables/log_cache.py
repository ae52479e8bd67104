"""A table's log in memory, folded once and kept up to date from the database. Nothing is written here."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from threading import Lock

from companion.core.game import Game
from companion.core.log import Entry as LogEntry
from companion.core.log import Log
from companion.core.match import Match
from companion.core.notation import options_of
from companion.core.schema import Malformed
from companion.games import get_game
from companion.tables.models import Entry, Table

MOST_KEPT = 256
"""Tables whose logs are kept folded in memory."""
MOST_ENTRIES_KEPT = 50_000
"""Entries of all of them together: at some 2 KB each, about 100 MB."""


@dataclass(frozen=True)
class Receipt:
    """Who entered an entry, when, and under which key."""

    key: str
    device: int | None
    at: datetime


@dataclass(frozen=True)
class Folded:
    """A log with the receipts of its entries."""

    log: Log
    receipts: Mapping[int, Receipt]
    numbers: Mapping[str, int]
    """Entry numbers by key."""
    options: Mapping[str, str]
    """In the words of the row: a name in them may be erased."""

    @property
    def match(self) -> Match:
        return self.log.match

    @property
    def game(self) -> Game:
        return self.match.game

    @property
    def version(self) -> int:
        return len(self.log.entries)


def folded(table: Table, seats: int) -> Folded:
    """The table's log: what is in memory, and the entries that have come since, in one query.

    Memory may know more than the row, which was read before somebody's newer entry. It holds only what was committed,
    so that is the log as well, unless a backup has been put back since.
    """
    known = _KEPT.get(table.public_id)
    if known is None:
        known = _empty(table, seats)
        _KEPT.put(table.public_id, known)
    if known.options != table.options or (known.version > table.version and not _is_stored(table, known)):
        _KEPT.drop(table.public_id)
        known = _empty(table, seats)
    if known.version < table.version:
        rows = Entry.objects.filter(table=table, number__gt=known.version, number__lte=table.version)
        known = with_rows(known, rows.order_by("number"))
        _KEPT.put(table.public_id, known)
    return known


def folded_apart(table: Table, seats: int, rows: Iterable[Entry] | None = None) -> Folded:
    """The log as the database has it (or the rows given), not kept in memory: for whoever reads many tables."""
    if rows is None:
        rows = Entry.objects.filter(table=table, number__lte=table.version).order_by("number")
    return with_rows(_empty(table, seats), rows)


def _is_stored(table: Table, known: Folded) -> bool:
    """Whether the newest entry in memory is in the database as well."""
    return Entry.objects.filter(table=table, number=known.version, key=known.receipts[known.version].key).exists()


def with_rows(known: Folded, rows: Iterable[Entry]) -> Folded:
    """The log with stored entries appended."""
    kept = list(rows)
    entries = [LogEntry(row.number, row.kind, row.words, row.round, tuple(row.overruled)) for row in kept]
    receipts = {row.number: Receipt(row.key, row.device_id, row.at) for row in kept}
    numbers = {row.key: row.number for row in kept}
    return Folded(
        known.log.extended(entries), {**known.receipts, **receipts}, {**known.numbers, **numbers}, known.options
    )


def with_receipt(known: Folded, log: Log, row: Entry) -> Folded:
    """The log after one more entry, with the receipt of the row that says so."""
    receipts = {**known.receipts, row.number: Receipt(row.key, row.device_id, row.at)}
    return Folded(log, receipts, {**known.numbers, row.key: row.number}, known.options)


def keep(table: Table, known: Folded) -> None:
    """Keeps what has just been committed, so that the next request need not read it again."""
    _KEPT.put(table.public_id, known)


def game_of(table: Table) -> Game:
    """Return the game of a table. Raises GameUnavailable."""
    return get_game(table.game)


def _empty(table: Table, seats: int) -> Folded:
    game = game_of(table)
    try:
        options = options_of(game, seats, table.options)
    except Malformed:  # stored by another version of the game: the table can still be shown
        options = game.options()
    return Folded(Log.empty(game, options, seats), {}, {}, table.options)


class _Kept:
    """The logs used last, by the table's public id."""

    def __init__(self) -> None:
        self._logs: OrderedDict[str, Folded] = OrderedDict()
        self._lock = Lock()

    def get(self, public_id: str) -> Folded | None:
        with self._lock:
            if public_id in self._logs:
                self._logs.move_to_end(public_id)
            return self._logs.get(public_id)

    def put(self, public_id: str, known: Folded) -> None:
        """Keeps a log, unless somebody was faster and a longer one is kept."""
        with self._lock:
            other = self._logs.get(public_id)
            self._logs[public_id] = other if other is not None and other.version > known.version else known
            self._logs.move_to_end(public_id)
            while len(self._logs) > MOST_KEPT or sum(log.version for log in self._logs.values()) > MOST_ENTRIES_KEPT:
                self._logs.popitem(last=False)

    def drop(self, public_id: str) -> None:
        with self._lock:
            self._logs.pop(public_id, None)


_KEPT = _Kept()
