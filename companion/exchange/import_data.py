"""What a file brings, whatever wrote it: people, and tables with their entries. Taking it in is left to others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from companion.core.log import Entry
from companion.core.text import Text


class BadFile(ValueError):
    """A file that is refused as a whole: `where` is `line 12`, or a path such as `tables[3].entries[17].words.card`."""

    def __init__(self, where: str, text: Text) -> None:
        super().__init__(f"{where}: {text}")
        self.where = where
        self.text = text


class SkippedTable(Exception):
    """A table of a file that no table here could hold, and why."""

    def __init__(self, text: Text) -> None:
        super().__init__(str(text))
        self.text = text


@dataclass(frozen=True)
class ImportedEntry:
    """An entry of a log with all that is kept beside it; `who` is the name of the device, empty where nobody knows."""

    number: int
    kind: str
    words: Mapping[str, str]
    round: int = 0
    overruled: tuple[str, ...] = ()
    key: str = ""
    at: datetime | None = None
    """None where the file does not say."""
    who: str = ""
    game_version: int = 1

    @property
    def entry(self) -> Entry:
        return Entry(self.number, self.kind, self.words, self.round, self.overruled)


def build_count_entries(points: Iterable[tuple[int, int]], *, kind: str, version: int) -> tuple[ImportedEntry, ...]:
    """The log of one round on the sheet for any game: a count a side, which its first seat stands for."""
    return tuple(
        ImportedEntry(
            number=number,
            kind="count",
            words={"seat": str(seat), "points": str(own)},
            round=1,
            key=f"{kind}-{number:05d}",
            game_version=version,
        )
        for number, (seat, own) in enumerate(points, 1)
    )


@dataclass(frozen=True)
class ImportedPlayer:
    """Somebody in a file, under an id of the file; without colour and sign where it has none."""

    id: str
    name: str
    colour: int | None = None
    sign: str | None = None


@dataclass(frozen=True)
class ImportedTable:
    """A table in a file."""

    source: str
    """What it is called there, and will be when the file comes again: unique within its kind of file."""
    game: str | None
    """The slug; None where there is no such game here."""
    game_name: str
    """As the file calls it."""
    options: Mapping[str, str]
    way: str
    seats: tuple[str | None, ...]
    """The ids of people, clockwise; None for somebody who has been erased."""
    entries: tuple[ImportedEntry, ...]
    note: str = ""
    place: str = ""
    began_at: datetime | None = None
    ended_at: datetime | None = None
    hides_counts: bool = False
    game_version: int = 1
    state: Mapping[str, Any] | None = None
    """The columns that lists read, folded out of the log; None until it is judged."""


@dataclass(frozen=True)
class ImportFile:
    """A whole file that has been read without objection; `kind` is `companion`, `notation` or `bgstats`."""

    kind: str
    people: tuple[ImportedPlayer, ...] = ()
    sittings: tuple[ImportedTable, ...] = field(default=())
    left_out: tuple[tuple[str, Text], ...] = ()
    """Where in the file something stands that no table here could hold, and why."""
