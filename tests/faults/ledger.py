"""What the database holds after a fault, asked in plain SQL past the app, and whether it is what phones were told."""

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

FILE = "companion.sqlite3"


@dataclass(frozen=True)
class Store:
    """A data folder with the database that belongs to it: a file there, or one of a PostgreSQL."""

    data: Path
    server: Server | None = None
    name: str = NAME

    @property
    def url(self) -> str:
        return self.server.url(self.name) if self.server else ""

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        if self.server:
            return [tuple(row) for row in self.server.rows(query, self.name)]
        with closing(sqlite3.connect(self.data / FILE, timeout=60)) as connection:
            return connection.execute(query).fetchall()

    def assert_sound(self) -> None:
        if self.server is None:
            assert self.rows("PRAGMA integrity_check") == [("ok",)]
            assert self.rows("PRAGMA foreign_key_check") == []


@dataclass(frozen=True)
class Line:
    """An entry as it is stored; the key is that of the form."""

    number: int
    key: str
    round: int
    seat: int
    points: int


def log_of(store: Store, table: str) -> list[Line]:
    """The stored log of the table at an address, after whose row, which is a copy of it, it must agree."""
    public_id = table.strip("/").split("/")[-1]
    ((pk, version, result),) = store.rows(
        f"SELECT id, version, result FROM tables_table WHERE public_id = '{public_id}'"
    )
    found = store.rows(f"SELECT number, key, round, words FROM tables_entry WHERE table_id = {pk} ORDER BY number")
    lines = [_line(*row) for row in found]
    assert version == len(lines)
    assert not lines or _read(result)["totals"] == _totals(lines, len(_read(result)["totals"]))
    return lines


def _totals(lines: Sequence[Line], seats: int) -> list[int]:
    """By seat, of the rounds that all have filled in."""
    filled = Counter(line.round for line in lines)
    whole = [line for line in lines if filled[line.round] == seats]
    return [sum(line.points for line in whole if line.seat == seat) for seat in range(seats)]


def _line(number: int, key: str, played: int, words: Any) -> Line:
    said = _read(words)
    return Line(number, key.partition(".")[0], played, int(said["seat"]), int(said["points"]))


def _read(stored: Any) -> Any:
    """JSON, as SQLite gives it and as PostgreSQL does."""
    return json.loads(stored) if isinstance(stored, str) else stored


@dataclass(frozen=True)
class Counts:
    """What a history came to."""

    acknowledged: int = 0
    unanswered: int = 0
    """Stored, and nobody was told before it was asked again."""
    refused: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.acknowledged + other.acknowledged, self.unanswered + other.unanswered, self.refused + other.refused
        )


def checked(lines: Sequence[Line], writers: Iterable[Writer]) -> Counts:
    """That the log is what the phones were told: nothing lost, nothing twice, nothing that nobody sent, in order."""
    assert [line.number for line in lines] == list(range(1, len(lines) + 1)), "numbers with gaps"
    by_key = {line.key: line for line in lines}
    assert len(by_key) == len(lines), "something is there twice"
    sent = {own.key: own for writer in writers for own in writer.attempts}
    assert by_key.keys() <= sent.keys(), "nobody sent this"
    assert all(sent[line.key].value == line.points for line in lines)
    return sum((_checked_of_one(by_key, writer) for writer in writers), Counts())


def _checked_of_one(by_key: dict[str, Line], writer: Writer) -> Counts:
    told = list({own.key: own for own in writer.acknowledged}.values())
    lost = [own.key for own in told if own.key not in by_key]
    assert not lost, f"lost: {lost}"
    numbers = [by_key[own.key].number for own in told]
    assert numbers == sorted(numbers), "not in the order of sending"
    assert all(own.version >= number for own, number in zip(told, numbers, strict=True))
    refused = {own.key for own in writer.attempts if own.status >= 400 and own.is_answered} - {own.key for own in told}
    assert not refused & by_key.keys(), "refused, and there"
    unanswered = {own.key for own in writer.attempts if not own.is_answered} & by_key.keys()
    return Counts(len(told), len(unanswered), len(refused))
