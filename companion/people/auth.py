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

COOKIE_NAME = f"{settings.COOKIE_PREFIX}device"
COOKIE_AGE = 400 * 24 * 3600
"""Seconds: the longest that browsers keep a cookie."""
LAST_USED_PRECISION = timedelta(minutes=5)
"""How long nothing is written of a device that asks again."""
_PLATFORMS = ("iPhone", "iPad", "Android", "Windows", "Macintosh", "CrOS", "Linux")


def get_device(request: HttpRequest) -> Device | None:
    """The device that the browser is, if it has ever opened or joined a table."""
    token_hash = get_token_hash(request)
    if not token_hash:
        return None
    found = Device.objects.select_related("circle").filter(Q(token_hash=token_hash) | Q(former_hash=token_hash)).first()
    if found:
        record_use(found, token_hash)
    return found


def get_token_hash(request: HttpRequest) -> str:
    """The hash of the browser's secret, as devices are stored under it; empty where there is none."""
    token = request.COOKIES.get(COOKIE_NAME, "")
    return hash_token(token) if re.fullmatch(r"[A-Za-z0-9_-]{43}", token) else ""


def get_circle(request: HttpRequest) -> Circle | None:
    device = get_device(request)
    return device.circle if device else None


def record_use(device: Device, token_hash: str) -> None:
    """Notes that a device is in use, now and then; once its new secret has been used, the former one is void."""
    now, changed = timezone.now(), dict[str, str | datetime]()
    if device.former_hash and token_hash == device.token_hash:
        changed["former_hash"] = ""
    if device.used_at < now - LAST_USED_PRECISION:
        changed["used_at"] = now
    if changed:
        with ignore_transient_db_errors():  # a page is shown all the same
            Device.objects.filter(pk=device.pk).update(**changed)


def create_member_device(request: HttpRequest, circle: Circle | None = None) -> tuple[Device, str]:
    """This browser as a device of the circle, or as the first one of a new circle, and the secret for its cookie."""
    device, token = create_device(request)
    if circle:
        add_to_circle(device, circle)
    else:
        create_circle(device)
    return device, token


def create_circle(device: Device) -> Circle:
    """A new circle that begins with this device."""
    circle = Circle.objects.create()
    add_to_circle(device, circle)
    return circle


def create_device(request: HttpRequest) -> tuple[Device, str]:
    """This browser as a device that belongs to nobody yet, and the secret for its cookie."""
    token = secrets.token_urlsafe(32)
    label = _guess_platform(request.headers.get("User-Agent", ""))
    return Device.objects.create(token_hash=hash_token(token), label=label), token


def rotate_token(request: HttpRequest) -> tuple[Device, str]:
    """This browser's device with a fresh secret for its cookie: what was planted there before is of no use."""
    device = get_device(request)
    if device is None:
        return create_device(request)
    token = secrets.token_urlsafe(32)
    device.former_hash, device.token_hash = get_token_hash(request), hash_token(token)
    device.save(update_fields=["former_hash", "token_hash"])
    return device, token


def add_to_circle(device: Device, circle: Circle) -> None:
    """Makes the device one of the circle's; tables that it opens are the circle's from now on."""
    Membership.objects.get_or_create(circle=circle, device=device)
    device.circle = circle
    device.save(update_fields=["circle"])


def set_device_cookie(response: HttpResponseBase, token: str) -> None:
    """Makes the browser keep the secret."""
    response.set_cookie(
        COOKIE_NAME,
        token,
        max_age=COOKIE_AGE,
        httponly=True,
        samesite="Lax",
        secure=settings.IS_HTTPS,
    )


def hash_token(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def _guess_platform(agent: str) -> str:
    """What a browser calls the machine it runs on: enough to tell phones apart in a log."""
    machine = next((word for word in _PLATFORMS if word in agent), "")
    return {"Macintosh": "Mac", "CrOS": "Chromebook", "": "?"}.get(machine, machine)
