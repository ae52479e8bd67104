"""Link back from the rules to the table or calculator that the reader came from."""

from urllib.parse import quote, unquote, urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponse

RETURN_PATHS = ("/tables/", "/calculate/")
"""Paths of the pages that readers return to."""
COOKIE = f"{settings.COOKIE_PREFIX}came_from"
MAX_LENGTH = 1_000
COOKIE_AGE = 3 * 60 * 60
"""Seconds."""


def find_back_link(request: HttpRequest) -> str:
    """Return the table or calculator that the reader came from, directly or by other pages of the rules."""
    try:
        referrer = urlsplit(request.headers.get("Referer", ""))
    except ValueError:
        return ""
    if referrer.netloc != request.get_host():
        return ""
    if referrer.path.startswith(RETURN_PATHS):
        return referrer._replace(scheme="", netloc="", fragment="").geturl()
    remembered = unquote(request.COOKIES.get(COOKIE, ""))
    is_valid = remembered.startswith(RETURN_PATHS) and remembered.isprintable() and "\\" not in remembered
    return remembered if "/rules/" in referrer.path and is_valid else ""


def remember_back_link(request: HttpRequest, back: str, response: HttpResponse) -> HttpResponse:
    """Store the back link in a cookie for the following pages, or delete it for readers from elsewhere.

    Requests that are not navigations, such as those that fill the offline cache, change nothing.
    """
    if request.headers.get("Sec-Fetch-Mode", "navigate") != "navigate":
        return response
    if back.startswith(RETURN_PATHS) and len(back) < MAX_LENGTH:
        secure = settings.IS_HTTPS
        response.set_cookie(COOKIE, quote(back), max_age=COOKIE_AGE, httponly=True, samesite="Lax", secure=secure)
    elif back and COOKIE in request.COOKIES:
        response.delete_cookie(COOKIE, samesite="Lax")
    return response
