"""Statistics pages: the circle over all games, and one game."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from companion.core.errors import Malformed
from companion.core.sanitize import clean_text
from companion.games import get_games
from companion.history.models import MAX_GAME_NAME_LENGTH, Fact
from companion.history.statistics import aggregation, charts, group_stats, ratings
from companion.history.statistics.game_facts import format_facts_by_game
from companion.history.statistics.player_stats import get_game_title
from companion.people.auth import get_circle
from companion.people.models import Circle


@never_cache
@require_safe
def statistics_page(request: HttpRequest) -> HttpResponse:
    circle = get_circle(request)
    if circle is None:
        return render(request, "history/statistics.html", {})
    pending = aggregation.catch_up(circle)
    games = group_stats.list_game_stats(circle)
    player_counts = group_stats.count_matches_by_player(circle)
    context = {
        "pending": pending,
        "games": games,
        "tables": sum(game.tables for game in games),
        "hours": sum(game.minutes for game in games) // 60,
        "first_played": min((game.first_played for game in games), default=None),
        "player_counts": player_counts,
        "wins_chart": charts.build_wins_chart(player_counts),
        "month_chart": charts.build_month_chart(group_stats.count_tables_by_month(circle)),
    }
    return render(request, "history/statistics.html", context)


@never_cache
@require_safe
def game_page(request: HttpRequest, slug: str) -> HttpResponse:
    game, circle = get_games().get(slug), get_circle(request)
    if game is None:
        raise Http404
    called = _parse_called(request.GET.get("called", "")) if game.is_generic else ""
    context = {
        "game": game,
        "called": get_game_title(game, slug, called),
        **(_build_game_context(circle, slug, called) if circle else {"tables": 0}),
    }
    return render(request, "history/game.html", context)


def _parse_called(value: str) -> str:
    """Return the name of a named game from the query string, or "" if it is malformed."""
    try:
        return clean_text(value[:MAX_GAME_NAME_LENGTH], longest=MAX_GAME_NAME_LENGTH)
    except Malformed:
        return ""


def _build_game_context(circle: Circle, slug: str, called: str) -> dict[str, object]:
    pending = aggregation.catch_up(circle)
    player_counts = group_stats.count_matches_by_player(circle, slug, called)
    team_results = group_stats.get_team_results(circle, slug, called)
    is_cooperative = get_games()[slug].scoring.is_won_together is not None
    facts = Fact.objects.filter(circle=circle, game=slug, seat__isnull=True)
    return {
        "pending": pending,
        "tables": team_results.tables,
        "team_results": team_results if is_cooperative else None,
        "wins_chart": None if is_cooperative else charts.build_wins_chart(player_counts),
        "totals_chart": charts.build_totals_chart(team_results) if is_cooperative else None,
        "best_results": group_stats.list_best_results(circle, slug, called, team_results.tables),
        "ratings": group_stats.list_ratings(circle, slug, called),
        "min_matches": ratings.MIN_MATCHES,
        "fact_groups": format_facts_by_game(facts).get(slug, ()) if not called else (),
    }
