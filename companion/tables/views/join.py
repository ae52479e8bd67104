"""View for joining a table by its code, or a circle by an invitation key."""

import re
from dataclasses import dataclass

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from companion.core.schema import Malformed
from companion.core.text import Text, _, ngettext
from companion.middleware.error_pages import render_bare_error
from companion.people import join_codes
from companion.people.auth import rotate_token, set_device_cookie
from companion.people.rate_limits import (
    RateLimitExceeded,
    count_code_attempt,
    count_wrong_key,
    is_flood,
    refund_attempt,
)
from companion.people.services import InvalidInvitation, admit_device, find_invitation, redeem_invitation
from companion.tables.services import guests
from companion.web.logging import Event, log_security_event

KEY = re.compile(r"[A-Za-z0-9_-]{27}")
"""Invitation key of a circle; join codes are much shorter."""
MAX_DISPLAYED_LENGTH = 12
"""Characters of a rejected code to show again: enough for a code, too few for a key."""


@dataclass(frozen=True)
class JoinPage:
    """The form for a code, with what is wrong with the one typed."""

    error: Text | None
    typed: str

    symbols = tuple(join_codes.SPELLING)


@never_cache
@require_http_methods(["GET", "POST"])
def join_table(request: HttpRequest) -> HttpResponse:
    """Show the form, or join; a script fills in the code from the fragment of the address, and never submits it."""
    if request.method == "GET":
        return _render_form(request)
    secret = request.POST.get("code", "").strip()
    is_key = KEY.fullmatch(secret) or guests.LINK_SECRET_PATTERN.fullmatch(secret)
    try:
        url, token = _join_by_key(request, secret) if is_key else _join_by_code(request, secret)
    except RateLimitExceeded as error:
        text = ngettext(
            "Too many wrong codes. Try again in {n} minute.",
            "Too many wrong codes. Try again in {n} minutes.",
            error.minutes,
        )
        response = render_bare_error(request, 429) if is_flood(request) else _render_form(request, text, status=429)
        response.headers["Retry-After"] = str(error.wait)
        return response
    except Malformed as error:  # a full circle; tables give no reason
        return _render_form(request, error.text, status=422)
    except (guests.InvalidCode, InvalidInvitation) as error:
        log_security_event(Event.REFUSED_GRANT if isinstance(error, InvalidInvitation) else Event.WRONG_CODE)
        return _render_form(
            request,
            _("This code doesn’t work. It may have expired, or the table is full. Ask for a new one."),
            status=404,
        )
    response = redirect(url)
    set_device_cookie(response, token)
    return response


def _join_by_code(request: HttpRequest, typed: str) -> tuple[str, str]:
    """Join a table; return the next URL and the device's new secret. Raises InvalidCode and RateLimitExceeded."""
    count_code_attempt(request)
    with transaction.atomic():
        joined = _enter_table(request, join_codes.parse_code(typed))
    refund_attempt(request)
    return joined


def _join_by_key(request: HttpRequest, secret: str) -> tuple[str, str]:
    """The same by a key of 160 bits: nobody guesses one, so the right one opens however many were wrong before.

    Raises InvalidCode, InvalidInvitation, Malformed for a full circle, and RateLimitExceeded.
    """
    try:
        if KEY.fullmatch(secret):
            return _enter_circle(request, secret)
        code = guests.resolve_link_secret(secret)
        with transaction.atomic():
            return _enter_table(request, code)
    except (guests.InvalidCode, InvalidInvitation):
        count_wrong_key(request)
        raise


def _enter_circle(request: HttpRequest, key: str) -> tuple[str, str]:
    if not find_invitation(key).exists():  # checked without a lock, against floods of wrong keys
        raise InvalidInvitation
    with transaction.atomic():
        circle = redeem_invitation(key)
        device, token = rotate_token(request)
        admit_device(device, circle)
    return "circle", token


def _enter_table(request: HttpRequest, code: str) -> tuple[str, str]:
    door = guests.get_door_by_code(code)
    device, token = rotate_token(request)
    guests.admit_guest(door, device)
    return reverse("together", args=[door.table.public_id]), token


def _render_form(request: HttpRequest, error: Text | None = None, status: int = 200) -> HttpResponse:
    typed = request.POST.get("code", "")
    page = JoinPage(error, typed if len(typed) <= MAX_DISPLAYED_LENGTH else "")
    return render(request, "tables/join.html", {"page": page}, status=status)
