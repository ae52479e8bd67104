"""Polling view for new entries of a table."""

from __future__ import annotations

import re

from django.http import HttpRequest, HttpResponse, HttpResponseNotModified, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from companion.tables.auth import get_access_or_404
from companion.tables.presenters import score_sheet
from companion.web.i18n import translate_plain
from companion.web.static_files import get_release_id

_VERSION = re.compile(r'(?:W/)?"([0-9]{1,6})"', re.ASCII)


@never_cache
@require_safe
def answer_poll(request: HttpRequest, public_id: str) -> HttpResponse:
    """Return 304 if the version in If-None-Match is current; else the newest entry and how many others are new."""
    access = get_access_or_404(request, public_id)
    log, version = access.cached_log.log, access.cached_log.version
    seen = _VERSION.fullmatch(request.headers.get("If-None-Match", ""))
    response: HttpResponse
    if seen and int(seen[1]) == version:
        response = HttpResponseNotModified()
    else:
        newest = [score_sheet.describe_visible_entry(access, entry) for entry in log.entries[-1:]]
        text = translate_plain(newest[0], access.names) if newest else ""
        more = max(version - int(seen[1] if seen else 0) - 1, 0)
        response = JsonResponse({"version": version, "text": text, "more": more})
    response["ETag"] = f'"{version}"'
    response["X-Release"] = get_release_id()
    return response
