"""Gives every request an id, and tells of it in one line; what a line looks like is in journal.py."""

from __future__ import annotations

import logging
import re
import secrets
import time
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase

from companion.people.auth import COOKIE_NAME
from companion.web.logging import CURRENT_REQUEST, RequestLog, mask_address, request_logger, short_hash

HEADER = "X-Request-ID"
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_UUID = re.compile(r"[0-9a-f]{8}(-?)[0-9a-f]{4}(?:\1[0-9a-f]{4}){2}\1[0-9a-f]{12}", re.ASCII)
"""What a proxy may call a request: with or without its hyphens. Nothing that anybody has typed looks like it."""


class RequestLogMiddleware:
    """The first of all, so that whatever is answered has an id, and a line."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        began = time.perf_counter()
        device = short_hash(request.COOKIES.get(COOKIE_NAME, "")[:64])
        trace = RequestLog(_id_of(request), device, mask_address(request.META.get("REMOTE_ADDR", "")))
        before = CURRENT_REQUEST.set(trace)
        try:
            response = self.get_response(request)
            response.headers[HEADER] = trace.id
            _tell(request, response, trace, time.perf_counter() - began)
        finally:
            CURRENT_REQUEST.reset(before)
        return response


def _id_of(request: HttpRequest) -> str:
    """The id that the trusted proxy gives, or a new one."""
    given = request.META.get("HTTP_X_REQUEST_ID", "")
    # Who else sends such headers has lost them by now: the server takes them from the trusted proxy alone.
    is_trusted = settings.TRUSTED_PROXY and "HTTP_X_FORWARDED_FOR" in request.META
    return given if is_trusted and _UUID.fullmatch(given) else secrets.token_hex(6)


def _tell(request: HttpRequest, response: HttpResponseBase, trace: RequestLog, seconds: float) -> None:
    level = _level(request, response.status_code)
    if not request_logger.isEnabledFor(level):
        return
    told = {
        "route": _route(request),
        "method": request.method if request.method in METHODS else "?",
        "status": response.status_code,
        "ms": round(seconds * 1000, 1),
        "role": trace.role,
        "device": trace.device,
        "network": trace.network,
    }
    if trace.failure:
        told["failure"] = trace.failure
    request_logger.log(level, "request", extra={"told": told})


def _route(request: HttpRequest) -> str:
    """The name of the address, never the address: it holds ids and keys."""
    if request.resolver_match:
        return request.resolver_match.view_name
    return "static" if request.path_info.startswith(settings.STATIC_URL) else ""


def _level(request: HttpRequest, status: int) -> int:
    """Files, and every phone's question whether there is news where there is none, would bury all else."""
    if status >= 500:
        return logging.ERROR
    is_pulse = status == 304 and request.resolver_match is not None
    is_file = request.resolver_match is None and status < 400
    return logging.DEBUG if is_pulse or is_file else logging.INFO
