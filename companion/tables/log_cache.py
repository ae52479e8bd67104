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
from companion.core.notation import build_options
from companion.core.schema import Malformed
from companion.games import get_game
from companion.tables.models import Entry, Table

MAX_CACHED_LOGS = 256
"""Tables whose logs are kept folded in memory."""
MAX_CACHED_ENTRIES = 50_000
"""Entries of all of them together: at some 2 KB each, about 100 MB."""


@dataclass(frozen=True)
class EntryMeta:
    """Who entered an entry, when, and under which key."""

    key: str
    device: int | None
    at: datetime


@dataclass(frozen=True)
class CachedLog:
    """A log with the entry_meta of its entries."""

    log: Log
    entry_meta: Mapping[int, EntryMeta]
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


def get_cached_log(table: Table, seats: int) -> CachedLog:
    """The table's log: what is in memory, and the entries that have come since, in one query.

    Memory may know more than the row, which was read before somebody's newer entry. It holds only what was committed,
    so that is the log as well, unless a backup has been put back since.
    """
    cached_log = _CACHE.get(table.public_id)
    if cached_log is None:
        cached_log = _build_empty_log(table, seats)
        _CACHE.put(table.public_id, cached_log)
    if cached_log.options != table.options or (
        cached_log.version > table.version and not _is_last_entry_stored(table, cached_log)
    ):
        _CACHE.drop(table.public_id)
        cached_log = _build_empty_log(table, seats)
    if cached_log.version < table.version:
        rows = Entry.objects.filter(table=table, number__gt=cached_log.version, number__lte=table.version)
        cached_log = append_rows(cached_log, rows.order_by("number"))
        _CACHE.put(table.public_id, cached_log)
    return cached_log


def load_log(table: Table, seats: int, rows: Iterable[Entry] | None = None) -> CachedLog:
    """The log as the database has it (or the rows given), not kept in memory: for whoever reads many tables."""
    if rows is None:
        rows = Entry.objects.filter(table=table, number__lte=table.version).order_by("number")
    return append_rows(_build_empty_log(table, seats), rows)


def _is_last_entry_stored(table: Table, cached_log: CachedLog) -> bool:
    """Whether the newest entry in memory is in the database as well."""
    return Entry.objects.filter(
        table=table, number=cached_log.version, key=cached_log.entry_meta[cached_log.version].key
    ).exists()


def append_rows(cached_log: CachedLog, rows: Iterable[Entry]) -> CachedLog:
    """The log with stored entries appended."""
    kept = list(rows)
    entries = [LogEntry(row.number, row.kind, row.words, row.round, tuple(row.overruled)) for row in kept]
    entry_meta = {row.number: EntryMeta(row.key, row.device_id, row.at) for row in kept}
    numbers = {row.key: row.number for row in kept}
    return CachedLog(
        cached_log.log.extend(entries),
        {**cached_log.entry_meta, **entry_meta},
        {**cached_log.numbers, **numbers},
        cached_log.options,
    )


def append_entry(cached_log: CachedLog, log: Log, row: Entry) -> CachedLog:
    """The log after one more entry, with the meta of the row that says so."""
    entry_meta = {**cached_log.entry_meta, row.number: EntryMeta(row.key, row.device_id, row.at)}
    return CachedLog(log, entry_meta, {**cached_log.numbers, row.key: row.number}, cached_log.options)


def cache_log(table: Table, cached_log: CachedLog) -> None:
    """Keeps what has just been committed, so that the next request need not read it again."""
    _CACHE.put(table.public_id, cached_log)


def get_table_game(table: Table) -> Game:
    """Return the game of a table. Raises GameUnavailable."""
    return get_game(table.game)


def _build_empty_log(table: Table, seats: int) -> CachedLog:
    game = get_table_game(table)
    try:
        options = build_options(game, seats, table.options)
    except Malformed:  # stored by another version of the game: the table can still be shown
        options = game.options()
    return CachedLog(Log.empty(game, options, seats), {}, {}, table.options)


class _LogCache:
    """The logs used last, by the table's public id."""

    def __init__(self) -> None:
        self._logs: OrderedDict[str, CachedLog] = OrderedDict()
        self._lock = Lock()

    def get(self, public_id: str) -> CachedLog | None:
        with self._lock:
            if public_id in self._logs:
                self._logs.move_to_end(public_id)
            return self._logs.get(public_id)

    def put(self, public_id: str, cached_log: CachedLog) -> None:
        """Keeps a log, unless somebody was faster and a longer one is kept."""
        with self._lock:
            other = self._logs.get(public_id)
            self._logs[public_id] = other if other is not None and other.version > cached_log.version else cached_log
            self._logs.move_to_end(public_id)
            while (
                len(self._logs) > MAX_CACHED_LOGS
                or sum(log.version for log in self._logs.values()) > MAX_CACHED_ENTRIES
            ):
                self._logs.popitem(last=False)

    def drop(self, public_id: str) -> None:
        with self._lock:
            self._logs.pop(public_id, None)


_CACHE = _LogCache()
