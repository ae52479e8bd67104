"""Who is asking: the device behind a request, and the cookie that makes a browser one. No page is drawn here."""

from __future__ import annotations

import hashlib
import re
import secrets
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Q
from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone

from companion.db.errors import ignore_transient_db_errors
from companion.people.models import Circle, Device, Membership

COOKIE = f"{settings.COOKIE_PREFIX}device"
COOKIE_AGE = 400 * 24 * 3600
"""Seconds: the longest that browsers keep a cookie."""
SEEN_FOR = timedelta(minutes=5)
"""How long nothing is written of a device that asks again."""
_MACHINES = ("iPhone", "iPad", "Android", "Windows", "Macintosh", "CrOS", "Linux")


def device_of(request: HttpRequest) -> Device | None:
    """The device that the browser is, if it has ever opened or joined a table."""
    token_hash = token_hash_of(request)
    if not token_hash:
        return None
    found = Device.objects.select_related("circle").filter(Q(token_hash=token_hash) | Q(former_hash=token_hash)).first()
    if found:
        seen(found, token_hash)
    return found


def token_hash_of(request: HttpRequest) -> str:
    """The hash of the browser's secret, as devices are stored under it; empty where there is none."""
    token = request.COOKIES.get(COOKIE, "")
    return hashed(token) if re.fullmatch(r"[A-Za-z0-9_-]{43}", token) else ""


def circle_of(request: HttpRequest) -> Circle | None:
    device = device_of(request)
    return device.circle if device else None


def seen(device: Device, token_hash: str) -> None:
    """Notes that a device is in use, now and then; once its new secret has been used, the former one is void."""
    now, changed = timezone.now(), dict[str, str | datetime]()
    if device.former_hash and token_hash == device.token_hash:
        changed["former_hash"] = ""
    if device.used_at < now - SEEN_FOR:
        changed["used_at"] = now
    if changed:
        with ignore_transient_db_errors():  # a page is shown all the same
            Device.objects.filter(pk=device.pk).update(**changed)


def new_device(request: HttpRequest, circle: Circle | None = None) -> tuple[Device, str]:
    """This browser as a device of the circle, or as the first one of a new circle, and the secret for its cookie."""
    device, token = new_guest(request)
    if circle:
        enrol(device, circle)
    else:
        found_circle(device)
    return device, token


def found_circle(device: Device) -> Circle:
    """A new circle that begins with this device."""
    circle = Circle.objects.create()
    enrol(device, circle)
    return circle


def new_guest(request: HttpRequest) -> tuple[Device, str]:
    """This browser as a device that belongs to nobody yet, and the secret for its cookie."""
    token = secrets.token_urlsafe(32)
    label = _label(request.headers.get("User-Agent", ""))
    return Device.objects.create(token_hash=hashed(token), label=label), token


def exchanged(request: HttpRequest) -> tuple[Device, str]:
    """This browser's device with a fresh secret for its cookie: what was planted there before is of no use."""
    device = device_of(request)
    if device is None:
        return new_guest(request)
    token = secrets.token_urlsafe(32)
    device.former_hash, device.token_hash = token_hash_of(request), hashed(token)
    device.save(update_fields=["former_hash", "token_hash"])
    return device, token


def enrol(device: Device, circle: Circle) -> None:
    """Makes the device one of the circle's; tables that it opens are the circle's from now on."""
    Membership.objects.get_or_create(circle=circle, device=device)
    device.circle = circle
    device.save(update_fields=["circle"])


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


def hashed(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def _label(agent: str) -> str:
    """What a browser calls the machine it runs on: enough to tell phones apart in a log."""
    machine = next((word for word in _MACHINES if word in agent), "")
    return {"Macintosh": "Mac", "CrOS": "Chromebook", "": "?"}.get(machine, machine)
