"""Records of tables for export, loaded in chunks."""

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
from companion.exchange.batches import iter_batches
from companion.exchange.import_data import ImportedEntry
from companion.games import get_games
from companion.people.models import Circle, Player
from companion.tables.log_cache import load_log
from companion.tables.models import Entry, Seat, Table
from companion.tables.services.details import get_duration
from companion.tables.visibility import find_concealed_entries

Row = TypeVar("Row", Seat, Entry)
UUID_NAMESPACE = UUID("6f2b2f0e-7c1d-5d55-9d0a-2f6a3c1e8b47")
"""Namespace of the UUIDs by which players and tables are the same in every file."""
TABLES_PER_CHUNK = 100
ENTRIES_PER_CHUNK = 5_000


@dataclass(frozen=True)
class ExportedPlayer:
    """A player at a table; of an erased player only the seat is left."""

    uid: str
    name: str
    seat: int
    colour: int = 0
    sign: str = ""


@dataclass(frozen=True)
class TableRecord:
    """Everything about a table that is exported."""

    public_id: str
    game_version: int
    options: Mapping[str, str]
    mode: str
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
    def game_name(self) -> Text:
        """The title of the game, or the name that the table has given it."""
        return self.game.get_table_title(self.match.options)

    @property
    def has_ended(self) -> bool:
        return self.match.standing.is_over or self.log.is_closed

    @property
    def is_finished(self) -> bool:
        """Whether the table ended with a result."""
        return self.has_ended and bool(self.match.finished_rounds)

    @cached_property
    def sides(self) -> tuple[tuple[int, ...], ...]:
        return self.game.scoring.sides(self.match.options, self.match.seats)

    def get_side(self, seat: int) -> int:
        return next(index for index, side in enumerate(self.sides) if seat in side)

    def get_total(self, seat: int) -> int:
        return self.match.standing.totals[self.get_side(seat)]

    def get_rank(self, seat: int) -> int:
        """Return the rank, from 1; 0 if nobody is ranked."""
        ranks = self.match.standing.ranks
        return ranks[self.get_side(seat)] if ranks else 0

    def has_won(self, seat: int) -> bool:
        """Everybody in the first place has; at a table that plays together, everybody or nobody."""
        if not self.is_finished:
            return False
        if self.game.scoring.is_won_together:
            return self.game.scoring.is_won_together(self.match.options, self.match.standing)
        return self.get_rank(seat) == 1

    @property
    def uses_teams(self) -> bool:
        return len(self.sides) > 1 and any(len(side) > 1 for side in self.sides)

    @property
    def is_cooperative(self) -> bool:
        return len(self.sides) == 1 and self.match.seats > 1


def iter_records(tables: QuerySet[Table]) -> Iterator[TableRecord]:
    """Yield the records of the tables in order, except those with concealed counts and those whose game is gone.

    No query stays open between two records, so that a slow download does not block writers.
    """
    versions = dict(tables.values_list("pk", "version"))
    for table_ids in iter_batches(
        versions, versions.__getitem__, max_items=TABLES_PER_CHUNK, max_size=ENTRIES_PER_CHUNK
    ):
        of_tables = {"table__in": table_ids}
        table_by_id = {
            table.pk: table for table in Table.objects.filter(pk__in=table_ids).select_related("circle", "place")
        }
        seats = _group_by_table(Seat.objects.filter(**of_tables).select_related("player").order_by("table", "number"))
        entries = _group_by_table(
            Entry.objects.filter(**of_tables).select_related("device").order_by("table", "number")
        )
        for table_id in table_ids:
            table = table_by_id.pop(table_id, None)
            if table is not None and table.game in get_games():
                record = _build_record(table, seats.pop(table_id, []), entries.pop(table_id, []))
                if not has_concealed_counts(record):
                    yield record


def _group_by_table(rows: QuerySet[Row]) -> dict[int, list[Row]]:
    """Group rows by table. Prefetched rows would keep their table in memory."""
    return {table_id: list(group) for table_id, group in groupby(rows, attrgetter("table_id"))}


def _build_record(table: Table, seats: Sequence[Seat], entries: Sequence[Entry]) -> TableRecord:
    return TableRecord(
        public_id=table.public_id,
        game_version=table.game_version,
        options=table.options,
        mode=table.mode,
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
    """Return the record of the first table that may be exported, if any."""
    return next(iter_records(tables), None)


def has_concealed_counts(record: TableRecord) -> bool:
    """Return whether counts are concealed from the other seats until the round is complete."""
    return record.hides_counts and bool(find_concealed_entries(record.log))


def make_player_uid(circle: Circle, player: Player) -> str:
    """Return a UUID that differs between servers; the circle's creation time tells equal ids apart."""
    return str(uuid5(UUID_NAMESPACE, f"{circle.created_at.isoformat()} {circle.pk} {player.pk}"))


def make_table_uid(public_id: str) -> str:
    return str(uuid5(UUID_NAMESPACE, public_id))


def build_player(circle: Circle, player: Player, seat: int = 0) -> ExportedPlayer:
    return ExportedPlayer(make_player_uid(circle, player), player.name, seat, player.colour, player.sign)


def _build_seat(circle: Circle, seat: Seat) -> ExportedPlayer:
    return build_player(circle, seat.player, seat.number) if seat.player else ExportedPlayer("", "", seat.number)


def _build_entry(row: Entry) -> ImportedEntry:
    return ImportedEntry(
        number=row.number,
        kind=row.kind,
        words=row.words,
        round=row.round,
        overruled=tuple(row.overruled),
        key=row.key,
        at=row.at,
        device=row.device.label if row.device else "",
        game_version=row.game_version,
    )
