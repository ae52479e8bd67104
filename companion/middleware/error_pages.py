"""What is answered where something cannot be done at all: whether anything was saved, what to do now, and the id of the
request; as a page, as a slip where entries are posted, as JSON for programs. What a form refuses is its own matter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import render
from django.utils import translation
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from companion.db.errors import RETRY_AFTER
from companion.games import GameUnavailable
from companion.people.rate_limits import TooManyTries, is_flood
from companion.web.concurrency import RETRY_AFTER as BUSY_RETRY_AFTER
from companion.web.concurrency import ServerBusy
from companion.web.logging import request_id

PROGRAMS = "/api/"
"""Where programs ask, and are answered in JSON and in English."""


@dataclass(frozen=True)
class Said:
    """What a page of an error says: what has happened, and then what was saved and what to do."""

    verdict: str | Promise
    lead: str | Promise


SAID = {
    400: Said(
        _("That could not be read"),
        _("Nothing was saved, and nothing was lost. Go back and try again."),
    ),
    403: Said(
        _("Not with this phone"),
        _("Only the phones of the circle may do this. Nothing was saved. Ask somebody who has one."),
    ),
    404: Said(
        _("There is nothing here"),
        _(
            "The table was put away, belongs to somebody else, or the address lost a letter. Nothing was saved. "
            "Look in the history, or ask to be let in again."
        ),
    ),
    405: Said(
        _("This address is for something else"),
        _("Nothing was saved. Go back, and use the buttons of the page."),
    ),
    409: Said(
        _("Somebody else was faster"),
        _("Yours was not saved. Go back, reload the page, and see what is there."),
    ),
    413: Said(
        _("That is too much at once"),
        _("Nothing was saved. Go back and send less: one round of entries, a shorter note, a smaller file."),
    ),
    422: Said(
        _("That cannot be"),
        _("Nothing was saved. Go back, and change what was entered."),
    ),
    429: Said(
        _("Too often"),
        _("Nothing was saved. Wait a little, go back, and try again."),
    ),
    500: Said(
        _("Something went wrong here"),
        _(
            "What the table had is safe. Whether the last entry was saved stands in the log: look there, and enter it "
            "again if it is missing."
        ),
    ),
    503: Said(
        _("Nothing can be written now"),
        _("Nothing was saved. Go back and try again in a moment. What waits on this phone is sent again by itself."),
    ),
}
TOO_OLD = Said(
    _("This page has waited too long"), _("Nothing was saved. Go back, reload the page, and enter it again.")
)
UNCERTAIN = Said(
    SAID[503].verdict,
    _(
        "Whether this was saved is not known. Go back and look before you try again. What waits on this phone is sent "
        "again by itself, and counts once."
    ),
)

TOO_BUSY = Said(
    _("Busy at the moment"),
    _(
        "The server is making a file or reading one, and does that for one person at a time. Nothing was saved. "
        "Try again in a few seconds."
    ),
)


def _unavailable(slug: str) -> Said:
    """A table is asked for whose game is broken: what is entered waits on the phone, and holds nothing else up."""
    return Said(
        format_lazy(_("The game “{game}” cannot be loaded now"), game=slug),
        _(
            "Its tables, and all that was entered at them, are kept. Nothing was saved just now. Whoever looks after "
            "the server finds the reason with the command “manage.py doctor”."
        ),
    )


def answer(request: HttpRequest, status: int, said: Said | None = None) -> HttpResponse:
    """The error as whoever asks can show it, in their language."""
    # What a fresh token, a seat at the table or a mended server lets through later is no refusal: it can be sent again.
    is_refused = status not in (404, 500) and said is not TOO_OLD
    said = said or SAID[status]
    if request.path_info.startswith(PROGRAMS):
        with translation.override("en"):
            return JsonResponse({"error": f"{said.verdict}. {said.lead}", "request": request_id()}, status=status)
    with translation.override(_language(request)):
        context = {"status": status, "said": said, "request_id": request_id()}
        template = "error.html#slip" if _is_of_an_entry(request) and is_refused else "error.html"
        return render(request, template, context, status=status)


def busy(request: HttpRequest, *, is_uncertain: bool = False) -> HttpResponse:
    """The database cannot be used now; `is_uncertain`: and nobody knows whether what was sent has been saved."""
    response = answer(request, 503, UNCERTAIN if is_uncertain else None)
    response["Retry-After"] = str(RETRY_AFTER)
    return response


def server_busy(request: HttpRequest) -> HttpResponse:
    """Return 503 for a costly request that came while another one runs; plain text for what shows no pages."""
    if is_flood(request):
        response = bare(request, 503, TOO_BUSY)
    elif request.accepts("text/html") or request.path_info.startswith(PROGRAMS):
        response = answer(request, 503, TOO_BUSY)
    else:
        with translation.override(_language(request)):
            text = f"{TOO_BUSY.verdict}. {TOO_BUSY.lead}\n"
        response = HttpResponse(text, content_type="text/plain; charset=utf-8", status=503)
    response["Retry-After"] = str(BUSY_RETRY_AFTER)
    return response


def bare(request: HttpRequest, status: int, said: Said | None = None) -> HttpResponse:
    """The same where even a page cannot be drawn: no template, no database, no files."""
    said = said or SAID[status]
    with translation.override(_language(request)):
        page = format_html(
            '<!doctype html><html lang="{}"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
            '<title>{}</title><main class="lost"><h1>{}</h1><p>{}</p><p><small>{}</small></p>'
            '<p><a href="/">Companion</a></p></main></html>',
            translation.get_language(),
            status,
            said.verdict,
            said.lead,
            request_id(),
        )
    return HttpResponse(page, status=status)


class ErrorsMiddleware:
    """Gives what Django answers without a word a page of ours, and what comes too often."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if response.status_code != 405 or response.streaming or getattr(response, "content", True):
            return response
        own = answer(request, 405)
        own.headers["Allow"] = response.headers["Allow"]
        return own

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if isinstance(exception, GameUnavailable):
            return answer(request, 409, _unavailable(exception.slug))
        if isinstance(exception, ServerBusy):
            return server_busy(request)
        if not isinstance(exception, TooManyTries):
            return None
        response = answer(request, 429)
        response.headers["Retry-After"] = str(exception.wait)
        return response


def _is_of_an_entry(request: HttpRequest) -> bool:
    """Whether a script has posted an entry, and shows what comes back above the board."""
    found = request.resolver_match
    return bool(getattr(request, "htmx", False)) and found is not None and found.view_name == "record"


def _language(request: HttpRequest) -> str:
    """Of the phone, also where the error came before it was known."""
    return getattr(request, "LANGUAGE_CODE", "") or translation.get_language_from_request(request, check_path=True)
