"""The pages of the rulebook; the language stands in the address, so that a link keeps it."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import translation
from django.views.decorators.http import require_safe

from companion.games import games
from companion.rulebook.reading import has_rulebook, rulebook


@require_safe
def rules_page(request: HttpRequest, slug: str) -> HttpResponse:
    game = games().get(slug)
    language = translation.get_language()
    if game is None or not has_rulebook(game, language):
        raise Http404
    return render(request, "rulebook/rulebook.html", {"game": game, "book": rulebook(game, language)})
