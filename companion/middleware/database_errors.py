"""What is answered when the database cannot be used now: 503 and words; and how long a request waits for it."""

from collections.abc import Callable

from django.db import connection
from django.http import HttpRequest, HttpResponse, HttpResponseBase

from companion.db.errors import is_passing, is_uncertain, note
from companion.db.sqlite_lock import PATIENCE
from companion.middleware.error_pages import busy


class BusyMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        with connection.execute_wrapper(PATIENCE):
            return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if not is_passing(exception):
            return None
        note(exception)
        return busy(request, is_uncertain=request.method == "POST" and is_uncertain(exception))
