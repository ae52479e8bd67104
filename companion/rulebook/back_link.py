"""The way back from the rules to where the doubt arose, however many pages of them were read on the way."""

from __future__ import annotations

from urllib.parse import quote, unquote, urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponse

RETURN_PATHS = ("/tables/", "/calculate/")
"""Pages from which somebody looks up a rule, and to which they return."""
COOKIE = f"{settings.COOKIE_PREFIX}came_from"
MAX_LENGTH = 1_000
COOKIE_AGE = 3 * 60 * 60
"""Seconds for which a table is the one that somebody reads beside."""


def find_back_link(request: HttpRequest) -> str:
    """The table or the calculator that the reader comes from, on a straight way or by other pages of the rules."""
    try:
        came = urlsplit(request.headers.get("Referer", ""))
    except ValueError:
        return ""
    if came.netloc != request.get_host():
        return ""
    if came.path.startswith(RETURN_PATHS):
        return came._replace(scheme="", netloc="", fragment="").geturl()
    before = unquote(request.COOKIES.get(COOKIE, ""))
    is_ours = before.startswith(RETURN_PATHS) and before.isprintable() and "\\" not in before
    return before if "/rules/" in came.path and is_ours else ""


def remember_back_link(request: HttpRequest, back: str, response: HttpResponse) -> HttpResponse:
    """The page, with the way back kept for those that are read next; forgotten by whoever comes from elsewhere.

    A page that is fetched to be kept on the phone is not read by anybody yet.
    """
    if request.headers.get("Sec-Fetch-Mode", "navigate") != "navigate":
        return response
    if back.startswith(RETURN_PATHS) and len(back) < MAX_LENGTH:
        secure = settings.IS_HTTPS
        response.set_cookie(COOKIE, quote(back), max_age=COOKIE_AGE, httponly=True, samesite="Lax", secure=secure)
    elif back and COOKIE in request.COOKIES:
        response.delete_cookie(COOKIE, samesite="Lax")
    return response
