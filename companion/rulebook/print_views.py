"""Views for printing rulebooks, references, booklets and blank score sheets."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import translation
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from companion.core.explanations import PaperSheet
from companion.core.game import Game
from companion.core.schema import parse_small_number
from companion.core.text import Text, _
from companion.printing.pdf import MAX_WIDE_COLUMNS, PAPER_SIZES, PaperSize, get_paper_size, render_printable
from companion.rulebook.loader import Rulebook, has_rulebook, load_rulebook
from companion.rulebook.views import get_game_or_404

MAX_ROUNDS = 20
DEFAULT_SEATS = 4
MAX_ROOMY_LINES = 18
"""Number of lines up to which a score sheet has taller lines."""
DEFAULT_ROUNDS = 8
"""For games without a fixed number of rounds."""


@dataclass(frozen=True)
class PrintKind:
    """Something to print, the book that it is made of, if any, and the paper sizes that it fits."""

    slug: str
    label: Text
    hint: Text
    book: str
    paper_sizes: tuple[str, ...] = tuple(PAPER_SIZES)


@dataclass(frozen=True)
class PrintPage:
    """Everything to print of a game."""

    game: Game
    paper: PaperSize
    kinds: Sequence[PrintKind]
    paper_sizes = tuple(PAPER_SIZES.values())


@dataclass(frozen=True)
class PrintablePage:
    game: Game
    kind: PrintKind
    paper: PaperSize

    @property
    def back_url(self) -> str:
        return f"{reverse('papers', args=[self.game.slug])}?paper={self.paper.slug}"

    @property
    def pdf_url(self) -> str:
        url = reverse("paper-pdf", args=[self.game.slug, self.kind.slug])
        return f"{url}?{self.query}paper={self.paper.slug}"

    @property
    def query(self) -> str:
        """What was chosen beside the paper size, for links to the same with another."""
        return ""

    @property
    def paper_sizes(self) -> Sequence[PaperSize]:
        return [PAPER_SIZES[slug] for slug in self.kind.paper_sizes]


@dataclass(frozen=True)
class PrintableBook(PrintablePage):
    """A rulebook or reference."""

    book: Rulebook


@dataclass(frozen=True)
class BlankSheets(PrintablePage):
    """A blank score sheet of a number of rounds."""

    form: PaperSheet
    sides: Sequence[tuple[int, ...]]
    seat_count: int
    round_count: int
    round_choices = range(1, MAX_ROUNDS + 1)

    @property
    def query(self) -> str:
        return f"seats={self.seat_count}&rounds={self.round_count}&"

    @property
    def rounds(self) -> range:
        return range(1, self.round_count + 1)

    @property
    def has_lines(self) -> bool:
        return bool(self.form.table_lines or self.form.side_lines)

    @property
    def css_classes(self) -> str:
        lines_per_round = len(self.form.table_lines) + len(self.form.side_lines) + 2
        many = " many" if len(self.sides) > MAX_WIDE_COLUMNS else ""
        return many + (" roomy" if self.round_count * lines_per_round <= MAX_ROOMY_LINES else "")


@require_safe
@vary_on_headers("Accept-Language")
def print_page(request: HttpRequest, slug: str) -> HttpResponse:
    """List everything to print of a game."""
    game = get_game_or_404(slug)
    page = PrintPage(game, get_paper_size(request), _list_kinds(game))
    return render(request, "rulebook/print.html", {"page": page})


@require_safe
@vary_on_headers("Accept-Language")
def printable(request: HttpRequest, slug: str, kind: str, *, as_pdf: bool) -> HttpResponse:
    """Show a page to print, or send it as a PDF."""
    game, chosen = get_game_or_404(slug), PRINT_KINDS.get(kind)
    if chosen is None or chosen not in _list_kinds(game):
        raise Http404
    paper = get_paper_size(request)
    paper = paper if paper.slug in chosen.paper_sizes else PAPER_SIZES["a4"]
    language = translation.get_language()
    if chosen.book:
        page: PrintablePage = PrintableBook(game, chosen, paper, load_rulebook(game, language, chosen.book))
    else:
        page = _build_sheets(game, chosen, paper, request)
    name = f"{slug}-{kind}-{language}-{paper.slug}"
    return render_printable(request, f"paper/{kind}.html", page, name=name, as_pdf=as_pdf, is_for_everybody=True)


def _list_kinds(game: Game) -> list[PrintKind]:
    """Return what can be printed of a game: nothing that is made of a book which it lacks."""
    return [kind for kind in PRINT_KINDS.values() if not kind.book or has_rulebook(game, kind.book)]


def _build_sheets(game: Game, kind: PrintKind, paper: PaperSize, request: HttpRequest) -> BlankSheets:
    """Return blank score sheets; numbers out of range are clamped."""
    options = game.options.cls()
    requested = parse_small_number(request.GET.get("seats", ""))
    seat_count = DEFAULT_SEATS if requested is None else requested
    seat_count = min(max(seat_count, game.about.seats[0]), game.about.seats[-1])
    default_rounds = game.scoring.round_count(options, seat_count) or DEFAULT_ROUNDS
    rounds = min(max(parse_small_number(request.GET.get("rounds", "")) or default_rounds, 1), MAX_ROUNDS)
    sides = game.scoring.sides(options, seat_count)
    return BlankSheets(game, kind, paper, game.help.paper_sheet(options, seat_count), sides, seat_count, rounds)


PRINT_KINDS: Mapping[str, PrintKind] = {
    kind.slug: kind
    for kind in (
        PrintKind(
            "rulebook",
            _("Rulebook"),
            _("all rules with examples; on A4 a single sheet, printed on both sides"),
            "rulebook",
        ),
        PrintKind("reference", _("Reference"), _("the game on one page"), "reference"),
        PrintKind(
            "booklet",
            _("Pocket booklet"),
            _("one sheet, folded to eight small pages"),
            "reference",
            ("a4", "letter"),
        ),
        PrintKind("sheets", _("Score sheets"), _("blank, laid out for the game"), ""),
    )
}
