"""Home page, settings page and error handlers."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.conf import settings
from django.core.exceptions import RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import translate_url
from django.utils import translation
from django.utils.functional import Promise
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from companion.core.game import Game
from companion.games import get_games
from companion.history.queries import Filters, PastTable, list_past_tables, list_visited_tables
from companion.middleware import error_pages
from companion.people.auth import get_device
from companion.web.logging import Event, log_security_event
from companion.web.static_files import get_release_id

MAX_OPEN_TABLES = 3
CHOICES: Mapping[str, Mapping[str, str | Promise]] = {
    "theme": {"system": _("same as the phone"), "light": _("paper"), "dark": _("felt")},
    "text": {"usual": _("usual"), "large": _("large"), "very-large": _("very large")},
}
"""Settings of a phone beside the language, by form field; the cookie has the same name with a prefix."""
TOO_LARGE = (RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent)


@dataclass(frozen=True)
class HomePage:
    """Tables to continue, and games to begin."""

    open_tables: tuple[PastTable, ...]
    games: tuple[Game, ...]


@never_cache
@require_safe
def home_page(request: HttpRequest) -> HttpResponse:
    device = get_device(request)
    tables = list_past_tables(device.circle if device else None, Filters())
    if device:
        tables = [*list_visited_tables(device), *tables]
    open_tables = [past for past in tables if past.game and not past.is_finished and not past.has_results_only]
    page = HomePage(tuple(open_tables[:MAX_OPEN_TABLES]), tuple(get_games().values()))
    return render(request, "home.html", {"page": page})


@dataclass(frozen=True)
class Choice:
    """A value of a setting; `language` is that of its label, if not that of the page."""

    value: str
    label: str | Promise
    is_chosen: bool
    language: str = ""


@dataclass(frozen=True)
class SettingsPage:
    """The settings of a phone, and the address of the page to go back to."""

    next: str
    languages: tuple[Choice, ...]
    themes: tuple[Choice, ...]
    text_sizes: tuple[Choice, ...]


@never_cache
@require_safe
def settings_page(request: HttpRequest) -> HttpResponse:
    current = translation.get_language()
    page = SettingsPage(
        next=_get_safe_url(request, request.GET.get("next", "")),
        languages=tuple(Choice(code, name, code == current, code) for code, name in settings.LANGUAGES),
        themes=_list_choices(request, "theme"),
        text_sizes=_list_choices(request, "text"),
    )
    return render(request, "settings.html", {"page": page})


@require_POST
def change_settings(request: HttpRequest) -> HttpResponseBase:
    """Save language, theme and text size on this phone, and redirect back in the new language."""
    language = request.POST.get("language", "")
    url = _get_safe_url(request, request.POST.get("next", ""))
    cookies: dict[str, str] = {}
    if language in dict(settings.LANGUAGES):
        cookies[settings.LANGUAGE_COOKIE_NAME] = language
        with translation.override(translation.get_language_from_path(url) or translation.get_language()):
            url = translate_url(url, language)
    for field, choices in CHOICES.items():
        value = request.POST.get(field, "")
        if value in choices:
            cookies[_get_cookie_name(field)] = value
    response = redirect(url)
    age, secure = settings.LANGUAGE_COOKIE_AGE, settings.IS_HTTPS
    for name, value in cookies.items():
        response.set_cookie(name, value, max_age=age, httponly=True, samesite="Lax", secure=secure)
    return response


def page_context(request: HttpRequest) -> dict[str, object]:
    """Return the template context of every page."""
    return {
        "theme": _get_choice(request, "theme"),
        "text_size": _get_choice(request, "text"),
        "other_languages": [pair for pair in settings.LANGUAGES if pair[0] != translation.get_language()],
        "release": get_release_id(),
    }


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return error_pages.render_error(request, 413 if isinstance(exception, TOO_LARGE) else 400)


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return error_pages.render_error(request, 403)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Answer a request whose CSRF token is missing or old."""
    log_security_event(Event.CSRF_FAILURE)
    return error_pages.render_error(request, 403, error_pages.STALE_PAGE)


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return error_pages.render_error(request, 404)


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer with an error page, or a bare one if rendering pages is what failed."""
    try:
        return error_pages.render_error(request, 500)
    except Exception:
        return error_pages.render_bare_error(request, 500)


def _get_cookie_name(field: str) -> str:
    return f"{settings.COOKIE_PREFIX}{field}"


def _get_choice(request: HttpRequest, field: str) -> str:
    """Return the phone's choice; empty for the default, which is the first one, and for unknown values."""
    value = request.COOKIES.get(_get_cookie_name(field), "")
    return value if value in list(CHOICES[field])[1:] else ""


def _list_choices(request: HttpRequest, field: str) -> tuple[Choice, ...]:
    chosen = _get_choice(request, field) or next(iter(CHOICES[field]))
    return tuple(Choice(value, label, value == chosen) for value, label in CHOICES[field].items())


def _get_safe_url(request: HttpRequest, url: str) -> str:
    """Return the URL if it is on this server, else the home page."""
    is_safe = url.startswith("/") and url_has_allowed_host_and_scheme(url, allowed_hosts={request.get_host()})
    return url if is_safe else "/"
