"""The pages of a circle's statistics: all that it plays, and each game by itself."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from companion.core.errors import Malformed
from companion.core.sanitize import clean_text
from companion.games import get_games
from companion.history.models import LONGEST_CALLED, Fact
from companion.history.statistics import aggregation, charts, group_stats, ratings
from companion.history.statistics.game_facts import format_facts_by_game
from companion.history.statistics.player_stats import get_game_title
from companion.people.auth import get_circle
from companion.people.models import Circle


@never_cache
@require_safe
def statistics_page(request: HttpRequest) -> HttpResponse:
    """What is played, when, and by whom."""
    circle = get_circle(request)
    if circle is None:
        return render(request, "history/statistics.html", {})
    waiting = aggregation.catch_up(circle)
    played = group_stats.list_game_stats(circle)
    regulars = group_stats.count_matches_by_player(circle)
    context = {
        "waiting": waiting,
        "played": played,
        "tables": sum(game.tables for game in played),
        "hours": sum(game.minutes for game in played) // 60,
        "first": min((game.first for game in played), default=None),
        "regulars": regulars,
        "wins": charts.build_wins_chart(regulars),
        "months": charts.build_month_chart(group_stats.count_tables_by_month(circle)),
    }
    return render(request, "history/statistics.html", context)


@never_cache
@require_safe
def game_page(request: HttpRequest, slug: str) -> HttpResponse:
    """What only this game can tell, who is ahead in it, and the best results."""
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


def _parse_called(word: str) -> str:
    """The name of a game as an address gives it; of what cannot be one, that of none."""
    try:
        return clean_text(word[:LONGEST_CALLED], longest=LONGEST_CALLED)
    except Malformed:
        return ""


def _build_game_context(circle: Circle, slug: str, called: str) -> dict[str, object]:
    waiting = aggregation.catch_up(circle)
    regulars = group_stats.count_matches_by_player(circle, slug, called)
    together = group_stats.get_team_results(circle, slug, called)
    is_together = get_games()[slug].is_won_together is not None
    facts = Fact.objects.filter(circle=circle, game=slug, seat__isnull=True)
    return {
        "waiting": waiting,
        "tables": together.tables,
        "together": together if is_together else None,
        "regulars": regulars,
        "wins": None if is_together else charts.build_wins_chart(regulars),
        "results": charts.build_totals_chart(together) if is_together else None,
        "best": group_stats.list_best_results(circle, slug, called, together.tables),
        "rated": group_stats.list_ratings(circle, slug, called),
        "fewest": ratings.MIN_MATCHES,
        "facts": format_facts_by_game(facts).get(slug, ()) if not called else (),
    }
