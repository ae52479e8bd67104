"""Parsed contents of an import file, independent of its format, and their state."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Self

from django.utils import timezone

from companion import limits
from companion.core import refusals
from companion.core.entry import Entry
from companion.core.errors import Malformed
from companion.core.game import Game
from companion.core.log import Log
from companion.core.notation import build_options
from companion.core.text import Text, _
from companion.games import get_game, get_generic_game
from companion.tables.services.entries import summarize_log

_LINE = re.compile(r"line ([0-9]{1,9})")


class BadFile(ValueError):
    """The whole file is refused; `where` is `line 12` or a path such as `tables[3].entries[17].words.card`."""

    def __init__(self, where: str, text: Text) -> None:
        super().__init__(f"{where}: {text}")
        self.where = where
        self.text = text

    @property
    def location(self) -> Text:
        return format_location(self.where)


def format_location(where: str) -> Text:
    line = _LINE.fullmatch(where)
    return _("Line {n}", n=int(line[1])) if line else Text("{location}", (("location", where),))


class SkippedTable(Malformed):
    """A table of the file cannot be represented here; `text` says why."""


def check_seat_count(count: int) -> None:
    """Check that the generic game has enough seats. Raises SkippedTable."""
    most = get_generic_game().about.seats[-1]
    if count > most:
        raise SkippedTable(refusals.TOO_MANY_PLAYERS.with_values(n=most))


def truncate(text: str, max_length: int) -> str:
    text = text.strip()
    return text if len(text) <= max_length else text[: max_length - 1].rstrip() + "…"


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


def build_count_entries(points: Iterable[tuple[int, int]], *, kind: str) -> tuple[ImportedEntry, ...]:
    """Return the log of one round of the generic game: one count per (first seat of a side, points)."""
    return tuple(
        ImportedEntry(
            number=number,
            kind="count",
            words={"seat": str(seat), "points": str(value)},
            round=1,
            key=f"{kind}-{number:05d}",
            game_version=get_generic_game().about.version,
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
    """A table in the file; one of a game that is not installed becomes one of the generic game."""

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
    began_at: datetime = field(default_factory=timezone.now)
    ended_at: datetime | None = None
    hides_counts: bool = False
    game_version: int = 1
    state: Mapping[str, Any] | None = None
    """Denormalized columns computed from the log; None until the log is judged."""

    @property
    def game_record(self) -> Game:
        return get_game(self.game) if self.game else get_generic_game()

    def judge(self) -> Self:
        """Return the table with its state, under the game name of the file, unless it has one already."""
        if self.state is not None:
            return self
        return replace(self, state=self._fold_state(self.build_options(self.game_name)))

    def get_state(self, options: dict[str, str]) -> Mapping[str, Any]:
        """Return the denormalized columns under these options.

        The name of a generic game changes no score, so the log is folded again only if the set of options differs.
        """
        if self.state is not None and options.keys() == self.build_options(self.game_name).keys():
            return self.state
        return self._fold_state(options)

    def _fold_state(self, options: Mapping[str, str]) -> dict[str, Any]:
        game, seats = self.game_record, len(self.seats)
        try:
            parsed_options = build_options(game, seats, options)
        except Malformed:  # options of another version
            parsed_options = game.options.cls()
        log = Log.empty(game, parsed_options, seats).extend([entry.entry for entry in self.entries])
        return summarize_log(log)

    def build_options(self, name: str) -> dict[str, str]:
        """Return the options of the file; the generic game gets the given name."""
        if self.game:
            return dict(self.options)
        options = {**self.options, "name": truncate(name, limits.MAX_NAME_LENGTH)}
        try:
            build_options(self.game_record, len(self.seats), options)
        except Malformed:  # options of a game that is not installed
            return {"name": options["name"]}
        return options


@dataclass(frozen=True)
class ImportFile:
    """A parsed and valid file; `kind` is `companion`, `notation` or `bgstats`."""

    kind: str
    players: tuple[ImportedPlayer, ...] = ()
    tables: tuple[ImportedTable, ...] = field(default=())
    skipped: tuple[tuple[str, Text], ...] = ()
    """Location and reason of each table that cannot be represented here."""
