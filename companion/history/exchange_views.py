"""The pages on which tables go out as files, and what they send. How a file is written is told in exchange/."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.db.models import QuerySet
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    HttpResponseRedirect,
    StreamingHttpResponse,
)
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from companion.history import lists, posters, short_links, showing
from companion.history.exchange import bgstats
from companion.history.exchange.fields import FORMAT, PARTS, VERSION
from companion.history.exchange.formats import FORMATS, OF_ONE, Format
from companion.history.exchange.records import Record, records
from companion.history.views import asked_of, filters_asked
from companion.invitations import short_scan
from companion.people.access import circle_of
from companion.tables import stage
from companion.tables.models import Table
from companion.tables.sittings import CIRCLE, Sitting, sitting_of


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def share_page(request: HttpRequest, public_id: str) -> HttpResponse:
    """The formats of one table; whoever posts gets a code to scan as well, which is shown nowhere else."""
    sitting = sitting_of(request, public_id, to=CIRCLE)
    record = _record(Table.objects.filter(pk=sitting.table.pk))
    context: dict[str, Any] = {**stage.common_context(sitting), "formats": OF_ONE.values(), "is_secret": record is None}
    told = showing.shown(record) if record else None
    if record is not None and told is not None:
        context |= {"told": showing.text_of(told), "file": _name(sitting)}
        context["link"] = bgstats.link(record)
        if request.method == "POST":
            context["scan"] = short_scan(request, short_links.shorten(sitting.table))
    return render(request, "history/share.html", context)


@never_cache
@require_safe
def picture(request: HttpRequest, public_id: str) -> HttpResponse:
    """The result as a picture, for everybody who may see it."""
    sitting = sitting_of(request, public_id)
    record = _record(Table.objects.filter(pk=sitting.table.pk))
    told = showing.shown(record) if record else None
    if told is None:
        raise Http404
    return HttpResponse(posters.picture(told), content_type="image/png")


@never_cache
@require_safe
def export_table(request: HttpRequest, public_id: str, word: str) -> HttpResponseBase:
    sitting = sitting_of(request, public_id, to=CIRCLE)
    tables = Table.objects.filter(pk=sitting.table.pk)
    if word not in OF_ONE or _record(tables) is None:
        raise Http404
    return _download(OF_ONE[word], tables, _name(sitting))


@never_cache
@require_safe
def export_page(request: HttpRequest) -> HttpResponse:
    """The formats for all tables to which the address narrows the history."""
    circle = circle_of(request)
    filters = filters_asked(request, circle)
    context = {
        "count": lists.tables_of(circle, filters).count(),
        "formats": FORMATS.values(),
        "asked": urlencode(asked_of(filters)),
    }
    return render(request, "history/export.html", context)


@never_cache
@require_safe
def export_history(request: HttpRequest, word: str) -> HttpResponseBase:
    if word not in FORMATS:
        raise Http404
    circle = circle_of(request)
    tables = lists.tables_of(circle, filters_asked(request, circle))
    return _download(FORMATS[word], tables, f"companion-{timezone.localdate():%Y-%m-%d}")


@never_cache
@require_safe
def short_link(request: HttpRequest, code: str) -> HttpResponse:
    """To the link that makes a play: whoever scans it needs to be nobody here."""
    record = _record(short_links.tables_behind(code))
    if record is None or not record.is_finished:
        raise Http404
    return HttpResponseRedirect(bgstats.link(record))


@require_safe
def formats_page(request: HttpRequest) -> HttpResponse:
    """Our own format, field by field."""
    return render(request, "history/formats.html", {"parts": PARTS, "format": FORMAT, "version": VERSION})


def _record(tables: QuerySet[Table]) -> Record | None:
    return next(records(tables), None)


def _name(sitting: Sitting) -> str:
    """Of a file about one table, without its suffix."""
    return f"{sitting.game.slug}-{sitting.table.began_at:%Y-%m-%d}"


def _download(format_: Format, tables: QuerySet[Table], name: str) -> StreamingHttpResponse:
    """The file, written while it is sent."""
    now: datetime = timezone.now()
    response = StreamingHttpResponse(format_.write(records(tables), now), content_type=format_.kind)
    response["Content-Disposition"] = f'attachment; filename="{name}.{format_.suffix}"'
    return response
