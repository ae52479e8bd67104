"""The pages that belong to no part of the app: the first one, what each phone chooses for itself, and errors."""

from __future__ import annotations

from django.conf import settings
from django.core.exceptions import RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import translate_url
from django.utils import translation
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from companion.games import get_games
from companion.history.queries import Filters, list_past_tables, list_visited_tables
from companion.middleware import error_pages
from companion.people.auth import get_device
from companion.web.logging import Event, log_security_event
from companion.web.static_files import get_release_id

MAX_OPEN_TABLES = 3
THEMES = ("system", "light", "dark")
TEXT_SIZES = ("usual", "large", "very-large")
CHOICES = {"theme": THEMES, "text": TEXT_SIZES}
"""What a phone chooses beside its language, by the field of the form and, behind a prefix, the cookie."""
TOO_LARGE = (RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent)


@never_cache
@require_safe
def home_page(request: HttpRequest) -> HttpResponse:
    device = get_device(request)
    sittings = list_past_tables(device.circle if device else None, Filters())
    if device:
        sittings = [*list_visited_tables(device), *sittings]
    unfinished = [own for own in sittings if own.game and not own.is_finished and not own.is_of_results]
    context = {"games": get_games().values(), "unfinished": unfinished[:MAX_OPEN_TABLES], "has_history": bool(sittings)}
    return render(request, "home.html", context)


@never_cache
@require_safe
def settings_page(request: HttpRequest) -> HttpResponse:
    context = {
        "languages": settings.LANGUAGES,
        "themes": THEMES,
        "next": _safe_next(request, request.GET.get("next", "")),
    }
    return render(request, "settings.html", context)


@require_POST
def change_settings(request: HttpRequest) -> HttpResponseBase:
    """Keeps language, theme and text size on this phone, and goes back to where it was, in the new language."""
    language = request.POST.get("language", "")
    url = _safe_next(request, request.POST.get("next", ""))
    known = dict(settings.LANGUAGES)
    if language in known:
        with translation.override(translation.get_language_from_path(url) or translation.get_language()):
            url = translate_url(url, language)
    response = redirect(url)
    secure = settings.IS_HTTPS
    age = settings.LANGUAGE_COOKIE_AGE
    if language in known:
        name = settings.LANGUAGE_COOKIE_NAME
        response.set_cookie(name, language, max_age=age, httponly=True, samesite="Lax", secure=secure)
    for field, choices in CHOICES.items():
        value = request.POST.get(field, "")
        if value in choices:
            response.set_cookie(_cookie(field), value, max_age=age, httponly=True, samesite="Lax", secure=secure)
    return response


def page_context(request: HttpRequest) -> dict[str, object]:
    """What every page needs to know of the phone."""
    return {
        "theme": _chosen(request, "theme"),
        "text_size": _chosen(request, "text"),
        "other_language": "en" if translation.get_language() == "el" else "el",
        "release": get_release_id(),
    }


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return error_pages.render_error(request, 413 if isinstance(exception, TOO_LARGE) else 400)


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return error_pages.render_error(request, 403)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """The token against forgery is missing or old."""
    log_security_event(Event.CSRF_FAILURE)
    return error_pages.render_error(request, 403, error_pages.STALE_PAGE)


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return error_pages.render_error(request, 404)


def server_error(request: HttpRequest) -> HttpResponse:
    """Whatever has failed may be what draws a page as well."""
    try:
        return error_pages.render_error(request, 500)
    except Exception:
        return error_pages.render_bare_error(request, 500)


def _cookie(field: str) -> str:
    return f"{settings.COOKIE_PREFIX}{field}"


def _chosen(request: HttpRequest, field: str) -> str:
    """What this phone has chosen; nothing where it is the usual, the first of the choices, or not one of them."""
    value = request.COOKIES.get(_cookie(field), "")
    return value if value in CHOICES[field][1:] else ""


def _safe_next(request: HttpRequest, url: str) -> str:
    """An address on this server, whatever was asked for."""
    is_safe = url.startswith("/") and url_has_allowed_host_and_scheme(url, allowed_hosts={request.get_host()})
    return url if is_safe else "/"
