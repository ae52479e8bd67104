"""Views for sharing a table."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from companion.exchange.export_records import get_record
from companion.exchange.export_views import get_file_name
from companion.exchange.formats.bgstats import export as bgstats
from companion.exchange.formats.registry import SINGLE_TABLE_FORMATS
from companion.exchange.sharing import result_image, result_text, short_links
from companion.tables.auth import CIRCLE, get_access_or_404
from companion.tables.models import Table
from companion.tables.presenters import table_page
from companion.web.concurrency import limit_concurrency
from companion.web.qr import build_short_link_qr


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@limit_concurrency()
def share_page(request: HttpRequest, public_id: str) -> HttpResponse:
    """Show the result and the export formats; on POST, also a QR code with a short link."""
    access = get_access_or_404(request, public_id, at_least=CIRCLE)
    record = get_record(Table.objects.filter(pk=access.table.pk))
    context: dict[str, Any] = {
        **table_page.build_common_context(access),
        "formats": SINGLE_TABLE_FORMATS.values(),
        "is_secret": record is None,
    }
    result = result_text.build_result(record) if record else None
    if record is not None and result is not None:
        context |= {"result_text": result_text.format_result(result), "file_name": get_file_name(access)}
        context["bgstats_link"] = bgstats.build_link(record)
        if request.method == "POST":
            context["qr_code"] = build_short_link_qr(
                request, short_links.create_short_link(access.table, by=access.device)
            )
    return render(request, "exchange/share.html", context)


@never_cache
@require_safe
@limit_concurrency()
def result_picture(request: HttpRequest, public_id: str) -> HttpResponse:
    """Return the result as a PNG, for everyone with access to the table."""
    access = get_access_or_404(request, public_id)
    record = get_record(Table.objects.filter(pk=access.table.pk))
    result = result_text.build_result(record) if record else None
    if result is None:
        raise Http404
    return HttpResponse(result_image.draw_result(result), content_type="image/png")


@never_cache
@require_safe
@limit_concurrency()
def short_link(request: HttpRequest, code: str) -> HttpResponse:
    """Redirect to the BG Stats link; no access to the table is needed."""
    record = get_record(short_links.find_tables(code))
    if record is None or not record.is_finished:
        raise Http404
    return HttpResponseRedirect(bgstats.build_link(record))
