"""Queries for past tables: filters, search and cursor pagination."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from operator import attrgetter
from typing import NamedTuple

from django.db.models import Q, QuerySet
from django.utils import timezone

from companion.core.game import Game
from companion.core.notation import build_options
from companion.core.sanitize import clean_text, fold_text
from companion.core.schema import Malformed
from companion.core.text import Text
from companion.games import get_games
from companion.history.models import BGSTATS
from companion.people.models import Circle, Device, Player
from companion.people.validators import display_name
from companion.tables.models import Place, SearchableNote, Seat, Table

PAGE_SIZE = 20
VISITED_TABLES_SHOWN = 3
MAX_SEARCH_WORDS = 4
MAX_QUERY_LENGTH = 80
RECENT = timedelta(days=30)
_CURSOR = re.compile(r"([0-9]{1,17})-([0-9]{1,18})", re.ASCII)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_PERIOD = re.compile(r"(19|20|21)[0-9]{2}(-(0[1-9]|1[0-2]))?", re.ASCII)


class Cursor(NamedTuple):
    """The last table of a page. As text, the first number is in microseconds since 1970."""

    began_at: datetime
    pk: int

    @classmethod
    def parse(cls, value: str) -> Cursor | None:
        """Parse a cursor from the query string; None if it is malformed."""
        match = _CURSOR.fullmatch(value)
        return cls(_EPOCH + timedelta(microseconds=int(match[1])), int(match[2])) if match else None

    def __str__(self) -> str:
        return f"{(self.began_at - _EPOCH) // timedelta(microseconds=1)}-{self.pk}"


@dataclass(frozen=True)
class Filters:
    """Filters of a list of tables. `before` is the last table of the previous page."""

    game: str = ""
    player: Player | None = None
    place: Place | None = None
    period: str = ""
    """`recent`, a year (2026), a month (2026-11), or empty."""
    query: str = ""
    is_unfinished: bool = False
    before: Cursor | None = None
    is_bin: bool = False

    @property
    def params(self) -> dict[str, str]:
        """Query parameters of the history, without the page."""
        params = {
            "q": self.query,
            "game": self.game,
            "player": str(self.player.pk) if self.player else "",
            "place": str(self.place.pk) if self.place else "",
            "period": self.period,
            "unfinished": "yes" if self.is_unfinished else "",
        }
        return {name: value for name, value in params.items() if value}


@dataclass(frozen=True)
class SideResult:
    """A side of a past table."""

    names: tuple[str, ...]
    total: int | None = None
    rank: int = 0
    """0 if nobody is ranked."""
    is_winner: bool = False


@dataclass(frozen=True)
class PastTable:
    """A table in a list, with its sides by rank."""

    table: Table
    game: Game | None
    title: Text
    results: tuple[SideResult, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(name for result in self.results for name in result.names)

    @property
    def is_finished(self) -> bool:
        return self.table.is_over or self.table.is_closed

    @property
    def has_results_only(self) -> bool:
        """Whether it was imported from a format that has results, but no log."""
        return (self.table.source or "").startswith(f"{BGSTATS}:")


def list_past_tables(circle: Circle | None, filters: Filters) -> list[PastTable]:
    """Return a page of tables, newest first, and one more if there is another page."""
    return _build_past_tables(filter_tables(circle, filters)[: PAGE_SIZE + 1])


def filter_tables(circle: Circle | None, filters: Filters) -> QuerySet[Table]:
    """Return the tables that match the filters, newest first."""
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
        start, end = _parse_bounds(filters.period)
        rows = rows.filter(began_at__gte=start, began_at__lt=end)
    if filters.before is not None:
        began_at, pk = filters.before
        rows = rows.filter(began_at__lte=began_at).exclude(began_at=began_at, pk__gte=pk)
    return _search(rows, circle, filters.query) if circle and filters.query else rows


def parse_filters(
    params: Mapping[str, str],
    players: Mapping[str, Player | None],
    places: Mapping[str, Place],
    *,
    is_bin: bool = False,
) -> Filters:
    """Return the filters in a query string; unknown values, and players and places not given, are ignored."""
    game, period = params.get("game", ""), params.get("period", "")
    return Filters(
        game=game if game in get_games() else "",
        player=players.get(params.get("player", "")),
        place=places.get(params.get("place", "")),
        period=period if period == "recent" or _PERIOD.fullmatch(period) else "",
        query=parse_words(params.get("q", "")),
        is_unfinished="unfinished" in params,
        before=Cursor.parse(params.get("before", "")),
        is_bin=is_bin,
    )


def parse_words(text: str, longest: int = MAX_QUERY_LENGTH) -> str:
    """Return a text from the query string, or "" if it is malformed."""
    try:
        return clean_text(text[:longest], longest=longest)
    except Malformed:
        return ""


def list_years(circle: Circle | None) -> list[int]:
    """Return the years since the circle's first table, latest first."""
    first = Table.objects.of(circle).values_list("began_at", flat=True).reverse().first()
    return list(range(timezone.localdate().year, timezone.localtime(first).year - 1, -1)) if first else []


