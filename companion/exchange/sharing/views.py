"""The page on which a match is shown to others: its result as a picture and as words, and its files and links."""

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
    """The formats of one table; whoever posts gets a code to scan as well, which is shown nowhere else."""
    access = get_access_or_404(request, public_id, to=CIRCLE)
    record = get_record(Table.objects.filter(pk=access.table.pk))
    context: dict[str, Any] = {
        **table_page.build_common_context(access),
        "formats": SINGLE_TABLE_FORMATS.values(),
        "is_secret": record is None,
    }
    told = result_text.build_result(record) if record else None
    if record is not None and told is not None:
        context |= {"result_text": result_text.format_result(told), "file_name": get_file_name(access)}
        context["bgstats_link"] = bgstats.build_link(record)
        if request.method == "POST":
            context["scan"] = build_short_link_qr(
                request, short_links.create_short_link(access.table, by=access.device)
            )
    return render(request, "exchange/share.html", context)


@never_cache
@require_safe
@limit_concurrency()
def result_picture(request: HttpRequest, public_id: str) -> HttpResponse:
    """The result as a picture, for everybody who may see it."""
    access = get_access_or_404(request, public_id)
    record = get_record(Table.objects.filter(pk=access.table.pk))
    told = result_text.build_result(record) if record else None
    if told is None:
        raise Http404
    return HttpResponse(result_image.draw_result(told), content_type="image/png")


@never_cache
@require_safe
@limit_concurrency()
def short_link(request: HttpRequest, code: str) -> HttpResponse:
    """To the link that makes a play: whoever scans it needs to be nobody here."""
    record = get_record(short_links.find_tables(code))
    if record is None or not record.is_finished:
        raise Http404
    return HttpResponseRedirect(bgstats.build_link(record))
