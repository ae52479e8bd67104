"""The pages of a table, and the one view that records every entry of every game."""

from __future__ import annotations

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from companion.core.fields import Malformed, small_number
from companion.core.log import AIMED
from companion.faults import after_all
from companion.people.names import clean_note
from companion.tables import answers, details, endings, hypermedia, pages, posting, services, stage
from companion.tables.pace import check_pace
from companion.tables.sittings import CIRCLE, SCORER, LooksOnly, sitting_of

LINES_A_PAGE = 60


@never_cache
@require_safe
def table_page(request: HttpRequest, public_id: str) -> HttpResponse:
    sitting = sitting_of(request, public_id)
    context = stage.table_context(
        sitting,
        way=request.GET.get("way", ""),
        number=small_number(request.GET.get("round", "")) or 0,
        is_for_all="all" in request.GET,
    )
    return hypermedia.answer(request, stage.TEMPLATE, context)


@never_cache
@require_POST
def record_entry(request: HttpRequest, public_id: str) -> HttpResponse:
    sitting = sitting_of(request, public_id)
    try:
        if not sitting.may_enter:
            raise LooksOnly
        posted = posting.read(request.POST, sitting.game)
        drafts = posting.drafts(posted, sitting.match, answers.stood(sitting, posted), answers.seen(sitting, posted))
        if not sitting.is_of_circle:
            check_pace(sitting.known, sitting.device, len(drafts))
        result = services.record(sitting.table, seats=len(sitting.names), device=sitting.device, drafts=drafts)
    except answers.EXPECTED as error:
        return answers.refused(request, sitting, error)
    with after_all():
        return answers.recorded(request, sitting, posted, result)


@never_cache
@require_POST
def preview_counts(request: HttpRequest, public_id: str) -> HttpResponse:
    """What the boxes of the pad would score as they are filled in now; nothing is recorded."""
    sitting = sitting_of(request, public_id, to=SCORER)
    preview = answers.preview(request.POST, sitting.match, alone=sitting.table.hides_counts)
    context = {**stage.common_context(sitting), "preview": preview.only(request.POST)}
    return render(request, "tables/_previewed.html", context)


@never_cache
@require_safe
def log_page(request: HttpRequest, public_id: str) -> HttpResponse:
    """The whole log, or only what changed something in it, newest first, in pages."""
    sitting = sitting_of(request, public_id)
    entries = sitting.known.log.entries
    before = small_number(request.GET.get("before", "")) or len(entries) + 1
    number = small_number(request.GET.get("round", ""))
    kinds = AIMED if "corrections" in request.GET else None
    wanted = [e for e in entries if e.number < before and number in (None, e.round) and (not kinds or e.kind in kinds)]
    kept = wanted[-LINES_A_PAGE:]
    context = {
        **stage.common_context(sitting),
        "lines": stage.lines(sitting, reversed(kept)),
        "binning": endings.binning_of(sitting),
        "next_before": kept[0].number if len(wanted) > len(kept) else None,
        "round_number": number,
        "is_corrections": kinds is not None,
        "has_corrections": pages.corrections(sitting.known.log) > 0,
        "enterers": pages.enterers(sitting.known, pages.device_labels(sitting.known, sitting.device)),
    }
    return render(request, "tables/log.html", context)


@never_cache
@require_safe
def correct_page(request: HttpRequest, public_id: str, number: int) -> HttpResponse:
    sitting = sitting_of(request, public_id, to=SCORER)
    step = sitting.known.log.step(number)
    if step is None or step.act.kind not in sitting.game.kinds:
        raise Http404
    if number in sitting.visibility.hidden:
        raise PermissionDenied
    seat = small_number(request.GET.get("seat", ""))
    context = stage.correction_context(sitting, step, is_insertion="forgotten" in request.GET, seat=seat)
    return render(request, stage.CORRECTION, {**context, "notice": None})


@never_cache
@require_POST
def change_note(request: HttpRequest, public_id: str) -> HttpResponse:
    sitting = sitting_of(request, public_id, to=CIRCLE)
    note = request.POST.get("note", "")
    try:
        details.set_note(sitting.table, note=clean_note(note), by=sitting.device)
    except Malformed as error:
        sitting.table.note = note  # on the page again, not in the database
        return answers.refused(request, sitting, error)
    return redirect("table", public_id)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def details_page(request: HttpRequest, public_id: str) -> HttpResponse:
    """When and where a table was, how long it lasted, and a note."""
    sitting = sitting_of(request, public_id, to=CIRCLE)
    error = None
    if request.method == "POST":
        try:
            details.set_details(sitting.table, details.read(request.POST, sitting.table), by=sitting.device)
            return redirect("table", public_id)
        except Malformed as wrong:
            error = wrong.text
    context = {
        **stage.common_context(sitting),
        "error": error,
        "typed": details.typed(request.POST, sitting.table),
        "places": details.places_offered(sitting.table),
        "is_finished": sitting.match.standing.is_over or sitting.known.log.is_closed,
    }
    return render(request, "tables/details.html", context, status=422 if error else 200)


@require_POST
def bin_table(request: HttpRequest, public_id: str) -> HttpResponse:
    sitting = sitting_of(request, public_id, to=CIRCLE)
    services.bin_table(sitting.table, by=sitting.device)
    return redirect("table", public_id)


@require_POST
def unbin_table(request: HttpRequest, public_id: str) -> HttpResponse:
    sitting = sitting_of(request, public_id, to=CIRCLE)
    services.unbin_table(sitting.table, by=sitting.device)
    return redirect("table", public_id)
