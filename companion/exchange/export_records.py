"""Tables as they go out: all about each, read from the database a few at a time. No format is known here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from itertools import groupby
from operator import attrgetter
from typing import TypeVar
from uuid import UUID, uuid5

from django.db.models import QuerySet

from companion.core.game import Game
from companion.core.log import Log
from companion.core.match import Match
from companion.core.text import Text
from companion.exchange.import_data import ImportedEntry
from companion.games import get_games
from companion.people.models import Circle, Player
from companion.tables.log_cache import load_log
from companion.tables.models import Entry, Seat, Table
from companion.tables.services.details import get_duration
from companion.tables.visibility import find_concealed_entries

Row = TypeVar("Row", Seat, Entry)
UUID_NAMESPACE = UUID("6f2b2f0e-7c1d-5d55-9d0a-2f6a3c1e8b47")
"""Of all ids that last: the same player and the same table have the same ones in every file."""
TABLES_PER_CHUNK = 100
ENTRIES_PER_CHUNK = 5_000
"""Read in one go, however many there are in all."""


@dataclass(frozen=True)
class ExportedPlayer:
    """Who sat at a table; of somebody who has been erased only the seat is left."""

    uid: str
    name: str
    seat: int
    colour: int = 0
    sign: str = ""


@dataclass(frozen=True)
class TableRecord:
    """All of one table that goes out."""

    public_id: str
    game_version: int
    options: Mapping[str, str]
    way: str
    note: str
    place: str
    began_at: datetime
    ended_at: datetime | None
    minutes: int | None
    hides_counts: bool
    seats: tuple[ExportedPlayer, ...]
    entries: tuple[ImportedEntry, ...]
    log: Log

    @property
    def uid(self) -> str:
        return make_table_uid(self.public_id)

    @property
    def match(self) -> Match:
        return self.log.match

    @property
    def game(self) -> Game:
        return self.match.game

    @property
    def called(self) -> Text:
        """What is played: the title, or the name that the table has given to it."""
        return self.game.get_table_title(self.match.options)

    @property
    def is_over(self) -> bool:
        return self.match.standing.is_over

    @property
    def is_closed(self) -> bool:
        return self.log.is_closed

    @property
    def is_finished(self) -> bool:
        """Whether it ended, with a result."""
        return (self.is_over or self.is_closed) and bool(self.match.finished_rounds)

    @cached_property
    def sides(self) -> tuple[tuple[int, ...], ...]:
        return self.game.sides(self.match.options, self.match.seats)

    def side_of(self, seat: int) -> int:
        return next(index for index, side in enumerate(self.sides) if seat in side)

    def total(self, seat: int) -> int:
        return self.match.standing.totals[self.side_of(seat)]

    def rank(self, seat: int) -> int:
        """From 1; 0 where nobody is ranked."""
        ranks = self.match.standing.ranks
        return ranks[self.side_of(seat)] if ranks else 0

    def has_won(self, seat: int) -> bool:
        """Everybody in the first place has; at a table that plays together, everybody or nobody."""
        if not self.is_finished:
            return False
        if self.game.is_won_together:
            return self.game.is_won_together(self.match.options, self.match.standing)
        return self.rank(seat) == 1

    @property
    def uses_teams(self) -> bool:
        return len(self.sides) > 1 and any(len(side) > 1 for side in self.sides)

    @property
    def is_cooperative(self) -> bool:
        return len(self.sides) == 1 and self.match.seats > 1


def iter_records(tables: QuerySet[Table]) -> Iterator[TableRecord]:
    """The tables in their order, without those whose counts are still a secret, or whose game is gone.

    No query stays open between two of them: whoever downloads slowly must not keep others from writing.
    """
    for numbers in _iter_chunks(tables):
        beside = {"table__in": numbers}
        found = {table.pk: table for table in Table.objects.filter(pk__in=numbers).select_related("circle", "place")}
        seats = _group_by_table(Seat.objects.filter(**beside).select_related("player").order_by("table", "number"))
        entries = _group_by_table(Entry.objects.filter(**beside).select_related("device").order_by("table", "number"))
        for number in numbers:
            table = found.pop(number, None)
            if table is not None and table.game in get_games():
                record = _build_record(table, seats.pop(number, []), entries.pop(number, []))
                if not has_concealed_counts(record):
                    yield record


def _group_by_table(rows: QuerySet[Row]) -> dict[int, list[Row]]:
    """What belongs to each table; fetched beside them, for what is prefetched holds on to its table for long."""
    return {number: list(own) for number, own in groupby(rows, attrgetter("table_id"))}


def _build_record(table: Table, seats: Sequence[Seat], entries: Sequence[Entry]) -> TableRecord:
    return TableRecord(
        public_id=table.public_id,
        game_version=table.game_version,
        options=table.options,
        way=table.mode,
        note=table.note,
        place=table.place.name if table.place else "",
        began_at=table.began_at,
        ended_at=table.ended_at,
        minutes=get_duration(table),
        hides_counts=table.hides_counts,
        seats=tuple(_build_seat(table.circle, seat) for seat in seats),
        entries=tuple(map(_build_entry, entries)),
        log=load_log(table, len(seats), entries).log,
    )


def get_record(tables: QuerySet[Table]) -> TableRecord | None:
    """Of the first of the tables that may leave, if there is one."""
    return next(iter_records(tables), None)


def has_concealed_counts(record: TableRecord) -> bool:
    """Whether somebody has counted, and the others are not to see it before the round is whole."""
    return record.hides_counts and bool(find_concealed_entries(record.log))


def make_player_uid(circle: Circle, player: Player) -> str:
    """Two machines have different circles of the same number: when it was founded tells them apart."""
    return str(uuid5(UUID_NAMESPACE, f"{circle.created_at.isoformat()} {circle.pk} {player.pk}"))


def make_table_uid(public_id: str) -> str:
    return str(uuid5(UUID_NAMESPACE, public_id))


def _iter_chunks(tables: QuerySet[Table]) -> Iterator[list[int]]:
    """The numbers of the tables, in lists of as many as are read at once."""
    chunk: list[int] = []
    entries = 0
    for number, version in list(tables.values_list("pk", "version")):
        if chunk and (len(chunk) == TABLES_PER_CHUNK or entries + version > ENTRIES_PER_CHUNK):
            yield chunk
            chunk, entries = [], 0
        chunk.append(number)
        entries += version
    if chunk:
        yield chunk


def build_player(circle: Circle, player: Player, seat: int = 0) -> ExportedPlayer:
    return ExportedPlayer(make_player_uid(circle, player), player.name, seat, player.colour, player.sign)


def _build_seat(circle: Circle, seat: Seat) -> ExportedPlayer:
    player = seat.player
    if player is None:
        return ExportedPlayer("", "", seat.number)
    return build_player(circle, player, seat.number)


def _build_entry(row: Entry) -> ImportedEntry:
    return ImportedEntry(
        number=row.number,
        kind=row.kind,
        words=row.words,
        round=row.round,
        overruled=tuple(row.overruled),
        key=row.key,
        at=row.at,
        who=row.device.label if row.device else "",
        game_version=row.game_version,
    )
