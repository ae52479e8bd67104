"""The pages of what was played: a circle's tables, played last first, narrowed and searched, and the bin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from companion.core.sanitize import clean_text
from companion.core.schema import Malformed, parse_small_number
from companion.core.text import Text, ngettext
from companion.games import get_games
from companion.history import queries
from companion.history.queries import MAX_QUERY_LENGTH, PAGE_SIZE, Cursor, Filters
from companion.people.auth import get_circle
from companion.people.models import Circle, Player
from companion.tables.models import Place
from companion.tables.services.entries import BIN_RETENTION

Row = TypeVar("Row", Player, Place)
PLACES_OFFERED = 200
"""In a list to choose from; others are found by searching."""


@never_cache
@require_safe
def history_page(request: HttpRequest) -> HttpResponse:
    return _render_list(request, is_bin=False)


@never_cache
@require_safe
def bin_page(request: HttpRequest) -> HttpResponse:
    return _render_list(request, is_bin=True)


def _render_list(request: HttpRequest, *, is_bin: bool) -> HttpResponse:
    circle = get_circle(request)
    players = list(Player.objects.of(circle))
    places = list(circle.places.all()[:PLACES_OFFERED]) if circle else []
    filters = parse_filters(request, players, places, is_bin=is_bin)
    tables = queries.list_past_tables(circle, filters)
    has_more = len(tables) > PAGE_SIZE
    context = {
        "past_tables": tables[:PAGE_SIZE],
        "older_query": _build_older_query(filters, Cursor.of(tables[PAGE_SIZE - 1].table)) if has_more else "",
        "players": players,
        "places": places,
        "years": queries.list_years(circle),
        "games": get_games().values(),
        "filters": filters,
        "is_filtered": bool(build_query_params(filters)),
        "is_bin": is_bin,
        "bin_days": BIN_RETENTION.days,
        "import_summary": _format_import_summary(request),
        "query": urlencode(build_query_params(filters)),
    }
    return render(request, "history/list.html", context)


def _format_import_summary(request: HttpRequest) -> tuple[Text, ...]:
    """What a file has brought, as the address says after it has been taken in."""
    new, known, left_out = (parse_small_number(request.GET.get(name, "")) for name in ("new", "known", "left"))
    if new is None:
        return ()
    found = [ngettext("{n} table imported.", "{n} tables imported.", new)]
    if known:
        found.append(ngettext("{n} was already here.", "{n} were already here.", known))
    if left_out:
        found.append(ngettext("{n} was skipped.", "{n} were skipped.", left_out))
    return tuple(found)


def parse_export_filters(request: HttpRequest, circle: Circle | None) -> Filters:
    """What the address narrows a whole history to, whatever page of it was open."""
    players, places = list(Player.objects.of(circle)), list(circle.places.all()) if circle else []
    return replace(parse_filters(request, players, places, is_bin=False), before=None)


def parse_filters(request: HttpRequest, players: Sequence[Player], places: Sequence[Place], *, is_bin: bool) -> Filters:
    """What the address asks for; what there is not, or is somebody else's, narrows nothing."""
    asked = request.GET
    return Filters(
        game=asked.get("game", "") if asked.get("game", "") in get_games() else "",
        player=_find_by_pk(players, asked.get("player", "")),
        place=_find_by_pk(places, asked.get("place", "")),
        period=queries.parse_period(asked.get("period", "")),
        query=_parse_query(asked.get("q", "")),
        is_unfinished="unfinished" in asked,
        before=Cursor.read(asked.get("before", "")),
        is_bin=is_bin,
    )


def build_query_params(filters: Filters) -> dict[str, str]:
    """The address of what a list is narrowed to, without where its page begins."""
    asked = {
        "q": filters.query,
        "game": filters.game,
        "player": str(filters.player.pk) if filters.player else "",
        "place": str(filters.place.pk) if filters.place else "",
        "period": filters.period,
        "unfinished": "yes" if filters.is_unfinished else "",
    }
    return {name: word for name, word in asked.items() if word}


def _build_older_query(filters: Filters, key: Cursor) -> str:
    return urlencode({**build_query_params(filters), "before": str(key)})


def _find_by_pk(rows: Sequence[Row], word: str) -> Row | None:
    return next((row for row in rows if str(row.pk) == word), None)


def _parse_query(text: str) -> str:
    """What is searched, as far as it can be searched."""
    try:
        return clean_text(text[:MAX_QUERY_LENGTH], longest=MAX_QUERY_LENGTH)
    except Malformed:
        return ""
