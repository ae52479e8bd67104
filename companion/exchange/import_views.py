"""Views for importing a file and matching its players and games."""

from __future__ import annotations

import re
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
from companion.core.text import Text, _, ngettext
from companion.exchange import importer, name_matching
from companion.exchange.import_data import BadFile, ImportFile
from companion.exchange.match_form import MAX_FIELDS, MatchField, MatchForm
from companion.exchange.name_matching import Choices, FileMatch
from companion.exchange.serialization import unpack
from companion.exchange.upload_reader import parse_in_child
from companion.history import uploads
from companion.history.models import Upload
from companion.people.auth import create_circle, create_member_device, get_device, set_device_cookie
from companion.people.models import Circle, Device
from companion.people.rate_limits import RateLimitExceeded, count_new_circle, count_upload
from companion.web.concurrency import limit_concurrency
from companion.web.logging import Event, log_security_event

MAX_REASONS = 20
MAX_ATTEMPTS = 5
"""Players can be merged or erased during an import."""
_LINE = re.compile(r"line ([0-9]{1,9})")


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def import_page(request: HttpRequest) -> HttpResponse:
    """Show the upload form; store a valid file until its players are matched."""
    if request.method != "POST":
        return _render_form(request)
    try:
        name, content = _read_file(request)
    except RateLimitExceeded as error:
        return _render_form(request, BadFile("", _format_rate_limit(error)), wait=error.wait)
    except BadFile as error:
        log_security_event(Event.IMPORT_REFUSED)
        return _render_form(request, error)
    device, token = get_device(request), ""
    with transaction.atomic():
        if device is None:
            count_new_circle(request)
            device, token = create_member_device(request)
        upload = uploads.save_upload(device.circle or create_circle(device), device, name=name, content=content)
    response = redirect("import-match", upload.pk)
    if token:
        set_device_cookie(response, token)
    return response


@limit_concurrency()
def _read_file(request: HttpRequest) -> tuple[str, bytes]:
    """Return the name and the packed contents of the uploaded file. Raises BadFile and RateLimitExceeded."""
    count_upload(request)
    name, content = _get_file(request)
    return name, parse_in_child(content, name)


