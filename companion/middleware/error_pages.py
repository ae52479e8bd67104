"""Error pages: what happened, whether anything was saved, what to do, and the request id. As a page, a slip or JSON."""

from dataclasses import dataclass

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import render
from django.utils import translation
from django.utils.deprecation import MiddlewareMixin
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from companion.db.errors import RETRY_AFTER
from companion.games import GameUnavailable
from companion.people.rate_limits import RateLimitExceeded, is_flood
from companion.web.concurrency import ServerBusy
from companion.web.logging import get_request_id

API_PREFIX = "/api/"
"""Errors below this path are JSON, in English."""


@dataclass(frozen=True)
class ErrorText:
    """The text of an error page: what happened, then what was saved and what to do."""

    title: str | Promise
    message: str | Promise

    def __str__(self) -> str:
        return f"{self.title}. {self.message}"


ERROR_TEXTS = {
    400: ErrorText(_("That couldn’t be read"), _("Nothing was saved, and nothing was lost. Go back and try again.")),
    403: ErrorText(
        _("This phone isn’t allowed to do that"),
        _("Only phones of the circle can do this. Nothing was saved. Ask somebody who has one."),
    ),
    404: ErrorText(
        _("Page not found"),
        _(
            "The table may be in the bin or belong to somebody else, or the address may be incomplete. "
            "Nothing was saved. Look in the history, or ask to join again."
        ),
    ),
    405: ErrorText(
        _("This address doesn’t work like that"), _("Nothing was saved. Go back and use the buttons on the page.")
    ),
    409: ErrorText(
        _("Somebody else was faster"), _("Yours wasn’t saved. Go back, reload the page and see what’s there.")
    ),
    413: ErrorText(
        _("That’s too much at once"),
        _("Nothing was saved. Go back and send less: one round of entries, a shorter note or a smaller file."),
    ),
    422: ErrorText(_("That’s not possible"), _("Nothing was saved. Go back and change what you entered.")),
    429: ErrorText(_("Too many attempts"), _("Nothing was saved. Wait a little, go back, and try again.")),
    500: ErrorText(
        _("Something went wrong"),
        _(
            "The table is safe. Check the log to see whether the last entry was saved, and enter it again if "
            "it’s missing."
        ),
    ),
    503: ErrorText(
        _("Nothing can be saved right now"),
        _(
            "Nothing was saved. Go back and try again in a moment. Entries waiting on this phone are sent "
            "again automatically."
        ),
    ),
}
STALE_PAGE = ErrorText(_("This page has expired"), _("Nothing was saved. Go back, reload the page and enter it again."))
UNCERTAIN = ErrorText(
    ERROR_TEXTS[503].title,
    _(
        "It isn’t known whether this was saved. Go back and check before you try again. Entries waiting "
        "on this phone are sent again automatically, and count once."
    ),
)

GAME_UNAVAILABLE = _("The game “{game}” can’t be loaded right now")
GAME_IS_SAFE = _(
    "Its tables and all their entries are safe. Nothing was saved just now. Whoever runs the server "
    "can find the cause with “manage.py doctor”."
)
TOO_BUSY = ErrorText(
    _("Busy at the moment"),
    _("The server handles one file at a time and is busy with another. Nothing was saved. Try again in a few seconds."),
)


@dataclass(frozen=True)
class ErrorPage:
    """An error, and the id under which the log has its request."""

    status: int
    text: ErrorText
    request_id: str


def render_error(request: HttpRequest, status: int, text: ErrorText | None = None) -> HttpResponse:
    """Return the error as JSON, as a slip above the board or as a page, in the client's language."""
    # A script may send an entry again that failed with these: a fresh token, a seat or a repaired server lets it in.
    is_final = status not in (404, 500) and text is not STALE_PAGE
    page = ErrorPage(status, text or ERROR_TEXTS[status], get_request_id())
    if request.path_info.startswith(API_PREFIX):
        with translation.override(settings.LANGUAGE_CODE):
            return JsonResponse({"error": str(page.text), "request": page.request_id}, status=status)
    with translation.override(_get_language(request)):
        template = "error.html#slip" if _is_entry_request(request) and is_final else "error.html"
        return render(request, template, {"page": page}, status=status)


def _render_server_busy(request: HttpRequest) -> HttpResponse:
    """Return 503 for a costly request that came while another one runs; plain text for clients that show no pages."""
    if is_flood(request):
        response = render_bare_error(request, 503, TOO_BUSY)
    elif request.accepts("text/html") or request.path_info.startswith(API_PREFIX):
        response = render_error(request, 503, TOO_BUSY)
    else:
        with translation.override(_get_language(request)):
            text = str(TOO_BUSY)
        response = HttpResponse(f"{text}\n", content_type="text/plain; charset=utf-8", status=503)
    response["Retry-After"] = str(RETRY_AFTER)
    return response


def render_bare_error(request: HttpRequest, status: int, text: ErrorText | None = None) -> HttpResponse:
    """Return an error page that needs no template, database or file."""
    text = text or ERROR_TEXTS[status]
    with translation.override(_get_language(request)):
        page = format_html(
            '<!doctype html><html lang="{}"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
            '<title>{}</title><main class="lost"><h1>{}</h1><p>{}</p><p><small>{}</small></p>'
            '<p><a href="/">Companion</a></p></main></html>',
            translation.get_language(),
            status,
            text.title,
            text.message,
            get_request_id(),
        )
    return HttpResponse(page, status=status)


class ErrorPagesMiddleware(MiddlewareMixin):
    """Give Django's empty 405 a page, and turn rate limits, busy servers and broken games into error pages."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        if response.status_code != 405 or response.streaming or getattr(response, "content", True):
            return response
        page = render_error(request, 405)
        page.headers["Allow"] = response.headers["Allow"]
        return page

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        match exception:
            case GameUnavailable():
                title = format_lazy(GAME_UNAVAILABLE, game=exception.slug)
                return render_error(request, 409, ErrorText(title, GAME_IS_SAFE))
            case ServerBusy():
                return _render_server_busy(request)
            case RateLimitExceeded():
                response = render_error(request, 429)
                response.headers["Retry-After"] = str(exception.wait)
                return response
        return None


def _is_entry_request(request: HttpRequest) -> bool:
    """Whether htmx posted an entry and shows the response above the board."""
    match = request.resolver_match
    return bool(getattr(request, "htmx", False)) and match is not None and match.view_name == "record"


def _get_language(request: HttpRequest) -> str:
    """Return the client's language, even for an error raised before the locale middleware has run."""
    return getattr(request, "LANGUAGE_CODE", "") or translation.get_language_from_request(request, check_path=True)
