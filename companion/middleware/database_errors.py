"""503 for transient database errors, and the busy timeout of requests."""

from collections.abc import Callable

from django.db import connection
from django.http import HttpRequest, HttpResponse, HttpResponseBase

from companion.db.errors import RETRY_AFTER, is_transient, log_transient_error, may_have_committed
from companion.db.sqlite_lock import BUSY_TIMEOUT
from companion.middleware.error_pages import UNCERTAIN, render_error


class DatabaseErrorMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        with connection.execute_wrapper(BUSY_TIMEOUT):
            return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if not is_transient(exception):
            return None
        log_transient_error(exception)
        is_uncertain = request.method == "POST" and may_have_committed(exception)
        response = render_error(request, 503, UNCERTAIN if is_uncertain else None)
        response.headers["Retry-After"] = str(RETRY_AFTER)
        return response
