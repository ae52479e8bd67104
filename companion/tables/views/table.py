"""Views of a table: its page, entries, log, corrections, details and bin."""

from __future__ import annotations

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from companion.core.entry import TARGETED
from companion.core.schema import Malformed, parse_small_number
from companion.db.errors import mark_committed
from companion.people.validators import clean_note
from companion.tables.auth import CIRCLE, SCORER, ViewOnly, get_access_or_404
from companion.tables.forms import entry, pad
from companion.tables.forms.details import build_form_values, parse_details
from companion.tables.presenters import endings, score_sheet, table_page
from companion.tables.services import details, entries, tables
from companion.tables.services.throttle import check_entry_rate
from companion.tables.views import entry_responses, htmx

LINES_PER_PAGE = 60


@never_cache
@require_safe
def show_table(request: HttpRequest, public_id: str) -> HttpResponse:
    access = get_access_or_404(request, public_id)
    context = table_page.build_table_context(
        access,
        mode=request.GET.get("way", ""),
        number=parse_small_number(request.GET.get("round", "")) or 0,
        is_for_all="all" in request.GET,
    )
    return htmx.render_page_or_part(request, table_page.TABLE_TEMPLATE, context)


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
            access.table, seats=len(access.names), device=access.device, new_entries=new_entries
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
    context = {**table_page.build_common_context(access), "preview": preview.limit_to_boxes(request.POST)}
    return render(request, "tables/_preview_update.html", context)


@never_cache
@require_safe
def show_log(request: HttpRequest, public_id: str) -> HttpResponse:
    """Show the log, or only its amendments, newest first, paginated."""
    access = get_access_or_404(request, public_id)
    log_entries = access.cached_log.log.entries
    before = parse_small_number(request.GET.get("before", "")) or len(log_entries) + 1
    number = parse_small_number(request.GET.get("round", ""))
    kinds = TARGETED if "corrections" in request.GET else None
    matching = [
        e for e in log_entries if e.number < before and number in (None, e.round) and (not kinds or e.kind in kinds)
    ]
    page = matching[-LINES_PER_PAGE:]
    context = {
        **table_page.build_common_context(access),
        "lines": table_page.build_visible_log_lines(access, reversed(page)),
        "binning": endings.get_binning(access),
        "next_before": page[0].number if len(matching) > len(page) else None,
        "round_number": number,
        "is_corrections": kinds is not None,
        "has_corrections": score_sheet.count_corrections(access.cached_log.log) > 0,
        "entry_counts": score_sheet.count_entries_by_device(
            access.cached_log, score_sheet.get_device_labels(access.cached_log, access.device)
        ),
    }
    return render(request, "tables/log.html", context)


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
    context = table_page.build_correction_context(access, step, is_insertion="forgotten" in request.GET, seat=seat)
    return render(request, table_page.CORRECTION_TEMPLATE, {**context, "notice": None})


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
    context = {
        **table_page.build_common_context(access),
        "error": error,
        "typed": build_form_values(request.POST, access.table),
        "places": details.suggest_places(access.table),
        "is_finished": access.match.standing.is_over or access.cached_log.log.is_closed,
    }
    return render(request, "tables/details.html", context, status=422 if error else 200)


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
