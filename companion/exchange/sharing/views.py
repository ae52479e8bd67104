"""Views for sharing a table."""

from dataclasses import dataclass, replace
from functools import cached_property

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from companion.exchange.export_records import TableRecord, get_record
from companion.exchange.formats.bgstats import export as bgstats
from companion.exchange.formats.registry import SINGLE_TABLE_FORMATS, ExportFormat
from companion.exchange.sharing import result_image, result_text, short_links
from companion.tables.auth import CIRCLE, get_access_or_404
from companion.tables.models import Table
from companion.tables.presenters.base_page import BasePage
from companion.web.concurrency import limit_concurrency
from companion.web.qr import QrCode, build_short_link_qr


@dataclass(frozen=True)
class SharePage(BasePage):
    """A table as a result to show, as a play for BG Stats, and as files."""

    record: TableRecord | None
    """None if the table can't be shared yet."""
    qr_code: QrCode | None = None

    @property
    def files(self) -> list[tuple[ExportFormat, str]]:
        """The formats, with the addresses of their files."""
        formats, public_id = SINGLE_TABLE_FORMATS.values(), self.table.public_id
        return [(item, reverse("export-table", args=[public_id, item.slug])) for item in formats]

    @cached_property
    def result_text(self) -> str:
        """Empty without a result, as is the link."""
        result = result_text.build_result(self.record) if self.record else None
        return result_text.format_result(result) if result else ""

    @cached_property
    def bgstats_link(self) -> str:
        return bgstats.build_link(self.record) if self.record and self.result_text else ""

    @property
    def result_rows(self) -> int:
        """Lines of a text field that shows the whole result, with one to spare."""
        return self.result_text.count("\n") + 2


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@limit_concurrency()
def share_page(request: HttpRequest, public_id: str) -> HttpResponse:
    """Show the result and the export formats; on POST, also a QR code of a short link, for another phone to scan."""
    access = get_access_or_404(request, public_id, at_least=CIRCLE)
    page = SharePage(access, get_record(Table.objects.filter(pk=access.table.pk)))
    if request.method == "POST" and page.result_text:
        short_link = short_links.create_short_link(access.table, by=access.device)
        page = replace(page, qr_code=build_short_link_qr(request, short_link))
    return render(request, "exchange/share.html", {"page": page})


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
