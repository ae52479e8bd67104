"""Views of the printable score sheet, with or without the log."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html_join
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from companion.core.game import OPEN, ScoreLine, ScoreValue, Standing
from companion.core.match import Match, Round
from companion.core.text import Text
from companion.printing.pdf import MAX_WIDE_COLUMNS, PAPER_SIZES, PaperSize, get_paper_size, render_printable
from companion.tables.auth import TableAccess, get_access_or_404
from companion.tables.forms.pad import format_side_name
from companion.tables.presenters import score_sheet
from companion.web.concurrency import limit_concurrency
from companion.web.i18n import translate


@dataclass(frozen=True)
class PrintedRound:
    """A printed round: its score line by line, or its counts so far."""

    number: int
    lines: tuple[ScoreLine, ...]
    points: tuple[ScoreValue, ...] | None
    counts: tuple[Text, ...] = ()
    is_pending: bool = False

    def iter_points(self) -> Iterator[tuple[ScoreValue, bool]]:
        """Yield the points of each side, and whether they may still change."""
        for points in self.points or ():
            yield points, self.is_pending and points != OPEN


@dataclass(frozen=True)
class PrintedTable:
    """The score sheet of a table, with or without the log."""

    access: TableAccess
    paper: PaperSize
    has_log: bool
    paper_sizes = tuple(PAPER_SIZES.values())

    @property
    def back_url(self) -> str:
        return reverse("table", args=[self.access.table.public_id])

    @property
    def pdf_url(self) -> str:
        return f"{self.back_url}paper.pdf?{self.query}paper={self.paper.slug}"

    @property
    def query(self) -> str:
        return "log=yes&" if self.has_log else ""

    @cached_property
    def title(self) -> Text:
        return self.access.game.get_table_title(self.access.match.options)

    @cached_property
    def standing(self) -> Standing:
        return self.access.match.standing

    @property
    def is_unfinished(self) -> bool:
        return not (self.standing.is_over or self.access.cached_log.log.is_closed)

    @property
    def side_names(self) -> Sequence[Text]:
        match = self.access.match
        return [format_side_name(match.seats, side) for side in match.game.scoring.sides(match.options, match.seats)]

    @property
    def is_wide(self) -> bool:
        return len(self.side_names) > MAX_WIDE_COLUMNS

    @property
    def column_count(self) -> int:
        """The columns of the table, with the one for labels."""
        return len(self.side_names) + 1

    @property
    def players(self) -> str:
        """All names, where not every player is a side."""
        has_teams = len(self.side_names) < len(self.access.names)
        return format_html_join(", ", "<bdi>{}</bdi>", ((name,) for name in self.access.names if has_teams))

    @property
    def options(self) -> str:
        changed = score_sheet.describe_options(self.access.match)
        return format_html_join(" · ", "{}", ((translate(text, self.access.names),) for text in changed))

    @property
    def rounds(self) -> Sequence[PrintedRound]:
        match, is_secret = self.access.match, self.access.table.hides_counts
        return [_build_printed_round(match, played, is_secret) for _number, played in sorted(match.rounds.items())]

    @property
    def is_one_round(self) -> bool:
        match = self.access.match
        return match.game.scoring.round_count(match.options, match.seats) == 1 and match.last_number == 1

    @property
    def totals(self) -> Sequence[ScoreValue]:
        return score_sheet.build_score_grid(self.access.match).totals

    @property
    def log_lines(self) -> Sequence[score_sheet.LogLine]:
        """All entries, oldest first."""
        return score_sheet.build_log_lines(self.access, self.access.cached_log.log.entries)


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
    name = f"{access.game.slug}-{timezone.localtime(access.table.began_at):%Y-%m-%d}"
    return render_printable(request, "paper/table.html", page, name=name, as_pdf=as_pdf)


def _build_printed_round(match: Match, played: Round, is_secret: bool) -> PrintedRound:
    if played.sheet is not None:
        sheet = played.sheet
        lines = sheet.lines if len(sheet.lines) > 1 else ()
        points: tuple[ScoreValue, ...] = tuple(OPEN if value is None else value for value in sheet.points)
        return PrintedRound(played.number, lines, points, is_pending=played not in match.finished_rounds)
    counts = tuple(match.game.help.describe(played.options, count) for count in played.manual_counts if not is_secret)
    return PrintedRound(played.number, (), None, counts=counts)