def _get_file(request: HttpRequest) -> tuple[str, bytes]:
    """Return the name and the content of the uploaded file. Raises BadFile."""
    upload = request.FILES.get("file")
    length = request.headers.get("Content-Length", "")
    if (upload and (upload.size or 0) > limits.MAX_FILE_BYTES) or (
        not upload and (parse_small_number(length) or 0) > limits.MAX_FILE_BYTES
    ):
        raise BadFile("", refusals.FILE_TOO_LARGE.with_values(n=limits.MAX_FILE_BYTES // 1_000_000))
    if not upload:
        raise BadFile("", _("Choose a file first."))
    return upload.name or "", upload.read()


def _format_rate_limit(error: RateLimitExceeded) -> Text:
    return ngettext(
        "Too many files uploaded. Try again in {n} minute.",
        "Too many files uploaded. Try again in {n} minutes.",
        error.minutes,
    )


@dataclass(frozen=True)
class ImportPage:
    """The upload form, after a refusal with the reason and, if known, the place in the file."""

    error: Text | None
    location: Text | None
    max_megabytes: int = limits.MAX_FILE_BYTES // 1_000_000


def _render_form(request: HttpRequest, error: BadFile | None = None, *, wait: int = 0) -> HttpResponse:
    location = _format_location(error.where) if error and error.where else None
    page = ImportPage(error.text if error else None, location)
    response = render(request, "exchange/import.html", {"page": page}, status=429 if wait else 422 if error else 200)
    if wait:
        response.headers["Retry-After"] = str(wait)
    return response


def _format_location(location: str) -> Text:
    line = _LINE.fullmatch(location)
    return _("Line {n}", n=int(line[1])) if line else Text("{location}", (("location", location),))


@dataclass(frozen=True)
class _PendingImport:
    """A stored upload with its matches."""

    upload: Upload
    circle: Circle
    file: ImportFile
    file_match: FileMatch

    def build_form(self, request: HttpRequest) -> MatchForm:
        return MatchForm(self.circle, self.file, self.file_match, request.POST)


@dataclass(frozen=True)
class SkippedRow:
    """Where in the file a table is that cannot be represented here, and why."""

    location: Text
    reason: Text


@dataclass(frozen=True)
class MatchPage:
    """The players and games of a file, each with a field for who or what it is here."""

    upload: Upload
    total: int
    new_count: int
    known_count: int
    players: tuple[MatchField, ...]
    unlisted_count: int
    games: tuple[MatchField, ...]
    skipped: tuple[SkippedRow, ...]
    skipped_count: int
    error: Text | None

    @property
    def has_more_skipped(self) -> bool:
        return self.skipped_count > len(self.skipped)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@limit_concurrency()
def match_page(request: HttpRequest, number: int) -> HttpResponse:
    """Show the matches; on POST, import the new tables and delete the upload."""
    device = get_device(request)
    circle = device.circle if device else None
    upload = Upload.objects.filter(circle=circle, pk=number).first() if circle else None
    if device is None or circle is None or upload is None:
        raise Http404
    try:
        pending = _load_pending(circle, upload, has_entries=request.method == "POST")
    except BadFile as error:  # stored by another version
        return _render_form(request, error)
    if request.method != "POST":
        return _render_match(request, pending)
    try:
        result = _import(request, pending, device)
    except Malformed as error:
        return _render_match(request, pending, error)
    upload.delete()
    counts = {"new": result.new, "known": result.known, "left": result.skipped}
    return redirect(f"{reverse('history')}?{urlencode(counts)}")


def _load_pending(circle: Circle, upload: Upload, *, has_entries: bool) -> _PendingImport:
    file = unpack(bytes(upload.content), has_entries=has_entries)
    return _PendingImport(upload, circle, file, name_matching.match_file(circle, file))


def _import(request: HttpRequest, pending: _PendingImport, by: Device) -> importer.ImportResult:
    """Import the file as chosen. Raises Malformed and Http404."""
    for _attempt in range(MAX_ATTEMPTS - 1):
        try:
            return importer.import_tables(
                pending.circle, pending.file, _parse_choices(request, pending), pending.upload, by=by
            )
        except (IntegrityError, importer.ImportAlreadyStarted):  # by another import, or a merge or erasure
            pending.upload.is_begun = not Upload.objects.filter(pk=pending.upload.pk, is_begun=False).exists()
            pending = replace(pending, file_match=name_matching.match_file(pending.circle, pending.file))
    return importer.import_tables(pending.circle, pending.file, _parse_choices(request, pending), pending.upload, by=by)


def _parse_choices(request: HttpRequest, pending: _PendingImport) -> Choices:
    """Return the submitted choices. Raises Malformed.

    An interrupted import keeps the players it started with, whatever an old page submits.
    """
    return (
        pending.file_match.default_choices if pending.upload.is_begun else pending.build_form(request).parse_choices()
    )


def _render_match(request: HttpRequest, pending: _PendingImport, error: Malformed | None = None) -> HttpResponse:
    form, file_match, skipped = pending.build_form(request), pending.file_match, pending.file.skipped
    page = MatchPage(
        upload=pending.upload,
        total=len(pending.file.tables),
        new_count=len(file_match.new_tables),
        known_count=file_match.known_count,
        players=form.build_player_fields(),
        unlisted_count=max(len(file_match.players) - MAX_FIELDS, 0),
        games=form.build_game_fields(),
        skipped=tuple(SkippedRow(_format_location(where), reason) for where, reason in skipped[:MAX_REASONS]),
        skipped_count=len(skipped),
        error=error.text if error else None,
    )
    return render(request, "exchange/match.html", {"page": page}, status=422 if error else 200)
