"""Stored data after a fault, read with plain SQL and checked against the responses."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.faults.phones import Writer
from tests.postgresql import NAME, Server

DATABASE_FILE = "companion.sqlite3"


@dataclass(frozen=True)
class Store:
    """A data folder and its database, an SQLite file in it or a PostgreSQL database."""

    data: Path
    server: Server | None = None
    name: str = NAME

    @property
    def url(self) -> str:
        return self.server.url(self.name) if self.server else ""

    def query(self, sql: str) -> list[tuple[Any, ...]]:
        if self.server:
            return [tuple(row) for row in self.server.query(sql, self.name)]
        with closing(sqlite3.connect(self.data / DATABASE_FILE, timeout=60)) as connection:
            return connection.execute(sql).fetchall()

    def assert_sound(self) -> None:
        if self.server is None:
            assert self.query("PRAGMA integrity_check") == [("ok",)]
            assert self.query("PRAGMA foreign_key_check") == []


@dataclass(frozen=True)
class StoredEntry:
    """A row of the entry table, with the key of the form."""

    number: int
    key: str
    round: int
    seat: int
    points: int


def read_stored_log(store: Store, table: str) -> list[StoredEntry]:
    """Return the stored log of the table at a URL; assert that it agrees with the row of the table."""
    public_id = table.strip("/").split("/")[-1]
    ((pk, version, result),) = store.query(
        f"SELECT id, version, result FROM tables_table WHERE public_id = '{public_id}'"
    )
    rows = store.query(f"SELECT number, key, round, words FROM tables_entry WHERE table_id = {pk} ORDER BY number")
    entries = [_parse_row(*row) for row in rows]
    assert version == len(entries)
    if entries:
        totals = _read_json(result)["totals"]
        assert totals == _sum_complete_rounds(entries, len(totals))
    return entries


def _sum_complete_rounds(entries: Sequence[StoredEntry], seats: int) -> list[int]:
    """Return the totals by seat of the complete rounds."""
    filled = Counter(entry.round for entry in entries)
    complete = [entry for entry in entries if filled[entry.round] == seats]
    return [sum(entry.points for entry in complete if entry.seat == seat) for seat in range(seats)]


def _parse_row(number: int, key: str, round_number: int, words: Any) -> StoredEntry:
    fields = _read_json(words)
    return StoredEntry(number, key.partition(".")[0], round_number, int(fields["seat"]), int(fields["points"]))


def _read_json(stored: Any) -> Any:
    """Decode JSON, which SQLite returns as text."""
    return json.loads(stored) if isinstance(stored, str) else stored


@dataclass(frozen=True)
class HistoryCounts:
    """Number of entries by outcome."""

    acknowledged: int = 0
    unanswered: int = 0
    """Stored although the first attempt had no answer."""
    refused: int = 0

    def __add__(self, other: HistoryCounts) -> HistoryCounts:
        return HistoryCounts(
            self.acknowledged + other.acknowledged, self.unanswered + other.unanswered, self.refused + other.refused
        )


def check_history(entries: Sequence[StoredEntry], writers: Iterable[Writer]) -> HistoryCounts:
    """Assert that the log agrees with the responses: nothing lost, doubled, invented or out of order."""
    assert [entry.number for entry in entries] == list(range(1, len(entries) + 1)), "numbers with gaps"
    by_key = {entry.key: entry for entry in entries}
    assert len(by_key) == len(entries), "duplicate entries"
    sent = {attempt.key: attempt for writer in writers for attempt in writer.attempts}
    assert by_key.keys() <= sent.keys(), "an entry that nobody sent"
    assert all(sent[entry.key].value == entry.points for entry in entries)
    return sum((_check_writer(by_key, writer) for writer in writers), HistoryCounts())


def _check_writer(by_key: dict[str, StoredEntry], writer: Writer) -> HistoryCounts:
    acknowledged = list({attempt.key: attempt for attempt in writer.acknowledged}.values())
    lost = [attempt.key for attempt in acknowledged if attempt.key not in by_key]
    assert not lost, f"lost: {lost}"
    numbers = [by_key[attempt.key].number for attempt in acknowledged]
    assert numbers == sorted(numbers), "not in the order of sending"
    assert all(attempt.version >= number for attempt, number in zip(acknowledged, numbers, strict=True))
    refused = {attempt.key for attempt in writer.attempts if attempt.status >= 400 and attempt.is_answered}
    refused -= {attempt.key for attempt in acknowledged}
    assert not refused & by_key.keys(), "refused, but stored"
    unanswered = {attempt.key for attempt in writer.attempts if not attempt.is_answered} & by_key.keys()
    return HistoryCounts(len(acknowledged), len(unanswered), len(refused))