def list_visited_tables(device: Device) -> list[PastTable]:
    """Return the newest unfinished tables at which the device is a guest."""
    rows = Table.objects.visited_by(device).not_binned().filter(is_over=False, is_closed=False)
    return _build_past_tables(rows[:VISITED_TABLES_SHOWN])


def _search(rows: QuerySet[Table], circle: Circle, query: str) -> QuerySet[Table]:
    """Keep the tables in which each word occurs in the name of a player or of the place, or in the note."""
    players = [(pk, fold_text(name)) for pk, name in circle.players.values_list("pk", "name")]
    places = [(pk, fold_text(name)) for pk, name in circle.places.values_list("pk", "name")]
    for word in fold_text(query[:MAX_QUERY_LENGTH]).split()[:MAX_SEARCH_WORDS]:
        seats = Seat.objects.filter(player__in=[pk for pk, name in players if word in name]).values("table")
        notes = SearchableNote.objects.filter(circle=circle, text__contains=word).values("table")
        named_places = [pk for pk, name in places if word in name]
        rows = rows.filter(Q(pk__in=seats) | Q(pk__in=notes) | Q(place__in=named_places))
    return rows


def _parse_bounds(period: str) -> tuple[datetime, datetime]:
    """Return when a period starts and ends."""
    if period == "recent":
        return timezone.now() - RECENT, timezone.now() + timedelta(days=2)
    year, _dash, month = period.partition("-")
    first = date(int(year), int(month or 1), 1)
    return start_of_day(first), start_of_day(next_month(first) if month else first.replace(year=first.year + 1))


def next_month(first_day: date) -> date:
    return (first_day + timedelta(days=31)).replace(day=1)


def start_of_day(day: date) -> datetime:
    """Return midnight in the current time zone."""
    return datetime.combine(day, time(), timezone.get_current_timezone())


def _build_past_tables(rows: QuerySet[Table]) -> list[PastTable]:
    tables = list(rows.select_related("place"))
    seats = Seat.objects.filter(table__in=tables).order_by("table", "number")  # values only: a page has a hundred seats
    names: dict[int, list[str]] = defaultdict(list)
    for table, name in seats.values_list("table", "player__name"):
        names[table].append(display_name(name))
    return [_build_past_table(table, names[table.pk]) for table in tables]


def _build_past_table(table: Table, names: Sequence[str]) -> PastTable:
    game = get_games().get(table.game)
    if game is None:
        return PastTable(table, None, Text("{slug}", (("slug", table.game),)), (SideResult(tuple(names)),))
    try:
        options = build_options(game, len(names), table.options)
    except Malformed:  # only another version of the game has these options
        return PastTable(table, game, game.title, (SideResult(tuple(names)),))
    results = _rank_sides(table, game.scoring.sides(options, len(names)), names)
    return PastTable(table, game, game.get_table_title(options), results)


def _rank_sides(table: Table, sides: Sequence[Sequence[int]], names: Sequence[str]) -> tuple[SideResult, ...]:
    """Return the sides by rank; all players as one, without a total, before the first round has ended."""
    totals = table.result.get("totals", [])
    ranks = table.result.get("ranks") or [0] * len(totals)
    if not table.result.get("rounds") or len(sides) != len(totals):
        return (SideResult(tuple(names)),)
    is_finished = table.is_over or table.is_closed
    results = (
        SideResult(tuple(names[seat] for seat in side), total, rank, is_winner=rank == 1 and is_finished)
        for side, total, rank in zip(sides, totals, ranks, strict=True)
    )
    return tuple(sorted(results, key=attrgetter("rank")))
