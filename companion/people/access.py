"""Who is asking: the device behind a request, and the cookie that makes a browser one. No page is drawn here."""

from __future__ import annotations

import hashlib
import re
import secrets

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase

from companion.people.models import Circle, Device

COOKIE = "__Host-device" if settings.IS_HTTPS else "device"
COOKIE_AGE = 400 * 24 * 3600
"""Seconds: the longest that browsers keep a cookie."""
_MACHINES = ("iPhone", "iPad", "Android", "Windows", "Macintosh", "CrOS", "Linux")


def device_of(request: HttpRequest) -> Device | None:
    """The device that the browser is, if it has ever opened a table."""
    token_hash = token_hash_of(request)
    return Device.objects.select_related("circle").filter(token_hash=token_hash).first() if token_hash else None


def token_hash_of(request: HttpRequest) -> str:
    """The hash of the browser's secret, as devices are stored under it; empty where there is none."""
    token = request.COOKIES.get(COOKIE, "")
    return _hashed(token) if re.fullmatch(r"[A-Za-z0-9_-]{43}", token) else ""


def circle_of(request: HttpRequest) -> Circle | None:
    device = device_of(request)
    return device.circle if device else None


def new_device(request: HttpRequest, circle: Circle | None = None) -> tuple[Device, str]:
    """This browser as a device of the circle, or as the first one of a new circle, and the secret for its cookie."""
    token = secrets.token_urlsafe(32)
    label = _label(request.headers.get("User-Agent", ""))
    circle = circle or Circle.objects.create()
    device = Device.objects.create(circle=circle, token_hash=_hashed(token), label=label)
    return device, token


def remember(response: HttpResponseBase, token: str) -> None:
    """Makes the browser keep the secret."""
    response.set_cookie(
        COOKIE,
        token,
        max_age=COOKIE_AGE,
        httponly=True,
        samesite="Lax",
        secure=settings.IS_HTTPS,
    )


def _hashed(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def _label(agent: str) -> str:
    """What a browser calls the machine it runs on: enough to tell phones apart in a log."""
    machine = next((word for word in _MACHINES if word in agent), "")
    return {"Macintosh": "Mac", "CrOS": "Chromebook", "": "?"}.get(machine, machine)
