"""UTF-8 check of request bodies."""

from collections.abc import Callable

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponseBase


class CharsetMiddleware:
    """Refuse requests in any other charset; some of Python's codecs cannot decode text, and would raise."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if (request.encoding or "utf-8").lower().replace("_", "-") not in ("utf-8", "utf8"):
            raise BadRequest("not UTF-8")
        return self.get_response(request)
