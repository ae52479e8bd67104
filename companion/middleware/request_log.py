"""Request ids, and one log line a request."""

import logging
import re
import secrets
import time
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase

from companion.people.auth import COOKIE_NAME
from companion.web.logging import CURRENT_REQUEST, RequestLog, request_logger, short_hash
from companion.web.networks import get_network

HEADER = "X-Request-ID"
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_UUID = re.compile(r"[0-9a-f]{8}(-?)[0-9a-f]{4}(?:\1[0-9a-f]{4}){2}\1[0-9a-f]{12}", re.ASCII)
"""The ids accepted from a proxy, with or without hyphens. Nothing that anybody types looks like one."""


class RequestLogMiddleware:
    """Give every response an id and a log line; must be the first middleware."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        started = time.perf_counter()
        device = short_hash(request.COOKIES.get(COOKIE_NAME, "")[:64])
        network = get_network(request.META.get("REMOTE_ADDR", ""), ipv4_bits=24, ipv6_bits=48)
        request_log = RequestLog(_choose_id(request), device, network)
        token = CURRENT_REQUEST.set(request_log)
        try:
            response = self.get_response(request)
            response.headers[HEADER] = request_log.id
            _log(request, response, request_log, time.perf_counter() - started)
        finally:
            CURRENT_REQUEST.reset(token)
        return response


def _choose_id(request: HttpRequest) -> str:
    """Return the id given by the trusted proxy, or a new one."""
    proxy_id = request.META.get("HTTP_X_REQUEST_ID", "")
    # The server has stripped X-Forwarded-For from everybody but the trusted proxy.
    is_trusted = settings.TRUSTED_PROXY and "HTTP_X_FORWARDED_FOR" in request.META
    return proxy_id if is_trusted and _UUID.fullmatch(proxy_id) else secrets.token_hex(6)


def _log(request: HttpRequest, response: HttpResponseBase, request_log: RequestLog, seconds: float) -> None:
    level = _choose_level(request, response.status_code)
    if not request_logger.isEnabledFor(level):
        return
    fields = {
        "route": _get_route(request),
        "method": request.method if request.method in METHODS else "?",
        "status": response.status_code,
        "ms": round(seconds * 1000, 1),
        "role": request_log.role,
        "device": request_log.device,
        "network": request_log.network,
    }
    if request_log.failure:
        fields["failure"] = request_log.failure
    request_logger.log(level, "request", extra={"fields": fields})


def _get_route(request: HttpRequest) -> str:
    """Return the name of the route; never the path, which holds ids and keys."""
    if request.resolver_match:
        return request.resolver_match.view_name
    return "static" if request.path_info.startswith(settings.STATIC_URL) else ""


def _choose_level(request: HttpRequest, status: int) -> int:
    """Log static files and polls without news as DEBUG; they would bury everything else."""
    if status >= 500:
        return logging.ERROR
    is_poll = status == 304 and request.resolver_match is not None
    is_file = request.resolver_match is None and status < 400
    return logging.DEBUG if is_poll or is_file else logging.INFO
