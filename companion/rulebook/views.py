"""The pages of the rulebook; the language stands in the address, so that a link keeps it."""

from __future__ import annotations

from urllib.parse import urlsplit

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import translation
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from companion.games import games
from companion.rulebook.reading import has_rulebook, rulebook

COMES_BACK = ("/tables/", "/calculate/")
"""Pages from which somebody looks up a rule, and to which they return."""


@require_safe
@vary_on_headers("Referer")
def rules_page(request: HttpRequest, slug: str) -> HttpResponse:
    game = games().get(slug)
    language = translation.get_language()
    if game is None or not has_rulebook(game, language):
        raise Http404
    context = {"game": game, "book": rulebook(game, language), "back": _back(request)}
    return render(request, "rulebook/rulebook.html", context)


def _back(request: HttpRequest) -> str:
    """The table or the calculator that the reader comes from, or the first page."""
    try:
        came = urlsplit(request.headers.get("Referer", ""))
    except ValueError:
        return reverse("home")
    is_ours = came.netloc == request.get_host() and came.path.startswith(COMES_BACK)
    return came._replace(scheme="", netloc="", fragment="").geturl() if is_ours else reverse("home")
