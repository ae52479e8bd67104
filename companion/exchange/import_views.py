"""Views for importing a file and matching its players and games."""

from dataclasses import dataclass, replace
from urllib.parse import urlencode

from django.db import IntegrityError, transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from companion import limits
from companion.core import refusals
from companion.core.schema import Malformed, parse_small_number
from companion.core.text import _, ngettext
from companion.exchange.detect import parse_in_child
from companion.exchange.import_data import BadFile
from companion.exchange.importer import ImportAlreadyStarted, ImportResult, import_tables, save_upload
from companion.exchange.match_form import MatchForm
from companion.exchange.name_matching import match_file
from companion.exchange.serialization import unpack
from companion.history.models import Upload
from companion.people.auth import create_circle, create_member_device, get_device, set_device_cookie
from companion.people.models import Device
from companion.people.rate_limits import RateLimitExceeded, count_new_circle, count_upload
from companion.web.concurrency import limit_concurrency
from companion.web.logging import Event, log_security_event

MAX_ATTEMPTS = 5
"""Players can be merged or erased during an import."""


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def import_page(request: HttpRequest) -> HttpResponse:
    """Show the upload form; store a valid file until its players are matched."""
    if request.method != "POST":
        return _render_form(request)
    try:
        name, content = _read_file(request)
    except RateLimitExceeded as error:
        refusal = ngettext(
            "Too many files uploaded. Try again in {n} minute.",
            "Too many files uploaded. Try again in {n} minutes.",
            error.minutes,
        )
        return _render_form(request, BadFile("", refusal), wait=error.wait)
    except BadFile as error:
        log_security_event(Event.IMPORT_REFUSED)
        return _render_form(request, error)
    device, token = get_device(request), ""
    with transaction.atomic():
        if device is None:
            count_new_circle(request)
            device, token = create_member_device(request)
        upload = save_upload(device.circle or create_circle(device), device, name=name, content=content)
    response = redirect("import-match", upload.pk)
    if token:
        set_device_cookie(response, token)
    return response


@limit_concurrency()
def _read_file(request: HttpRequest) -> tuple[str, bytes]:
    """Return the name and the packed contents of the uploaded file. Raises BadFile and RateLimitExceeded."""
    count_upload(request)
    upload = request.FILES.get("file")
    size = upload.size if upload else parse_small_number(request.headers.get("Content-Length", ""))
    if (size or 0) > limits.MAX_FILE_BYTES:
        raise BadFile("", refusals.FILE_TOO_LARGE.with_values(n=limits.MAX_FILE_BYTES // 1_000_000))
    if not upload:
        raise BadFile("", _("Choose a file first."))
    name = upload.name or ""
    return name, parse_in_child(upload.read(), name)


@dataclass(frozen=True)
class ImportPage:
    """The upload form, after a refusal with its reason."""

    error: BadFile | None
    max_megabytes = limits.MAX_FILE_BYTES // 1_000_000


def _render_form(request: HttpRequest, error: BadFile | None = None, *, wait: int = 0) -> HttpResponse:
    status = 429 if wait else 422 if error else 200
    response = render(request, "exchange/import.html", {"page": ImportPage(error)}, status=status)
    if wait:
        response.headers["Retry-After"] = str(wait)
    return response


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@limit_concurrency()
def match_page(request: HttpRequest, number: int) -> HttpResponse:
    """Show the matches; on POST, import the new tables and delete the upload."""
    device = get_device(request)
    circle = device.circle if device else None
    upload = Upload.objects.filter(circle=circle, pk=number).select_related("circle").first() if circle else None
    if device is None or upload is None:
        raise Http404
    try:
        file = unpack(bytes(upload.content), has_entries=request.method == "POST")
    except BadFile as error:  # stored by another version
        return _render_form(request, error)
    form = MatchForm(upload, match_file(upload.circle, file), request.POST)
    if request.method != "POST":
        return render(request, "exchange/match.html", {"page": form})
    try:
        result = _import(form, device)
    except Malformed as error:
        return render(request, "exchange/match.html", {"page": replace(form, error=error.text)}, status=422)
    upload.delete()
    counts = {"new": result.new, "known": result.known, "left": result.skipped}
    return redirect(f"{reverse('history')}?{urlencode(counts)}")


def _import(form: MatchForm, by: Device) -> ImportResult:
    """Import the file as chosen. Raises Malformed and Http404."""
    upload, attempts = form.upload, 1
    while True:
        try:
            return import_tables(form.parse_match(), upload, by=by)
        except (IntegrityError, ImportAlreadyStarted):  # by another import, or a merge or erasure
            if attempts == MAX_ATTEMPTS:
                raise
        attempts += 1
        upload.is_begun = not Upload.objects.filter(pk=upload.pk, is_begun=False).exists()
        form = replace(form, file_match=match_file(upload.circle, form.file_match.file))
