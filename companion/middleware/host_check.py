"""ALLOWED_HOSTS check with a helpful refusal."""

from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponse
from django.utils.deprecation import MiddlewareMixin

from companion.web.logging import Event, get_request_id, log_security_event


class HostCheckMiddleware(MiddlewareMixin):
    """Refuse requests for unknown host names early, and tell the operator how to allow them."""

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        try:
            request.get_host()
        except DisallowedHost:
            log_security_event(Event.WRONG_HOST)
            return HttpResponse(_refusal(request), status=400, content_type="text/plain; charset=utf-8")
        return None


def _refusal(request: HttpRequest) -> str:
    name = request.META.get("HTTP_HOST", "")[:253].encode("ascii", "backslashreplace").decode()
    return (
        f"This server does not answer to the name {name!r}. "
        "If you run it and this name is yours, add it to ALLOWED_HOSTS in its environment and start it again. "
        f"Nothing was saved. Request {get_request_id()}.\n"
    )
