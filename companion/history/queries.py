"""Reading the lists of what has been played, page by page. Nothing is stored here: a table's row says how it stands."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from django.db.models import Q, QuerySet
from django.utils import timezone

from companion.core.game import Game, Options
from companion.core.notation import build_options
from companion.core.sanitize import fold_text
from companion.core.schema import Malformed
from companion.core.text import Text
from companion.games import get_games
from companion.history.models import BGSTATS
from companion.people.models import Circle, Device, Player
from companion.people.validators import display_name
from companion.tables.models import Place, SearchableNote, Seat, Table
from companion.tables.services.details import get_duration

PAGE_SIZE = 20
VISITED_TABLES_SHOWN = 3
MAX_SEARCH_WORDS = 4
"""Words of a search that are looked for."""
MAX_QUERY_LENGTH = 80
RECENT = timedelta(days=30)
_CURSOR = re.compile(r"([0-9]{1,17})-([0-9]{1,18})", re.ASCII)
_PERIOD = re.compile(r"(19|20|21)[0-9]{2}(-(0[1-9]|1[0-2]))?", re.ASCII)


@dataclass(frozen=True)
class Cursor:
    """Where a page of a list ends: when its last table began, in microseconds since 1970, and the table's number."""

    began: int
    number: int

    @classmethod
    def read(cls, word: str) -> Cursor | None:
        """The key of an address; None where the word is none."""
        found = _CURSOR.fullmatch(word)
        return cls(int(found[1]), int(found[2])) if found else None

    @classmethod
    def of(cls, table: Table) -> Cursor:
        since = table.began_at - datetime(1970, 1, 1, tzinfo=UTC)
        return cls(since // timedelta(microseconds=1), table.pk)

    def __str__(self) -> str:
        return f"{self.began}-{self.number}"

    @property
    def began_at(self) -> datetime:
        return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=self.began)


@dataclass(frozen=True)
class Filters:
    """What a list is narrowed to; `before` is the key of the last table on the page before."""

    game: str = ""
    player: Player | None = None
    place: Place | None = None
    period: str = ""
    """`recent`, a year such as 2026, or a month such as 2026-11."""
    query: str = ""
    is_unfinished: bool = False
    before: Cursor | None = None
    is_bin: bool = False


@dataclass(frozen=True)
class SideResult:
    """A side of a table in the list: who, with which total, and in which place (0 where nobody is ranked)."""

    names: tuple[str, ...]
    total: int | None
    rank: int


@dataclass(frozen=True)
class PastTable:
    """A table as the list shows it."""

    table: Table
    game: Game | None
    called: Text | None
    results: tuple[SideResult, ...]

    @property
    def is_finished(self) -> bool:
        return self.table.is_over or self.table.is_closed

    @property
    def is_of_results(self) -> bool:
        """Whether it came from a program that keeps results only: nobody goes on with it."""
        return (self.table.source or "").startswith(f"{BGSTATS}:")

    @property
    def minutes(self) -> int | None:
        return get_duration(self.table)


def list_past_tables(circle: Circle | None, filters: Filters) -> list[PastTable]:
    """The newest tables before a key, one more than a page holds: found by index, however many there are."""
    return _build_past_tables(filter_tables(circle, filters)[: PAGE_SIZE + 1])


def filter_tables(circle: Circle | None, filters: Filters) -> QuerySet[Table]:
    """The tables that a list is narrowed to, played last first."""
    rows = Table.objects.of(circle).filter(binned_at__isnull=not filters.is_bin)
    if filters.game:
        rows = rows.filter(game=filters.game)
    if filters.player is not None:
        rows = rows.filter(pk__in=Seat.objects.filter(player=filters.player).values("table"))
    if filters.place is not None:
        rows = rows.filter(place=filters.place)
    if filters.is_unfinished:
        rows = rows.filter(is_over=False, is_closed=False)
    if filters.period:
        rows = rows.filter(began_at__gte=_period_start(filters.period), began_at__lt=_period_end(filters.period))
    if filters.before is not None:
        key = filters.before
        rows = rows.filter(began_at__lte=key.began_at).exclude(began_at=key.began_at, pk__gte=key.number)
    return _search(rows, circle, filters.query) if circle and filters.query else rows


