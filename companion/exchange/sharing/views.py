"""Views for sharing a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from companion.core.game import Game
from companion.core.text import Text
from companion.exchange.export_records import get_record
from companion.exchange.export_views import FileLink, get_file_name
from companion.exchange.formats.bgstats import export as bgstats
from companion.exchange.formats.registry import SINGLE_TABLE_FORMATS
from companion.exchange.sharing import result_image, result_text, short_links
from companion.tables.auth import CIRCLE, TableAccess, get_access_or_404
from companion.tables.models import Table
from companion.web.concurrency import limit_concurrency
from companion.web.qr import QrCode, build_short_link_qr


@dataclass(frozen=True)
class SharePage:
    """A table as a result to show, as a play for BG Stats, and as files; a secret one can't be shared yet."""

    table: Table
    game: Game
    title: Text
    names: Sequence[str]
    is_secret: bool
    files: tuple[FileLink, ...]
    file_name: str
    """Without its suffix."""
    result_text: str
    """Empty without a result, as is the link."""
    bgstats_link: str
    qr_code: QrCode | None

    @property
    def result_rows(self) -> int:
        """Lines of a text field that shows the whole result, with one to spare."""
        return self.result_text.count("\n") + 2


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@limit_concurrency()
def share_page(request: HttpRequest, public_id: str) -> HttpResponse:
    """Show the result and the export formats; on POST, also a QR code with a short link."""
    access = get_access_or_404(request, public_id, at_least=CIRCLE)
    record = get_record(Table.objects.filter(pk=access.table.pk))
    result = result_text.build_result(record) if record else None
    links_to_app = result is not None and request.method == "POST"
    page = SharePage(
        table=access.table,
        game=access.game,
        title=access.game.get_table_title(access.match.options),
        names=access.names,
        is_secret=record is None,
        files=tuple(
            FileLink(item, reverse("export-table", args=[access.table.public_id, item.slug]))
            for item in SINGLE_TABLE_FORMATS.values()
        ),
        file_name=get_file_name(access),
        result_text=result_text.format_result(result) if result else "",
        bgstats_link=bgstats.build_link(record) if record and result else "",
        qr_code=_create_qr_code(request, access) if links_to_app else None,
    )
    return render(request, "exchange/share.html", {"page": page})


def _create_qr_code(request: HttpRequest, access: TableAccess) -> QrCode:
    """Create a short link to the table, for another phone to scan."""
    return build_short_link_qr(request, short_links.create_short_link(access.table, by=access.device))


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
