"""History pages: the list of past tables, with filters and search, and the bin."""

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
from companion.tables.models import BIN_RETENTION, Place

Row = TypeVar("Row", Player, Place)
PLACES_OFFERED = 200
"""In the filter; other places can be searched for."""


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
        "older_query": _build_older_query(filters, Cursor.from_table(tables[PAGE_SIZE - 1].table)) if has_more else "",
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
    """Format the counts that the query string has after an import."""
    new, existing, skipped = (parse_small_number(request.GET.get(name, "")) for name in ("new", "known", "left"))
    if new is None:
        return ()
    lines = [ngettext("{n} table imported.", "{n} tables imported.", new)]
    if existing:
        lines.append(ngettext("{n} was already here.", "{n} were already here.", existing))
    if skipped:
        lines.append(ngettext("{n} was skipped.", "{n} were skipped.", skipped))
    return tuple(lines)


def parse_export_filters(request: HttpRequest, circle: Circle | None) -> Filters:
    """Return the filters in the query string, without the page."""
    players, places = list(Player.objects.of(circle)), list(circle.places.all()) if circle else []
    return replace(parse_filters(request, players, places, is_bin=False), before=None)


def parse_filters(request: HttpRequest, players: Sequence[Player], places: Sequence[Place], *, is_bin: bool) -> Filters:
    """Return the filters in the query string; unknown values, and those of other circles, are ignored."""
    params = request.GET
    return Filters(
        game=params.get("game", "") if params.get("game", "") in get_games() else "",
        player=_find_by_pk(players, params.get("player", "")),
        place=_find_by_pk(places, params.get("place", "")),
        period=queries.parse_period(params.get("period", "")),
        query=_parse_query(params.get("q", "")),
        is_unfinished="unfinished" in params,
        before=Cursor.parse(params.get("before", "")),
        is_bin=is_bin,
    )


def build_query_params(filters: Filters) -> dict[str, str]:
    """Return the query parameters of the filters, without the page."""
    params = {
        "q": filters.query,
        "game": filters.game,
        "player": str(filters.player.pk) if filters.player else "",
        "place": str(filters.place.pk) if filters.place else "",
        "period": filters.period,
        "unfinished": "yes" if filters.is_unfinished else "",
    }
    return {name: value for name, value in params.items() if value}


def _build_older_query(filters: Filters, cursor: Cursor) -> str:
    return urlencode({**build_query_params(filters), "before": str(cursor)})


def _find_by_pk(rows: Sequence[Row], value: str) -> Row | None:
    return next((row for row in rows if str(row.pk) == value), None)


def _parse_query(text: str) -> str:
    """Return the search text, or "" if it is malformed."""
    try:
        return clean_text(text[:MAX_QUERY_LENGTH], longest=MAX_QUERY_LENGTH)
    except Malformed:
        return ""
