"""UTF-8 check of request bodies."""

from django.core.exceptions import BadRequest
from django.http import HttpRequest
from django.utils.deprecation import MiddlewareMixin


class CharsetMiddleware(MiddlewareMixin):
    """Refuse requests in any other charset; some of Python's codecs cannot decode text, and would raise."""

    def process_request(self, request: HttpRequest) -> None:
        if (request.encoding or "utf-8").lower().replace("_", "-") not in ("utf-8", "utf8"):
            raise BadRequest("not UTF-8")
