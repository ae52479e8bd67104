"""Views of the printable score sheet, with or without the log."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from companion.core.game import OPEN, ScoreLine, ScoreValue
from companion.core.match import Match, Round
from companion.core.text import Text
from companion.printing.pdf import render_printable
from companion.tables.auth import TableAccess, get_access_or_404
from companion.tables.forms.pad import format_side_name
from companion.tables.presenters import score_sheet, table_page
from companion.web.concurrency import limit_concurrency


@dataclass(frozen=True)
class PrintedRound:
    """A printed round: its score line by line, or its counts so far."""

    number: int
    lines: tuple[ScoreLine, ...]
    points: tuple[ScoreValue, ...] | None
    counts: tuple[Text, ...] = ()
    is_pending: bool = False


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
    has_log = "log" in request.GET
    context = {
        **table_page.build_common_context(access),
        **_build_sheet_context(access),
        "changed_options": score_sheet.describe_options(access.match),
        "lines": _build_log_lines(access) if has_log else (),
        "has_log": has_log,
    }
    name = f"{access.game.slug}-{timezone.localtime(access.table.began_at):%Y-%m-%d}"
    return render_printable(request, "paper/table.html", context, name=name, as_pdf=as_pdf)


def _build_sheet_context(access: TableAccess) -> dict[str, Any]:
    match, is_secret = access.match, access.table.hides_counts
    sides = match.game.scoring.sides(match.options, match.seats)
    return {
        "sides": tuple(format_side_name(match.seats, side) for side in sides),
        "totals": score_sheet.build_score_grid(match).totals,
        "rounds": tuple(
            _build_printed_round(match, played, is_secret) for _number, played in sorted(match.rounds.items())
        ),
        "is_one_round": match.game.scoring.round_count(match.options, match.seats) == 1 and match.last_number == 1,
    }


def _build_printed_round(match: Match, played: Round, is_secret: bool) -> PrintedRound:
    if played.sheet is not None:
        sheet = played.sheet
        lines = sheet.lines if len(sheet.lines) > 1 else ()
        points: tuple[ScoreValue, ...] = tuple(OPEN if value is None else value for value in sheet.points)
        return PrintedRound(played.number, lines, points, is_pending=played not in match.finished_rounds)
    counts = tuple(match.game.help.describe(played.options, count) for count in played.manual_counts if not is_secret)
    return PrintedRound(played.number, (), None, counts=counts)


def _build_log_lines(access: TableAccess) -> list[score_sheet.LogLine]:
    """Return all entries, oldest first."""
    return table_page.build_visible_log_lines(access, access.cached_log.log.entries)
