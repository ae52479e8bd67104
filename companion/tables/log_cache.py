"""In-memory cache of judged logs, kept up to date from the database."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from threading import Lock

from companion.core.entry import Entry as LogEntry
from companion.core.game import Game
from companion.core.log import Log
from companion.core.match import Match
from companion.core.notation import build_options
from companion.core.schema import Malformed
from companion.games import get_game
from companion.tables.models import Entry, Table

MAX_CACHED_LOGS = 256
MAX_CACHED_ENTRIES = 50_000
"""In all cached logs together; at some 2 KB each, about 100 MB."""


@dataclass(frozen=True)
class EntryMeta:
    """Key, device and time of an entry."""

    key: str
    device: int | None
    at: datetime


@dataclass(frozen=True)
class CachedLog:
    """A log as judged, with the metadata of its entries."""

    log: Log
    entry_meta: Mapping[int, EntryMeta]
    """By entry number."""
    numbers: Mapping[str, int]
    """Entry numbers by key."""
    options: Mapping[str, str]
    """As stored in the row, where a name in them may be erased."""

    @property
    def match(self) -> Match:
        return self.log.match

    @property
    def game(self) -> Game:
        return self.match.game

    @property
    def version(self) -> int:
        return len(self.log.entries)

    def add_rows(self, log: Log, *rows: Entry) -> CachedLog:
        """Return the log after more entries, with the metadata of their rows."""
        entry_meta = {row.number: EntryMeta(row.key, row.device_id, row.at) for row in rows}
        numbers = {row.key: row.number for row in rows}
        return CachedLog(log, {**self.entry_meta, **entry_meta}, {**self.numbers, **numbers}, self.options)


def get_cached_log(table: Table, seats: int) -> CachedLog:
    """Return the table's log from memory, with entries recorded since added in one query.

    The cached log may be newer than the row, which was read before somebody else's entry. It holds only committed
    entries, so it is still right, unless a backup has been restored since.
    """
    cached_log = _CACHE.get(table.public_id)
    if cached_log is None:
        cached_log = _build_empty_log(table, seats)
        _CACHE.put(table.public_id, cached_log)
    is_same_table = (cached_log.match.game.slug, cached_log.options) == (table.game, table.options)
    if not is_same_table or (cached_log.version > table.version and not _is_last_entry_stored(table, cached_log)):
        _CACHE.drop(table.public_id)
        cached_log = _build_empty_log(table, seats)
    if cached_log.version < table.version:
        rows = Entry.objects.filter(table=table, number__gt=cached_log.version, number__lte=table.version)
        cached_log = append_rows(cached_log, rows.order_by("number"))
        _CACHE.put(table.public_id, cached_log)
    return cached_log


def load_log(table: Table, seats: int, rows: Iterable[Entry] | None = None) -> CachedLog:
    """Return the log from the database, or from the given rows, without caching it."""
    if rows is None:
        rows = Entry.objects.filter(table=table, number__lte=table.version).order_by("number")
    return append_rows(_build_empty_log(table, seats), rows)


def _is_last_entry_stored(table: Table, cached_log: CachedLog) -> bool:
    """Whether the newest cached entry is in the database."""
    return Entry.objects.filter(
        table=table, number=cached_log.version, key=cached_log.entry_meta[cached_log.version].key
    ).exists()


def append_rows(cached_log: CachedLog, rows: Iterable[Entry]) -> CachedLog:
    """Return the log with stored entries appended."""
    rows = list(rows)
    entries = [LogEntry(row.number, row.kind, row.words, row.round, tuple(row.overruled)) for row in rows]
    return cached_log.add_rows(cached_log.log.extend(entries), *rows)


def cache_log(table: Table, cached_log: CachedLog) -> None:
    """Cache a log that has just been committed."""
    _CACHE.put(table.public_id, cached_log)


def _build_empty_log(table: Table, seats: int) -> CachedLog:
    game = get_game(table.game)
    try:
        options = build_options(game, seats, table.options)
    except Malformed:  # stored by another version of the game; the table can still be shown
        options = game.options.cls()
    return CachedLog(Log.empty(game, options, seats), {}, {}, table.options)


class _LogCache:
    """A thread-safe LRU cache of logs by the table's public id."""

    def __init__(self) -> None:
        self._logs: OrderedDict[str, CachedLog] = OrderedDict()
        self._entries = 0
        """In all logs together."""
        self._lock = Lock()

    def get(self, public_id: str) -> CachedLog | None:
        with self._lock:
            if public_id in self._logs:
                self._logs.move_to_end(public_id)
            return self._logs.get(public_id)

    def put(self, public_id: str, cached_log: CachedLog) -> None:
        """Cache a log, unless a longer one is cached already."""
        with self._lock:
            other = self._pop(public_id)
            self._logs[public_id] = other if other is not None and other.version > cached_log.version else cached_log
            self._entries += self._logs[public_id].version
            while len(self._logs) > MAX_CACHED_LOGS or self._entries > MAX_CACHED_ENTRIES:
                self._pop(next(iter(self._logs)))

    def drop(self, public_id: str) -> None:
        with self._lock:
            self._pop(public_id)

    def _pop(self, public_id: str) -> CachedLog | None:
        cached_log = self._logs.pop(public_id, None)
        self._entries -= cached_log.version if cached_log else 0
        return cached_log


_CACHE = _LogCache()
