"""Parsed contents of an import file, independent of its format."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from companion.core.entry import Entry
from companion.core.text import Text


class BadFile(ValueError):
    """The whole file is refused; `where` is `line 12` or a path such as `tables[3].entries[17].words.card`."""

    def __init__(self, where: str, text: Text) -> None:
        super().__init__(f"{where}: {text}")
        self.where = where
        self.text = text


class SkippedTable(Exception):
    """A table of the file cannot be represented here; `text` says why."""

    def __init__(self, text: Text) -> None:
        super().__init__(str(text))
        self.text = text


@dataclass(frozen=True)
class ImportedEntry:
    """A log entry with its metadata; `device` is the label of the device, empty if unknown."""

    number: int
    kind: str
    words: Mapping[str, str]
    round: int = 0
    overruled: tuple[str, ...] = ()
    key: str = ""
    at: datetime | None = None
    """None if the file does not say."""
    device: str = ""
    game_version: int = 1

    @property
    def entry(self) -> Entry:
        return Entry(self.number, self.kind, self.words, self.round, self.overruled)


def build_count_entries(points: Iterable[tuple[int, int]], *, kind: str, version: int) -> tuple[ImportedEntry, ...]:
    """Return the log of one round of the generic game: one count per (first seat of a side, points)."""
    return tuple(
        ImportedEntry(
            number=number,
            kind="count",
            words={"seat": str(seat), "points": str(value)},
            round=1,
            key=f"{kind}-{number:05d}",
            game_version=version,
        )
        for number, (seat, value) in enumerate(points, 1)
    )


@dataclass(frozen=True)
class ImportedPlayer:
    """A player in the file; `id` is only valid within the file."""

    id: str
    name: str
    colour: int | None = None
    sign: str | None = None


@dataclass(frozen=True)
class ImportedTable:
    """A table in the file."""

    source: str
    """Id of the table in its format, the same each time the file is imported."""
    game: str | None
    """Slug, or None if the game is not installed."""
    game_name: str
    """Name of the game in the file."""
    options: Mapping[str, str]
    mode: str
    seats: tuple[str | None, ...]
    """Player ids, clockwise; None for an erased player."""
    entries: tuple[ImportedEntry, ...]
    note: str = ""
    place: str = ""
    began_at: datetime | None = None
    ended_at: datetime | None = None
    hides_counts: bool = False
    game_version: int = 1
    state: Mapping[str, Any] | None = None
    """Denormalized columns computed from the log; None until the log is judged."""


@dataclass(frozen=True)
class ImportFile:
    """A parsed and valid file; `kind` is `companion`, `notation` or `bgstats`."""

    kind: str
    players: tuple[ImportedPlayer, ...] = ()
    tables: tuple[ImportedTable, ...] = field(default=())
    skipped: tuple[tuple[str, Text], ...] = ()
    """Location and reason of each table that cannot be represented here."""
