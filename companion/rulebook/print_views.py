"""The rules on paper: the rulebook, the game on one page, a booklet for the pocket, and blank score sheets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import translation
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from companion.core.game import Game
from companion.core.schema import parse_small_number
from companion.core.text import Text, _
from companion.printing.pdf import PAPERS, paper_of, printed
from companion.rulebook.loader import reference, rulebook
from companion.rulebook.views import game_with_rules

MOST_ROUNDS = 20
USUAL_SEATS = 4
ROOMY = 18
"""Lines of a score sheet up to which they may be high enough for a pen in a hurry."""
USUAL_ROUNDS = 8
"""Of a score sheet, where the table plays as long as it likes."""


@dataclass(frozen=True)
class Kind:
    """A kind of print: what it is called, the papers that it is made for, and what stands on it."""

    word: str
    label: Text
    hint: Text
    context: Callable[[Game, HttpRequest], dict[str, Any]]
    papers: tuple[str, ...] = tuple(PAPERS)

    @property
    def template(self) -> str:
        return f"paper/{self.word}.html"


@require_safe
@vary_on_headers("Accept-Language")
def papers_page(request: HttpRequest, slug: str) -> HttpResponse:
    """What there is to print of a game."""
    game = game_with_rules(slug)
    paper = paper_of(request)
    return render(
        request,
        "rulebook/papers.html",
        {"game": game, "kinds": KINDS.values(), "paper": paper, "papers": PAPERS.values()},
    )


@require_safe
@vary_on_headers("Accept-Language")
def paper_page(request: HttpRequest, slug: str, kind: str) -> HttpResponse:
    return _printed(request, slug, kind, as_pdf=False)


@require_safe
@vary_on_headers("Accept-Language")
def paper_pdf(request: HttpRequest, slug: str, kind: str) -> HttpResponse:
    return _printed(request, slug, kind, as_pdf=True)


def _printed(request: HttpRequest, slug: str, word: str, *, as_pdf: bool) -> HttpResponse:
    game = game_with_rules(slug)
    kind = KINDS.get(word)
    if kind is None:
        raise Http404
    paper = paper_of(request)
    paper = paper if paper.word in kind.papers else PAPERS["a4"]
    context = {"game": game, "kind": kind, "paper": paper, **kind.context(game, request)}
    context["papers"] = [own for own in PAPERS.values() if own.word in kind.papers]
    name = f"{game.slug}-{kind.word}-{translation.get_language()}-{paper.word}"
    return printed(request, kind.template, context, name=name, as_pdf=as_pdf, is_for_everybody=True)


def _rulebook(game: Game, request: HttpRequest) -> dict[str, Any]:
    return {"book": rulebook(game, translation.get_language())}


def _reference(game: Game, request: HttpRequest) -> dict[str, Any]:
    return {"book": reference(game, translation.get_language())}


def _sheets(game: Game, request: HttpRequest) -> dict[str, Any]:
    """Blank score sheets for so many players and rounds; what is asked for beyond what the game has is brought back."""
    options = game.options()
    asked = parse_small_number(request.GET.get("seats", ""))
    wanted = USUAL_SEATS if asked is None else asked
    seats = min(max(wanted, game.seats[0]), game.seats[-1])
    usual = game.rounds(options, seats) or USUAL_ROUNDS
    rounds = min(max(parse_small_number(request.GET.get("rounds", "")) or usual, 1), MOST_ROUNDS)
    form = game.form(options, seats)
    return {
        "form": form,
        "is_roomy": rounds * (len(form.table) + len(form.side) + 2) <= ROOMY,
        "sides": game.sides(options, seats),
        "seats": seats,
        "rounds": range(1, rounds + 1),
        "most_rounds": range(1, MOST_ROUNDS + 1),
    }


KINDS: Mapping[str, Kind] = {
    kind.word: kind
    for kind in (
        Kind(
            "rulebook",
            _("Rulebook"),
            _("all rules with their examples; on A4 one sheet, printed on both sides"),
            _rulebook,
        ),
        Kind("reference", _("Reference"), _("the game on one page"), _reference),
        Kind("booklet", _("Pocket booklet"), _("one sheet, folded to eight small pages"), _reference, ("a4", "letter")),
        Kind("sheets", _("Score sheets"), _("blank, in the form of the game"), _sheets),
    )
}
