"""The score sheet of a table on paper, finished or not, with its log if that is wanted."""

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
from companion.tables.forms.pad import side_name
from companion.tables.presenters import score_sheet, table_page
from companion.web.concurrency import limit_concurrency


@dataclass(frozen=True)
class Printed:
    """A round as it is printed: line by line, or what has been counted of it so far."""

    number: int
    lines: tuple[ScoreLine, ...]
    points: tuple[ScoreValue, ...] | None
    so_far: tuple[Text, ...] = ()
    is_pending: bool = False


@never_cache
@require_safe
def sheet_page(request: HttpRequest, public_id: str) -> HttpResponse:
    render_sheet = limit_concurrency()(_printed) if "log" in request.GET else _printed
    return render_sheet(request, public_id, as_pdf=False)


@never_cache
@require_safe
@limit_concurrency()
def sheet_pdf(request: HttpRequest, public_id: str) -> HttpResponse:
    return _printed(request, public_id, as_pdf=True)


def _printed(request: HttpRequest, public_id: str, *, as_pdf: bool) -> HttpResponse:
    access = get_access_or_404(request, public_id)
    has_log = "log" in request.GET
    context = {
        **table_page.common_context(access),
        **_sheet(access),
        "agreed": score_sheet.agreed(access.match),
        "lines": _log(access) if has_log else (),
        "has_log": has_log,
    }
    name = f"{access.game.slug}-{timezone.localtime(access.table.began_at):%Y-%m-%d}"
    return render_printable(request, "paper/table.html", context, name=name, as_pdf=as_pdf)


def _sheet(access: TableAccess) -> dict[str, Any]:
    match, is_secret = access.match, access.table.hides_counts
    sides = match.game.sides(match.options, match.seats)
    return {
        "sides": tuple(side_name(match.seats, side) for side in sides),
        "totals": score_sheet.sheet(match).totals,
        "rounds": tuple(_round(match, played, is_secret) for _number, played in sorted(match.rounds.items())),
        "is_one_round": match.game.rounds(match.options, match.seats) == 1 and match.last == 1,
    }


def _round(match: Match, played: Round, is_secret: bool) -> Printed:
    if played.sheet is not None:
        sheet = played.sheet
        lines = sheet.lines if len(sheet.lines) > 1 else ()
        points: tuple[ScoreValue, ...] = tuple(OPEN if own is None else own for own in sheet.points)
        return Printed(played.number, lines, points, is_pending=played not in match.finished)
    counted = tuple(match.game.describe(played.options, count) for count in played.counted if not is_secret)
    return Printed(played.number, (), None, so_far=counted)


def _log(access: TableAccess) -> list[score_sheet.Line]:
    """All entries, the oldest first, as they are read on paper."""
    return table_page.lines(access, access.cached_log.log.entries)
