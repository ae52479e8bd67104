"""Statistics of a circle, over all games and for one game."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import starmap
from typing import Any

from django.db.models import Avg, Count, Min, Q, QuerySet, Sum
from django.urls import reverse
from django.utils import timezone

from companion.core.game import Game
from companion.core.text import Text
from companion.games import get_games
from companion.history.game_titles import get_game_title
from companion.history.models import Rating, SeatResult
from companion.history.queries import next_month, start_of_day
from companion.history.statistics import ratings
from companion.history.statistics.player_stats import MIN_MATCHES_FOR_MEDIAN, list_cooperative_slugs
from companion.people.models import Circle, Player

MONTHS_SHOWN = 24
PLAYERS_SHOWN = 20
LAST_BEST_PLACE = 5
"""Several results may tie for it."""
BEST_RESULTS_SHOWN = 10
TOTALS_SHOWN = 120


@dataclass(frozen=True)
class GameStats:
    """Table count and playing time of one game."""

    slug: str
    called: str
    tables: int
    minutes: int | None
    """Total, over the tables whose duration is known."""
    average: float | None
    """Minutes of such a table."""
    first_played: datetime

    @property
    def game(self) -> Game | None:
        return get_games().get(self.slug)

    @property
    def title(self) -> Text:
        return get_game_title(self.slug, self.called)

    @property
    def mean_minutes(self) -> int | None:
        """None below MIN_MATCHES_FOR_MEDIAN tables."""
        return None if self.average is None or self.tables < MIN_MATCHES_FOR_MEDIAN else round(self.average)

    @property
    def url(self) -> str:
        query = {"called": self.called} if self.called else None
        return reverse("game-statistics", args=[self.slug], query=query)


@dataclass(frozen=True)
class PlayerCount:
    """How many matches a player has played and won."""

    player: Player
    matches: int
    decided: int
    """Matches that could be won."""
    outright_wins: int
    shared_wins: int

    @property
    def not_won(self) -> int:
        return self.decided - self.outright_wins - self.shared_wins


@dataclass(frozen=True)
class TeamResults:
    """Tables of a cooperative game: recent totals with their days, all tables, and how many beat the game."""

    totals: tuple[int, ...]
    days: tuple[date, ...]
    tables: int
    beaten: int


def list_game_stats(circle: Circle) -> tuple[GameStats, ...]:
    """Return the games of the circle, most played first."""
    sums = (
        _one_row_per_table(circle)
        .values_list("game", "called")
        .annotate(tables=Count("pk"), sum=Sum("minutes"), mean=Avg("minutes"), first=Min("began_at"))
    )
    return tuple(starmap(GameStats, sums.order_by("-tables", "game", "called")))


def count_tables_by_month(circle: Circle) -> dict[date, int]:
    """Return the number of tables by first day of the month, for the last MONTHS_SHOWN months, in one query."""
    months = list_month_starts()
    counts = {
        f"{month:%Y_%m}": Count(
            "pk", filter=Q(began_at__gte=start_of_day(month), began_at__lt=start_of_day(next_month(month)))
        )
        for month in months
    }
    # Grouped to match the index.
    by_game: list[Any] = list(_one_row_per_table(circle).values("game", "called").annotate(**counts))
    return {month: sum(row[f"{month:%Y_%m}"] for row in by_game) for month in months}


def count_matches_by_player(circle: Circle, game: str = "", called: str = "") -> tuple[PlayerCount, ...]:
    """Return the players with the most matches, in all games or in one."""
    rows = SeatResult.objects.filter(circle=circle, player__isnull=False)
    if game:
        rows = rows.filter(game=game, called=called)
    counts = rows.values_list("player").annotate(
        matches=Count("pk"),
        decided=Count("pk", filter=Q(rank__gt=0) | Q(game__in=list_cooperative_slugs())),
        outright_wins=Count("pk", filter=Q(is_won=True, is_shared=False)),
        shared_wins=Count("pk", filter=Q(is_shared=True)),
    )
    top = list(counts.order_by("-matches", "player")[:PLAYERS_SHOWN])
    players = Player.objects.in_bulk(player for player, *_counts in top)
    return tuple(PlayerCount(players[player], *numbers) for player, *numbers in top)


def list_best_results(circle: Circle, game: str, called: str, tables: int) -> tuple[tuple[int, SeatResult], ...]:
    """Return the places and the best totals of ranked matches; equal totals share a place, the earlier first.

    Only the first place below MIN_MATCHES_FOR_MEDIAN `tables`.
    """
    rows = SeatResult.objects.filter(circle=circle, game=game, called=called, rank__gt=0)
    is_high_good = bool(rows.order_by("-began_at").values_list("is_high_good", flat=True).first())
    ordered = rows.filter(is_high_good=is_high_good).order_by("-total" if is_high_good else "total", "began_at", "seat")
    top = list(ordered.select_related("player", "table")[:BEST_RESULTS_SHOWN])
    totals = [row.total for row in top]
    last_place = LAST_BEST_PLACE if tables >= MIN_MATCHES_FOR_MEDIAN else 1
    return tuple((place, row) for row in top if (place := totals.index(row.total) + 1) <= last_place)


def list_ratings(circle: Circle, game: str, called: str) -> list[Rating]:
    """Return the ratings of players with at least `ratings.MIN_MATCHES` matches, highest first."""
    ratings.catch_up(circle, game, called)
    rows = Rating.objects.filter(circle=circle, game=game, called=called, matches__gte=ratings.MIN_MATCHES)
    return list(rows.select_related("player").order_by("-value", "player")[:PLAYERS_SHOWN])


def get_team_results(circle: Circle, game: str, called: str) -> TeamResults:
    """Return how many tables have ended and won, and the totals of the latest ones, oldest first."""
    rows = _one_row_per_table(circle).filter(game=game, called=called)
    sums = rows.aggregate(tables=Count("pk"), beaten=Count("pk", filter=Q(is_won=True)))
    latest = list(rows.order_by("-began_at", "-table").values_list("total", "began_at")[:TOTALS_SHOWN])[::-1]
    days = tuple(timezone.localtime(moment).date() for _total, moment in latest)
    return TeamResults(tuple(total for total, _moment in latest), days, sums["tables"], sums["beaten"])


def _one_row_per_table(circle: Circle) -> QuerySet[SeatResult]:
    return SeatResult.objects.filter(circle=circle, seat=0)


def list_month_starts() -> list[date]:
    """Return the first days of the last MONTHS_SHOWN months, oldest first."""
    months = [timezone.localdate().replace(day=1)]
    while len(months) < MONTHS_SHOWN:
        months.append((months[-1] - timedelta(days=1)).replace(day=1))
    return months[::-1]
