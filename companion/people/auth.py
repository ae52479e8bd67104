"""Device authentication: cookies, tokens and circle membership."""

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
"""Seconds; browsers keep no cookie longer than this."""
LAST_USED_PRECISION = timedelta(minutes=5)
"""`used_at` is written at most this often."""
_PLATFORMS = ("iPhone", "iPad", "Android", "Windows", "Macintosh", "CrOS", "Linux")


def get_device(request: HttpRequest) -> Device | None:
    """Return the device of a browser that has opened or joined a table, else None."""
    token_hash = get_token_hash(request)
    if not token_hash:
        return None
    hash_matches = Q(token_hash=token_hash) | Q(former_hash=token_hash)
    device = Device.objects.select_related("circle").filter(hash_matches).first()
    if device:
        record_use(device, token_hash)
    return device


def get_token_hash(request: HttpRequest) -> str:
    """Return the hash of the token in the cookie; empty if there is no valid one."""
    token = request.COOKIES.get(COOKIE_NAME, "")
    return hash_token(token) if re.fullmatch(r"[A-Za-z0-9_-]{43}", token) else ""


def get_circle(request: HttpRequest) -> Circle | None:
    device = get_device(request)
    return device.circle if device else None


def record_use(device: Device, token_hash: str) -> None:
    """Update `used_at` now and then, and void the former token once the new one has been used."""
    now, values = timezone.now(), dict[str, str | datetime]()
    if device.former_hash and token_hash == device.token_hash:
        values["former_hash"] = ""
    if device.used_at < now - LAST_USED_PRECISION:
        values["used_at"] = now
    if values:
        with ignore_transient_db_errors():  # the page does not depend on it
            Device.objects.filter(pk=device.pk).update(**values)


def create_member_device(request: HttpRequest, circle: Circle | None = None) -> tuple[Device, str]:
    """Create a device in the circle, or in a new one. Return it with the token for its cookie."""
    device, token = create_device(request)
    if circle:
        add_to_circle(device, circle)
    else:
        create_circle(device)
    return device, token


def create_circle(device: Device) -> Circle:
    """Create a circle with this device as its first."""
    circle = Circle.objects.create()
    add_to_circle(device, circle)
    return circle


def create_device(request: HttpRequest) -> tuple[Device, str]:
    """Create a device without a circle. Return it with the token for its cookie."""
    token = secrets.token_urlsafe(32)
    label = _guess_platform(request.headers.get("User-Agent", ""))
    return Device.objects.create(token_hash=hash_token(token), label=label), token


def rotate_token(request: HttpRequest) -> tuple[Device, str]:
    """Give the browser's device a new token, against session fixation. Return both; the device may be new."""
    device = get_device(request)
    if device is None:
        return create_device(request)
    token = secrets.token_urlsafe(32)
    device.former_hash, device.token_hash = get_token_hash(request), hash_token(token)
    device.save(update_fields=["former_hash", "token_hash"])
    return device, token


def add_to_circle(device: Device, circle: Circle) -> None:
    """Add the device to the circle, and make it the circle of the tables that it opens."""
    Membership.objects.get_or_create(circle=circle, device=device)
    device.circle = circle
    device.save(update_fields=["circle"])


def set_device_cookie(response: HttpResponseBase, token: str) -> None:
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


def _guess_platform(user_agent: str) -> str:
    platform = next((word for word in _PLATFORMS if word in user_agent), "")
    return {"Macintosh": "Mac", "CrOS": "Chromebook", "": "?"}.get(platform, platform)
