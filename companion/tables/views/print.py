"""Views of the printable score sheet, with or without the log."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from companion.core.match import Round
from companion.core.text import Text
from companion.printing.pdf import MAX_WIDE_COLUMNS, PAPER_SIZES, PaperSize, get_paper_size, render_printable
from companion.tables.auth import get_access_or_404
from companion.tables.presenters import score_sheet
from companion.tables.presenters.base_page import BasePage
from companion.web.concurrency import limit_concurrency


@dataclass(frozen=True)
class PrintedTable(BasePage):
    """The score sheet of a table, with or without the log."""

    paper: PaperSize
    has_log: bool
    paper_sizes = tuple(PAPER_SIZES.values())

    @property
    def back_url(self) -> str:
        return self.table_url

    @property
    def pdf_url(self) -> str:
        return f"{self.table_url}paper.pdf?{self.query}paper={self.paper.slug}"

    @property
    def query(self) -> str:
        return "log=yes&" if self.has_log else ""

    @property
    def is_unfinished(self) -> bool:
        return not (self.standing.is_over or self.log.is_closed)

    @cached_property
    def score_grid(self) -> score_sheet.ScoreGrid:
        return score_sheet.ScoreGrid(self.match)

    @property
    def is_wide(self) -> bool:
        return len(self.score_grid.sides) > MAX_WIDE_COLUMNS

    @property
    def options(self) -> Sequence[Text]:
        return score_sheet.describe_options(self.match)

    @property
    def rounds(self) -> Sequence[tuple[Round, bool]]:
        """The rounds, and whether their points may still change."""
        finished = self.match.finished_rounds
        return [(played, played not in finished) for _number, played in sorted(self.match.rounds.items())]

    @property
    def is_one_round(self) -> bool:
        rounds = self.game.scoring.round_count(self.match.options, self.match.seats)
        return rounds == self.match.last_number == 1

    @property
    def log_lines(self) -> Sequence[score_sheet.LogLine]:
        """All entries, oldest first."""
        return score_sheet.build_log_lines(self.access, self.log.entries)


@never_cache
@require_safe
def show_printout(request: HttpRequest, public_id: str) -> HttpResponse:
    render_sheet = limit_concurrency()(_render_printout) if "log" in request.GET else _render_printout
    return render_sheet(request, public_id, as_pdf=False)


@never_cache
@require_safe
@limit_concurrency()
def download_pdf(request: HttpRequest, public_id: str) -> HttpResponse:
    return _render_printout(request, public_id, as_pdf=True)


def _render_printout(request: HttpRequest, public_id: str, *, as_pdf: bool) -> HttpResponse:
    access = get_access_or_404(request, public_id)
    page = PrintedTable(access, get_paper_size(request), has_log="log" in request.GET)
    return render_printable(request, "paper/table.html", page, name=page.file_name, as_pdf=as_pdf)
