"""The pages of what was played: a circle's tables, newest first, by game and by player, and the bin."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from companion.core.fields import small_number
from companion.core.game import Game
from companion.games import games
from companion.history.models import LINES_A_PAGE, Filters, page_of
from companion.people.access import circle_of
from companion.people.models import Player


@dataclass(frozen=True)
class Chosen:
    """What the list is narrowed to, as the page shows it."""

    game: Game | None
    player: Player | None


@never_cache
@require_safe
def history_page(request: HttpRequest) -> HttpResponse:
    return _list(request, is_bin=False)


@never_cache
@require_safe
def bin_page(request: HttpRequest) -> HttpResponse:
    return _list(request, is_bin=True)


def _list(request: HttpRequest, *, is_bin: bool) -> HttpResponse:
    circle = circle_of(request)
    players = list(Player.objects.of(circle))
    game = games().get(request.GET.get("game", ""))
    player = next((own for own in players if str(own.pk) == request.GET.get("player", "")), None)
    filters = Filters(game.slug if game else "", player, small_number(request.GET.get("before", "")), is_bin)
    sittings = page_of(circle, filters)
    context = {
        "sittings": sittings[:LINES_A_PAGE],
        "next_before": sittings[LINES_A_PAGE - 1].table.pk if len(sittings) > LINES_A_PAGE else None,
        "players": players,
        "games": games().values(),
        "chosen": Chosen(game, player),
        "is_bin": is_bin,
    }
    return render(request, "history/list.html", context)
