"""Views for rulebook, glossary and settled doubts. The language is part of the URL."""

from __future__ import annotations

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


@dataclass(frozen=True)
class RulesPage:
    game: Game
    book: Rulebook
    back: str
    """URL of the page that the reader came from."""
    has_glossary: bool
    has_doubts: bool


@dataclass(frozen=True)
class GlossaryPage:
    game: Game
    terms: tuple[Term, ...]


@dataclass(frozen=True)
class DoubtsPage:
    game: Game
    doubts: tuple[Doubt, ...]


@require_safe
@vary_on_headers("Referer", "Cookie")
def rules_page(request: HttpRequest, slug: str) -> HttpResponse:
    game = get_game_or_404(slug)
    book = load_rulebook(game, translation.get_language())
    back = find_back_link(request) or reverse("home")
    page = RulesPage(game, book, back, has_glossary=bool(load_glossary(game)), has_doubts=bool(load_doubts(game)))
    return remember_back_link(request, back, render(request, "rulebook/rulebook.html", {"page": page}))


@require_safe
def glossary_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the terms of a game in both languages."""
    game = get_game_or_404(slug)
    terms = load_glossary(game)
    if not terms:
        raise Http404
    return render(request, "rulebook/glossary.html", {"page": GlossaryPage(game, terms)})


@require_safe
def doubts_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the settled doubts of a game."""
    game = get_game_or_404(slug)
    doubts = load_doubts(game)
    if not doubts:
        raise Http404
    return render(request, "rulebook/doubts.html", {"page": DoubtsPage(game, doubts)})


def get_game_or_404(slug: str) -> Game:
    """Return a game. Raises Http404 if it does not exist or has no rulebook in the current language."""
    game = get_games().get(slug)
    if game is None or not has_rulebook(game, translation.get_language()):
        raise Http404
    return game
