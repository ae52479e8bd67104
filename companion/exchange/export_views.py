"""Views for exporting tables."""

from dataclasses import dataclass
from tempfile import SpooledTemporaryFile
from urllib.parse import urlencode

from django.db.models import QuerySet
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from companion.exchange.export_records import get_record, iter_records
from companion.exchange.formats.companion_schema import OBJECT_TYPES
from companion.exchange.formats.registry import FORMATS, SINGLE_TABLE_FORMATS, ExportFormat
from companion.history import queries
from companion.history.views import parse_export_filters
from companion.people.auth import get_circle
from companion.tables.auth import CIRCLE, get_access_or_404
from companion.tables.models import Table
from companion.tables.presenters.base_page import BasePage
from companion.web.concurrency import limit_concurrency

MAX_MEMORY = 1_000_000
"""Bytes; a larger download is buffered on disk."""


@dataclass(frozen=True)
class ExportPage:
    """The formats, with the addresses of their files; `query` holds the filters of the history."""

    count: int
    query: str

    @property
    def files(self) -> list[tuple[ExportFormat, str]]:
        query = f"?{self.query}" if self.query else ""
        return [(item, reverse("export-history", args=[item.slug]) + query) for item in FORMATS.values()]


@never_cache
@require_safe
@limit_concurrency()
def export_table(request: HttpRequest, public_id: str, slug: str) -> HttpResponseBase:
    access = get_access_or_404(request, public_id, at_least=CIRCLE)
    tables = Table.objects.filter(pk=access.table.pk)
    if slug not in SINGLE_TABLE_FORMATS or get_record(tables) is None:
        raise Http404
    return _download(SINGLE_TABLE_FORMATS[slug], tables, BasePage(access).file_name)


@never_cache
@require_safe
def export_page(request: HttpRequest) -> HttpResponse:
    """List the formats for all tables that the filters of the history select."""
    circle = get_circle(request)
    filters = parse_export_filters(request, circle)
    query = urlencode(filters.params)
    page = ExportPage(queries.filter_tables(circle, filters).count(), query)
    return render(request, "exchange/export.html", {"page": page})


@never_cache
@require_safe
@limit_concurrency()
def export_history(request: HttpRequest, slug: str) -> HttpResponseBase:
    if slug not in FORMATS:
        raise Http404
    circle = get_circle(request)
    tables = queries.filter_tables(circle, parse_export_filters(request, circle))
    return _download(FORMATS[slug], tables, f"companion-{timezone.localdate():%Y-%m-%d}")


@require_safe
def formats_page(request: HttpRequest) -> HttpResponse:
    """Document the Companion JSON format."""
    return render(request, "exchange/formats.html", {"object_types": OBJECT_TYPES})


class _DownloadFile(SpooledTemporaryFile[bytes]):
    """A temporary file closed by the response, or by the garbage collector if nothing is sent."""

    def __del__(self) -> None:
        self.close()


def _download(export_format: ExportFormat, tables: QuerySet[Table], name: str) -> FileResponse:
    """Write the whole file before sending it, so that a slow download blocks nobody."""
    file = _DownloadFile(MAX_MEMORY)
    for chunk in export_format.write(iter_records(tables), timezone.now()):
        file.write(chunk.encode() if isinstance(chunk, str) else chunk)
    file.seek(0)
    file_name = f"{name}.{export_format.suffix}"
    return FileResponse(file, as_attachment=True, filename=file_name, content_type=export_format.content_type)
