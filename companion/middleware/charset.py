"""In which letters a request may be written: UTF-8, like everything that the app sends out."""

from collections.abc import Callable

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponseBase


class CharsetMiddleware:
    """Refuses what claims to be anything else; Python knows codecs by which no text can be read, and would fail."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if (request.encoding or "utf-8").lower().replace("_", "-") not in ("utf-8", "utf8"):
            raise BadRequest("not UTF-8")
        return self.get_response(request)
