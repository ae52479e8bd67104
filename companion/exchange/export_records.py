"""Records of tables for export, loaded in chunks."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
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
from companion.games import get_games
from companion.people.models import Circle, Player
from companion.people.validators import display_name
from companion.tables.log_cache import load_log
from companion.tables.models import Entry, Seat, Table
from companion.tables.presenters.score_sheet import describe_options
from companion.tables.visibility import find_concealed_entries
from companion.web.i18n import translate_plain

Item = TypeVar("Item")
Row = TypeVar("Row", Seat, Entry)
UUID_NAMESPACE = UUID("6f2b2f0e-7c1d-5d55-9d0a-2f6a3c1e8b47")
"""Namespace of the UUIDs by which players and tables are the same in every file."""
TABLES_PER_CHUNK = 100
ENTRIES_PER_CHUNK = 5_000


@dataclass(frozen=True)
class ExportedPlayer:
    """A player at a table; of an erased player nothing is left."""

    uid: str = ""
    name: str = ""
    colour: int = 0
    sign: str = ""


@dataclass(frozen=True)
class TableRecord:
    """Everything about a table that is exported."""

    table: Table
    seats: tuple[ExportedPlayer, ...]
    entries: Sequence[Entry]
    log: Log

    @property
    def uid(self) -> str:
        return make_table_uid(self.table.public_id)

    @property
    def place(self) -> str:
        return self.table.place.name if self.table.place else ""

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
    def variant(self) -> str:
        """The options that differ from the defaults."""
        return ", ".join(translate_plain(text) for text in describe_options(self.match))

    @property
    def has_ended(self) -> bool:
        return self.match.standing.is_over or self.log.is_closed

    @property
    def is_finished(self) -> bool:
        """Whether the table ended with a result."""
        return self.has_ended and bool(self.match.finished_rounds)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names by seat, with a placeholder for erased players."""
        return tuple(display_name(player.name) for player in self.seats)

    @property
    def side_names(self) -> tuple[str, ...]:
        return tuple(" & ".join(self.names[seat] for seat in side) for side in self.sides)

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

    def format_rounds(self) -> str:
        """Return the points by side, one line per round; empty if no round is finished."""
        rounds = [(round_.number, round_.sheet.points) for round_ in self.match.finished_rounds if round_.sheet]
        lines = [f"{number}: " + " / ".join(map(str, points)) for number, points in rounds]
        return "\n".join([" / ".join(self.side_names), *lines]) if lines else ""

    def format_comment(self) -> str:
        """Return the note and the rounds, for formats that have no fields for them."""
        return "\n\n".join(filter(None, (self.table.note, self.format_rounds())))


def iter_records(tables: QuerySet[Table]) -> Iterator[TableRecord]:
    """Yield the records of the tables in order.

    Left out are tables whose game is gone, or whose counts are concealed from other seats until the round is complete.
    No query stays open between two records, so that a slow download does not block writers.
    """
    versions = dict(tables.values_list("pk", "version"))
    for table_ids in iter_batches(
        versions, versions.__getitem__, max_items=TABLES_PER_CHUNK, max_size=ENTRIES_PER_CHUNK
    ):
        of_tables = {"table__in": table_ids}
        table_by_id = Table.objects.select_related("circle", "place").in_bulk(table_ids)
        seats = _group_by_table(Seat.objects.filter(**of_tables).select_related("player").order_by("table", "number"))
        entries = _group_by_table(
            Entry.objects.filter(**of_tables).select_related("device").order_by("table", "number")
        )
        for table_id in table_ids:
            table = table_by_id.pop(table_id, None)
            if table is not None and table.game in get_games():
                record = _build_record(table, seats.pop(table_id, []), entries.pop(table_id, []))
                if not (table.hides_counts and find_concealed_entries(record.log)):
                    yield record


def iter_batches(
    items: Iterable[Item], get_size: Callable[[Item], int], *, max_items: int, max_size: int
) -> Iterator[list[Item]]:
    """Yield the items in lists; a single item may be larger than `max_size`."""
    batch: list[Item] = []
    size = 0
    for item in items:
        if batch and (len(batch) == max_items or size + get_size(item) > max_size):
            yield batch
            batch, size = [], 0
        batch.append(item)
        size += get_size(item)
    if batch:
        yield batch


def _group_by_table(rows: QuerySet[Row]) -> dict[int, list[Row]]:
    """Group rows by table. Prefetched rows would keep their table in memory."""
    return {table_id: list(group) for table_id, group in groupby(rows, attrgetter("table_id"))}


def _build_record(table: Table, seats: Sequence[Seat], entries: Sequence[Entry]) -> TableRecord:
    players = tuple(build_player(table.circle, seat.player) if seat.player else ExportedPlayer() for seat in seats)
    return TableRecord(table, players, entries, load_log(table, len(seats), entries).log)


def get_record(tables: QuerySet[Table]) -> TableRecord | None:
    """Return the record of the first table that may be exported, if any."""
    return next(iter_records(tables), None)


def make_player_uid(circle: Circle, player: Player) -> str:
    """Return a UUID that differs between servers; the circle's creation time tells equal ids apart."""
    return str(uuid5(UUID_NAMESPACE, f"{circle.created_at.isoformat()} {circle.pk} {player.pk}"))


def make_table_uid(public_id: str) -> str:
    return str(uuid5(UUID_NAMESPACE, public_id))


def build_player(circle: Circle, player: Player) -> ExportedPlayer:
    return ExportedPlayer(make_player_uid(circle, player), player.name, player.colour, player.sign)
