"""Views of a table: its page, entries, log, corrections, details and bin."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import urlencode

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from companion.core.entry import TARGETED, Entry
from companion.core.schema import Malformed, parse_small_number
from companion.core.text import Text
from companion.db.errors import mark_committed
from companion.people.validators import clean_note
from companion.tables.auth import CIRCLE, SCORER, ViewOnly, get_access_or_404
from companion.tables.forms import entry, pad
from companion.tables.forms.details import build_form_values, parse_details
from companion.tables.presenters import correction_page, score_sheet, table_page
from companion.tables.presenters.base_page import BasePage
from companion.tables.services import details, entries, tables
from companion.tables.services.guests import check_entry_rate
from companion.tables.views import entry_responses, htmx

LINES_PER_PAGE = 60
"""Of the log."""


@dataclass(frozen=True)
class DetailsPage(BasePage):
    """Date, place, duration and note, to edit."""

    error: Text | None
    typed: Mapping[str, str]

    @cached_property
    def places(self) -> Sequence[str]:
        """Places where the circle has played."""
        return details.suggest_places(self.table)

    @property
    def is_finished(self) -> bool:
        return self.standing.is_over or self.log.is_closed


@dataclass(frozen=True)
class LogPage(BasePage):
    """A page of the log, of one round or of all, or of its amendments only; newest first."""

    before: int | None
    """The number of an entry, if not the newest are shown."""
    round_number: int | None
    is_corrections: bool

    @cached_property
    def entries(self) -> Sequence[Entry]:
        """Those of the page and all before it, oldest first."""
        return [
            entry
            for entry in self.log.entries[: (self.before or self.version + 1) - 1]
            if self.round_number in (None, entry.round) and (entry.kind in TARGETED or not self.is_corrections)
        ]

    @cached_property
    def lines(self) -> Sequence[score_sheet.LogLine]:
        return score_sheet.build_log_lines(self.access, reversed(self.entries[-LINES_PER_PAGE:]))

    @property
    def older_query(self) -> str:
        """The query of the next page; empty on the last."""
        if len(self.entries) <= LINES_PER_PAGE:
            return ""
        query = {"before": self.entries[-LINES_PER_PAGE].number}
        query |= {"round": self.round_number} if self.round_number else {}
        return urlencode({**query, "corrections": "yes"} if self.is_corrections else query)


@never_cache
@require_safe
def show_table(request: HttpRequest, public_id: str) -> HttpResponse:
    access = get_access_or_404(request, public_id)
    page = table_page.build_table_page(
        access,
        mode=request.GET.get("way", ""),
        number=parse_small_number(request.GET.get("round", "")) or 0,
        is_for_all="all" in request.GET,
    )
    return htmx.render_page_or_part(request, table_page.TEMPLATE, page)


@never_cache
@require_POST
def record_entry(request: HttpRequest, public_id: str) -> HttpResponse:
    access = get_access_or_404(request, public_id)
    try:
        if not access.can_enter:
            raise ViewOnly
        posted = entry.parse_entry(request.POST, access.game)
        recorded = access.cached_log.numbers.get(posted.key)
        new_entries = entry.build_new_entries(posted, access.cached_log.log, recorded)
        if not access.is_member:
            check_entry_rate(access.cached_log, access.device, len(new_entries))
        result = entries.record_entries(
            access.table, seats=access.match.seats, device=access.device, new_entries=new_entries
        )
    except entry_responses.EXPECTED_ERRORS as error:
        return entry_responses.respond_to_error(request, access, error)
    with mark_committed():
        return entry_responses.respond_to_recorded(request, access, posted, result)


@never_cache
@require_POST
def preview_counts(request: HttpRequest, public_id: str) -> HttpResponse:
    """Show what the boxes of the pad score so far; record nothing."""
    access = get_access_or_404(request, public_id, at_least=SCORER)
    preview = pad.preview_posted_counts(request.POST, access.match, exclusive=access.table.hides_counts)
    context = {"page": BasePage(access), "preview": preview.limit_to_boxes(request.POST)}
    return render(request, "tables/_preview_update.html", context)


@never_cache
@require_safe
def show_log(request: HttpRequest, public_id: str) -> HttpResponse:
    """Show the log, or only its amendments, newest first, paginated."""
    access = get_access_or_404(request, public_id)
    page = LogPage(
        access,
        before=parse_small_number(request.GET.get("before", "")),
        round_number=parse_small_number(request.GET.get("round", "")),
        is_corrections="corrections" in request.GET,
    )
    return render(request, "tables/log.html", {"page": page})


@never_cache
@require_safe
def show_correction(request: HttpRequest, public_id: str, number: int) -> HttpResponse:
    access = get_access_or_404(request, public_id, at_least=SCORER)
    step = access.cached_log.log.get_step(number)
    if step is None or step.action.kind not in access.game.kinds:
        raise Http404
    if number in access.visibility.hidden:
        raise PermissionDenied
    seat = parse_small_number(request.GET.get("seat", ""))
    page = correction_page.build_correction_page(access, step, is_insertion="forgotten" in request.GET, seat=seat)
    return render(request, correction_page.TEMPLATE, {"page": page})


@never_cache
@require_POST
def change_note(request: HttpRequest, public_id: str) -> HttpResponse:
    access = get_access_or_404(request, public_id, at_least=CIRCLE)
    note = request.POST.get("note", "")
    try:
        details.update_note(access.table, note=clean_note(note), by=access.device)
    except Malformed as error:
        access.table.note = note  # shown again, not stored
        return entry_responses.respond_to_error(request, access, error)
    return redirect("table", public_id)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def edit_details(request: HttpRequest, public_id: str) -> HttpResponse:
    """Edit date, place, duration and note."""
    access = get_access_or_404(request, public_id, at_least=CIRCLE)
    error = None
    if request.method == "POST":
        try:
            details.update_details(access.table, parse_details(request.POST, access.table), by=access.device)
            return redirect("table", public_id)
        except Malformed as malformed:
            error = malformed.text
    page = DetailsPage(access, error, build_form_values(request.POST, access.table))
    return render(request, "tables/details.html", {"page": page}, status=422 if error else 200)


@require_POST
def bin_table(request: HttpRequest, public_id: str) -> HttpResponse:
    access = get_access_or_404(request, public_id, at_least=CIRCLE)
    tables.bin_table(access.table, by=access.device)
    return redirect("table", public_id)


@require_POST
def unbin_table(request: HttpRequest, public_id: str) -> HttpResponse:
    access = get_access_or_404(request, public_id, at_least=CIRCLE)
    tables.unbin_table(access.table, by=access.device)
    return redirect("table", public_id)