def parse_period(word: str) -> str:
    """A period as an address gives it; nothing where it is none."""
    return word if word == "recent" or _PERIOD.fullmatch(word) else ""


def list_years(circle: Circle | None) -> list[int]:
    """The years in which a circle has played, the last first."""
    first = Table.objects.of(circle).values_list("began_at", flat=True).reverse().first()
    return list(range(timezone.localdate().year, timezone.localtime(first).year - 1, -1)) if first else []


def list_visited_tables(device: Device) -> list[PastTable]:
    """The tables at which a device is a guest, the newest first, while they last."""
    rows = Table.objects.visited_by(device).not_binned().filter(is_over=False, is_closed=False)
    return _build_past_tables(rows[:VISITED_TABLES_SHOWN])


def _search(rows: QuerySet[Table], circle: Circle, query: str) -> QuerySet[Table]:
    """The tables where every word is in the name of a player or of the place, or in the note."""
    players = [(pk, fold_text(name)) for pk, name in circle.players.values_list("pk", "name")]
    places = [(pk, fold_text(name)) for pk, name in circle.places.values_list("pk", "name")]
    for word in fold_text(query[:MAX_QUERY_LENGTH]).split()[:MAX_SEARCH_WORDS]:
        seats = Seat.objects.filter(player__in=_ids_containing(word, players)).values("table")
        notes = SearchableNote.objects.filter(circle=circle, text__contains=word).values("table")
        rows = rows.filter(Q(pk__in=seats) | Q(pk__in=notes) | Q(place__in=_ids_containing(word, places)))
    return rows


def _ids_containing(word: str, named: Sequence[tuple[int, str]]) -> list[int]:
    return [pk for pk, name in named if word in name]


def _period_start(period: str) -> datetime:
    """When a period begins, on this machine's clock."""
    if period == "recent":
        return timezone.now() - RECENT
    year, _dash, month = period.partition("-")
    return start_of_day(date(int(year), int(month or 1), 1))


def _period_end(period: str) -> datetime:
    """When it is over."""
    if period == "recent":
        return timezone.now() + timedelta(days=2)
    year, _dash, month = period.partition("-")
    following = date(int(year) + (not month or month == "12"), int(month) % 12 + 1 if month else 1, 1)
    return start_of_day(following)


def start_of_day(day: date) -> datetime:
    return datetime.combine(day, time(), timezone.get_current_timezone())


def _build_past_tables(rows: QuerySet[Table]) -> list[PastTable]:
    tables = list(rows.select_related("place"))
    seats = Seat.objects.filter(table__in=tables).order_by("table", "number")  # no objects: a page has a hundred seats
    names: dict[int, list[str]] = defaultdict(list)
    for table, name in seats.values_list("table", "player__name"):
        names[table].append(display_name(name))
    return [_build_past_table(table, names[table.pk]) for table in tables]


def _build_past_table(table: Table, names: Sequence[str]) -> PastTable:
    game = get_games().get(table.game)
    totals, ranks = table.result.get("totals", []), table.result.get("ranks", [])
    options = _parse_options(table, game, len(names)) if game else None
    sides = game.sides(options, len(names)) if game and options else ()
    called = game.get_table_title(options) if game and options else None
    if not table.result.get("rounds") or len(sides) != len(totals):
        return PastTable(table, game, called, (SideResult(tuple(names), None, 0),))
    found = [
        SideResult(tuple(names[seat] for seat in side), totals[index], ranks[index] if ranks else 0)
        for index, side in enumerate(sides)
    ]
    return PastTable(table, game, called, tuple(sorted(found, key=lambda result: result.rank)))


def _parse_options(table: Table, game: Game, seats: int) -> Options | None:
    """The options of a table; None where another version of the game had them."""
    try:
        return build_options(game, seats, table.options)
    except Malformed:
        return None
