"""Statistics pages: the circle over all games, and one game."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from companion.charts.bar_chart import BarChart
from companion.charts.column_chart import ColumnChart
from companion.charts.scatter_chart import ScatterChart
from companion.core.game import Game
from companion.core.text import Text
from companion.games import get_games
from companion.history.game_titles import get_game_title
from companion.history.models import MAX_GAME_NAME_LENGTH, Fact, Rating, SeatResult
from companion.history.queries import parse_words
from companion.history.statistics import aggregation, charts, group_stats
from companion.history.statistics.game_facts import FactGroup, format_facts_by_game
from companion.history.statistics.group_stats import GameStats, PlayerCount
from companion.history.statistics.player_stats import MIN_MATCHES_FOR_MEDIAN
from companion.history.statistics.ratings import MIN_MATCHES
from companion.people.auth import get_circle
from companion.people.models import Circle


@dataclass(frozen=True)
class StatisticsPage:
    """The statistics of a circle over all games."""

    games: tuple[GameStats, ...] = ()
    player_counts: tuple[PlayerCount, ...] = ()
    wins_chart: BarChart | None = None
    month_chart: ColumnChart | None = None
    pending: int = 0
    """Tables still to be counted."""

    @property
    def tables(self) -> int:
        return sum(game.tables for game in self.games)

    @property
    def hours(self) -> int:
        return sum(game.minutes or 0 for game in self.games) // 60

    @property
    def first_played(self) -> datetime:
        return min(game.first_played for game in self.games)


@dataclass(frozen=True)
class GamePage:
    """The statistics of one game in a circle."""

    game: Game
    title: Text
    tables: int = 0
    beaten: int | None = None
    """Tables that beat the game; None if it is played against each other."""
    wins_chart: BarChart | None = None
    totals_chart: ScatterChart | None = None
    fact_groups: Sequence[FactGroup] = ()
    best_results: Sequence[tuple[int, SeatResult]] = ()
    """The places and results."""
    ratings: Sequence[Rating] = ()
    pending: int = 0
    """Tables still to be counted."""
    min_rated_matches: ClassVar[int] = MIN_MATCHES

    @property
    def has_averages(self) -> bool:
        return self.tables >= MIN_MATCHES_FOR_MEDIAN


@never_cache
@require_safe
def statistics_page(request: HttpRequest) -> HttpResponse:
    circle = get_circle(request)
    page = build_statistics_page(circle) if circle else StatisticsPage()
    return render(request, "history/statistics.html", {"page": page})


def build_statistics_page(circle: Circle) -> StatisticsPage:
    pending = aggregation.catch_up(circle)
    player_counts = group_stats.count_matches_by_player(circle)
    return StatisticsPage(
        games=group_stats.list_game_stats(circle),
        player_counts=player_counts,
        wins_chart=charts.build_wins_chart(player_counts),
        month_chart=charts.build_month_chart(group_stats.count_tables_by_month(circle)),
        pending=pending,
    )


@never_cache
@require_safe
def game_page(request: HttpRequest, slug: str) -> HttpResponse:
    game, circle = get_games().get(slug), get_circle(request)
    if game is None:
        raise Http404
    called = parse_words(request.GET.get("called", ""), MAX_GAME_NAME_LENGTH) if game.is_generic else ""
    page = build_game_page(circle, game, called) if circle else GamePage(game, get_game_title(slug, called))
    return render(request, "history/game.html", {"page": page})


def build_game_page(circle: Circle, game: Game, called: str) -> GamePage:
    pending = aggregation.catch_up(circle)
    team_results = group_stats.get_team_results(circle, game.slug, called)
    is_cooperative = game.scoring.is_won_together is not None
    player_counts = () if is_cooperative else group_stats.count_matches_by_player(circle, game.slug, called)
    facts = Fact.objects.filter(circle=circle, game=game.slug, seat__isnull=True)
    return GamePage(
        game=game,
        title=get_game_title(game.slug, called),
        tables=team_results.tables,
        beaten=team_results.beaten if is_cooperative else None,
        wins_chart=charts.build_wins_chart(player_counts),
        totals_chart=charts.build_totals_chart(team_results) if is_cooperative else None,
        fact_groups=() if called else format_facts_by_game(facts).get(game.slug, ()),
        best_results=group_stats.list_best_results(circle, game.slug, called, team_results.tables),
        ratings=group_stats.list_ratings(circle, game.slug, called),
        pending=pending,
    )
