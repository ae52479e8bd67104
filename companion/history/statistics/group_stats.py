"""What the outcomes say of a circle and of a game: what is played, when, by whom, and who is ahead."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any

from django.db.models import Avg, Count, Min, Q, QuerySet, Sum
from django.utils import timezone

from companion.core.game import Game
from companion.core.text import Text
from companion.games import get_games
from companion.history.models import Outcome, Rating
from companion.history.statistics import ratings
from companion.history.statistics.player_stats import MIN_MATCHES_FOR_MEDIAN, get_game_title, list_cooperative_slugs
from companion.people.models import Circle, Player

MONTHS_SHOWN = 24
PLAYERS_SHOWN = 20
LAST_BEST_PLACE = 5
"""Places; at the last of them more than one may stand."""
BEST_RESULTS_SHOWN = 10
TOTALS_SHOWN = 120


@dataclass(frozen=True)
class GameStats:
    """A game in the survey of a circle: its tables, the minutes of those that have some in all, and when the first one
    was. `usual_minutes` is None where too little is known."""

    game: Game | None
    slug: str
    called: str
    title: Text
    tables: int
    minutes: int
    usual_minutes: int | None
    first: datetime


@dataclass(frozen=True)
class PlayerCount:
    """A player in a survey: matches, those in which somebody could win, and those won alone and with others."""

    player: Player
    plays: int
    decided: int
    alone: int
    shared: int

    @property
    def others(self) -> int:
        return self.decided - self.alone - self.shared


@dataclass(frozen=True)
class BestResult:
    """One of the best results at a game: its place, who (None: erased), with how much, and when."""

    place: int
    player: Player | None
    total: int
    table: str
    """Its public id."""
    began_at: datetime


@dataclass(frozen=True)
class PlayerRating:
    player: Player
    value: int
    matches: int


@dataclass(frozen=True)
class TeamResults:
    """The results of tables over time; who wins or loses together has one total."""

    totals: tuple[int, ...]
    days: tuple[date, ...]
    tables: int
    beaten: int


def list_game_stats(circle: Circle) -> tuple[GameStats, ...]:
    """The games of a circle, those played most first."""
    rows = _one_row_per_table(circle).values("game", "called")
    counted = rows.annotate(tables=Count("pk"), in_all=Sum("minutes"), usual=Avg("minutes"), first=Min("began_at"))
    return tuple(_build_game_stats(row) for row in counted.order_by("-tables", "game", "called"))


def _build_game_stats(row: Mapping[str, Any]) -> GameStats:
    game = get_games().get(row["game"])
    is_known = row["usual"] is not None and row["tables"] >= MIN_MATCHES_FOR_MEDIAN
    return GameStats(
        game=game,
        slug=row["game"],
        called=row["called"],
        title=get_game_title(game, row["game"], row["called"]),
        tables=row["tables"],
        minutes=row["in_all"] or 0,
        usual_minutes=round(row["usual"]) if is_known else None,
        first=row["first"],
    )


def count_tables_by_month(circle: Circle) -> dict[date, int]:
    """Tables by the month in which they began, for the last two years, by their first days; in one question."""
    firsts = list_month_starts()
    counts = {
        f"{first:%Y_%m}": Count(
            "pk", filter=Q(began_at__gte=start_of_day(first), began_at__lt=start_of_day(_next_month(first)))
        )
        for first in firsts
    }
    by_game: list[Any] = list(
        _one_row_per_table(circle).values("game", "called").annotate(**counts)
    )  # in the order of the index
    return {first: sum(row[f"{first:%Y_%m}"] for row in by_game) for first in firsts}


def count_matches_by_player(circle: Circle, game: str = "", called: str = "") -> tuple[PlayerCount, ...]:
    """Who plays most, of all games or of one."""
    rows = Outcome.objects.filter(circle=circle, player__isnull=False)
    if game:
        rows = rows.filter(game=game, called=called)
    counted = rows.values("player").annotate(
        plays=Count("pk"),
        decided=Count("pk", filter=Q(rank__gt=0) | Q(game__in=list_cooperative_slugs())),
        alone=Count("pk", filter=Q(is_won=True, is_shared=False)),
        shared=Count("pk", filter=Q(is_shared=True)),
    )
    found = list(counted.order_by("-plays", "player")[:PLAYERS_SHOWN])
    players = Player.objects.in_bulk(row["player"] for row in found)
    return tuple(
        PlayerCount(players[row["player"]], row["plays"], row["decided"], row["alone"], row["shared"]) for row in found
    )


def list_best_results(circle: Circle, game: str, called: str, tables: int) -> tuple[BestResult, ...]:
    """The best totals of those who were ranked, best first; as many at the same place as have the same.

    The earlier of two alike stands before the other. Of few tables only the best: there are not many others.
    """
    rows = Outcome.objects.filter(circle=circle, game=game, called=called, rank__gt=0)
    newest = rows.order_by("-began_at").values_list("is_high_good", flat=True).first()
    order = "-total" if newest else "total"
    found = rows.filter(is_high_good=bool(newest)).order_by(order, "began_at", "seat").select_related("player", "table")
    rows_shown = list(found[:BEST_RESULTS_SHOWN])
    totals = [row.total for row in rows_shown]
    best = [
        BestResult(totals.index(row.total) + 1, row.player, row.total, row.table.public_id, row.began_at)
        for row in rows_shown
    ]
    last = LAST_BEST_PLACE if tables >= MIN_MATCHES_FOR_MEDIAN else 1
    return tuple(own for own in best if own.place <= last)


def list_ratings(circle: Circle, game: str, called: str) -> tuple[PlayerRating, ...]:
    """The ratings of those who have played often enough, the highest first."""
    ratings.catch_up(circle, game, called)
    rows = Rating.objects.filter(circle=circle, game=game, called=called, matches__gte=ratings.MIN_MATCHES)
    found = rows.select_related("player").order_by("-value", "player")[:PLAYERS_SHOWN]
    return tuple(PlayerRating(row.player, round(row.value), row.matches) for row in found)


def get_team_results(circle: Circle, game: str, called: str) -> TeamResults:
    """How many tables have ended, and the first side's totals of the last ones, in the order of play."""
    rows = _one_row_per_table(circle).filter(game=game, called=called)
    sums = rows.aggregate(tables=Count("pk"), beaten=Count("pk", filter=Q(is_won=True)))
    last = list(rows.order_by("-began_at", "-table").values_list("total", "began_at")[:TOTALS_SHOWN])[::-1]
    days = tuple(timezone.localtime(moment).date() for _total, moment in last)
    return TeamResults(tuple(total for total, _moment in last), days, sums["tables"], sums["beaten"])


def _one_row_per_table(circle: Circle) -> QuerySet[Outcome]:
    """One row a table."""
    return Outcome.objects.filter(circle=circle, seat=0)


def list_month_starts() -> list[date]:
    """The first days of the months that are shown, the oldest first."""
    firsts = [timezone.localdate().replace(day=1)]
    while len(firsts) < MONTHS_SHOWN:
        firsts.append((firsts[-1] - timedelta(days=1)).replace(day=1))
    return firsts[::-1]


def _next_month(first: date) -> date:
    return (first + timedelta(days=31)).replace(day=1)


def start_of_day(day: date) -> datetime:
    return datetime.combine(day, time(), timezone.get_current_timezone())
