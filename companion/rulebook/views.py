"""Views for rulebook, glossary, settled doubts and search. The language is part of the URL."""

from collections.abc import Collection
from dataclasses import dataclass

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import translation
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from companion.core.game import Game
from companion.games import get_games
from companion.rulebook.back_link import find_back_link, remember_back_link
from companion.rulebook.glossary import Doubt, Term, load_doubts, load_glossary
from companion.rulebook.loader import Rulebook, has_rulebook, load_rulebook
from companion.rulebook.search import MAX_QUERY_LENGTH, SearchHit, search


@dataclass(frozen=True)
class RulesPage:
    """The rulebook of a game, its glossary or its settled doubts."""

    game: Game
    back: str = ""
    """URL of the page that the reader came from."""

    @property
    def book(self) -> Rulebook:
        return load_rulebook(self.game, translation.get_language())

    @property
    def terms(self) -> tuple[Term, ...]:
        return load_glossary(self.game)

    @property
    def doubts(self) -> tuple[Doubt, ...]:
        return load_doubts(self.game)


@dataclass(frozen=True)
class SearchPage:
    """The rulebooks, and what a query finds in them, or in that of one game."""

    games: Collection[Game]
    query: str
    game: Game | None
    hits: list[SearchHit]


@require_safe
@vary_on_headers("Referer", "Cookie")
def rules_page(request: HttpRequest, slug: str) -> HttpResponse:
    page = RulesPage(get_game_or_404(slug), find_back_link(request) or reverse("home"))
    return remember_back_link(request, page.back, render(request, "rulebook/rulebook.html", {"page": page}))


@require_safe
def glossary_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the terms of a game in both languages."""
    page = RulesPage(get_game_or_404(slug))
    if not page.terms:
        raise Http404
    return render(request, "rulebook/glossary.html", {"page": page})


@require_safe
def doubts_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the settled doubts of a game."""
    page = RulesPage(get_game_or_404(slug))
    if not page.doubts:
        raise Http404
    return render(request, "rulebook/doubts.html", {"page": page})


@require_safe
def search_page(request: HttpRequest) -> HttpResponse:
    query = " ".join(request.GET.get("q", "").split())[:MAX_QUERY_LENGTH]
    game, language = get_games().get(request.GET.get("game", "")), translation.get_language()
    games = [book for book in get_games().values() if has_rulebook(book)]
    page = SearchPage(games, query, game, search(query, language, game) if query else [])
    return render(request, "rulebook/search.html", {"page": page})


def get_game_or_404(slug: str) -> Game:
    """Return a game. Raises Http404 if it does not exist or has no rulebook."""
    game = get_games().get(slug)
    if game is None or not has_rulebook(game):
        raise Http404
    return game
