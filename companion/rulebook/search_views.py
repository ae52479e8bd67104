"""View for searching the rulebooks."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import translation
from django.views.decorators.http import require_safe

from companion.games import get_games
from companion.rulebook.search import MAX_QUERY_LENGTH, search


@require_safe
def search_page(request: HttpRequest) -> HttpResponse:
    query = " ".join(request.GET.get("q", "").split())[:MAX_QUERY_LENGTH]
    game = get_games().get(request.GET.get("game", ""))
    hits = search(query, translation.get_language(), game) if query else []
    context = {"games": get_games().values(), "query": query, "game": game, "hits": hits, "longest": MAX_QUERY_LENGTH}
    return render(request, "rulebook/search.html", context)
