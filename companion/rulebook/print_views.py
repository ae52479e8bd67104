"""Views for printing rulebooks, references, booklets and blank score sheets."""

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
from companion.printing.pdf import PAPER_SIZES, get_paper_size, render_printable
from companion.rulebook.loader import load_reference, load_rulebook
from companion.rulebook.views import get_game_or_404

MAX_ROUNDS = 20
DEFAULT_SEATS = 4
MAX_ROOMY_LINES = 18
"""Number of lines up to which a score sheet has taller lines."""
DEFAULT_ROUNDS = 8
"""For games without a fixed number of rounds."""


@dataclass(frozen=True)
class PrintKind:
    """Something to print, with the paper sizes that it fits and its template context."""

    slug: str
    label: Text
    hint: Text
    context: Callable[[Game, HttpRequest], dict[str, Any]]
    paper_sizes: tuple[str, ...] = tuple(PAPER_SIZES)

    @property
    def template(self) -> str:
        return f"paper/{self.slug}.html"


@require_safe
@vary_on_headers("Accept-Language")
def print_page(request: HttpRequest, slug: str) -> HttpResponse:
    """List everything to print of a game."""
    game = get_game_or_404(slug)
    paper = get_paper_size(request)
    return render(
        request,
        "rulebook/print.html",
        {"game": game, "kinds": PRINT_KINDS.values(), "paper": paper, "paper_sizes": PAPER_SIZES.values()},
    )


@require_safe
@vary_on_headers("Accept-Language")
def printable_page(request: HttpRequest, slug: str, kind: str) -> HttpResponse:
    return _render(request, slug, kind, as_pdf=False)


@require_safe
@vary_on_headers("Accept-Language")
def printable_pdf(request: HttpRequest, slug: str, kind: str) -> HttpResponse:
    return _render(request, slug, kind, as_pdf=True)


def _render(request: HttpRequest, slug: str, kind_slug: str, *, as_pdf: bool) -> HttpResponse:
    game = get_game_or_404(slug)
    kind = PRINT_KINDS.get(kind_slug)
    if kind is None:
        raise Http404
    paper = get_paper_size(request)
    paper = paper if paper.slug in kind.paper_sizes else PAPER_SIZES["a4"]
    context = {"game": game, "kind": kind, "paper": paper, **kind.context(game, request)}
    context["paper_sizes"] = [size for size in PAPER_SIZES.values() if size.slug in kind.paper_sizes]
    name = f"{game.slug}-{kind.slug}-{translation.get_language()}-{paper.slug}"
    return render_printable(request, kind.template, context, name=name, as_pdf=as_pdf, is_for_everybody=True)


def _build_rulebook_context(game: Game, request: HttpRequest) -> dict[str, Any]:
    return {"book": load_rulebook(game, translation.get_language())}


def _build_reference_context(game: Game, request: HttpRequest) -> dict[str, Any]:
    return {"book": load_reference(game, translation.get_language())}


def _build_sheets_context(game: Game, request: HttpRequest) -> dict[str, Any]:
    """Return the context of blank score sheets; numbers out of range are clamped."""
    options = game.options.cls()
    requested = parse_small_number(request.GET.get("seats", ""))
    seat_count = DEFAULT_SEATS if requested is None else requested
    seat_count = min(max(seat_count, game.about.seats[0]), game.about.seats[-1])
    default_rounds = game.scoring.round_count(options, seat_count) or DEFAULT_ROUNDS
    rounds = min(max(parse_small_number(request.GET.get("rounds", "")) or default_rounds, 1), MAX_ROUNDS)
    paper_sheet = game.help.paper_sheet(options, seat_count)
    return {
        "paper_sheet": paper_sheet,
        "is_roomy": rounds * (len(paper_sheet.table_lines) + len(paper_sheet.side_lines) + 2) <= MAX_ROOMY_LINES,
        "sides": game.scoring.sides(options, seat_count),
        "seat_count": seat_count,
        "rounds": range(1, rounds + 1),
        "round_choices": range(1, MAX_ROUNDS + 1),
    }


PRINT_KINDS: Mapping[str, PrintKind] = {
    kind.slug: kind
    for kind in (
        PrintKind(
            "rulebook",
            _("Rulebook"),
            _("all rules with examples; on A4 a single sheet, printed on both sides"),
            _build_rulebook_context,
        ),
        PrintKind("reference", _("Reference"), _("the game on one page"), _build_reference_context),
        PrintKind(
            "booklet",
            _("Pocket booklet"),
            _("one sheet, folded to eight small pages"),
            _build_reference_context,
            ("a4", "letter"),
        ),
        PrintKind("sheets", _("Score sheets"), _("blank, laid out for the game"), _build_sheets_context),
    )
}
