"""View for searching the rulebooks."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import translation
from django.views.decorators.http import require_safe

from companion.core.game import Game
from companion.games import get_games
from companion.rulebook.loader import has_rulebook
from companion.rulebook.search import MAX_QUERY_LENGTH, SearchHit, search


@dataclass(frozen=True)
class SearchPage:
    """The rulebooks, and what a query finds in them, or in that of one game."""

    games: Collection[Game]
    query: str
    game: Game | None
    hits: list[SearchHit]


@require_safe
def search_page(request: HttpRequest) -> HttpResponse:
    query = " ".join(request.GET.get("q", "").split())[:MAX_QUERY_LENGTH]
    game = get_games().get(request.GET.get("game", ""))
    language = translation.get_language()
    hits = search(query, language, game) if query else []
    games = [book for book in get_games().values() if has_rulebook(book, language)]
    page = SearchPage(games, query, game, hits)
    return render(request, "rulebook/search.html", {"page": page})
