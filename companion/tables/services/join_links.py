"""Links to an open door, with a 160-bit key that needs no rate limit."""

from __future__ import annotations

import re
from base64 import urlsafe_b64encode

from django.utils import timezone
from django.utils.crypto import constant_time_compare, salted_hmac

from companion.people.join_codes import CODE_LENGTH
from companion.tables.models import Door

LINK_SECRET_PATTERN = re.compile(rf"([0-9A-Z]{{{CODE_LENGTH}}})([A-Za-z0-9_-]{{27}})", re.ASCII)
"""Code and key, as in the fragment of a link."""
KEY_BYTES = 20


def build_link_secret(door: Door) -> str:
    """Return the fragment of a link to the door; it is void as soon as the code is."""
    return f"{door.code}{_derive_key(door)}"


def resolve_link_secret(secret: str) -> str | None:
    """Return the code of the open door to which a link leads; None if there is none, or the key is wrong."""
    match = LINK_SECRET_PATTERN.fullmatch(secret)
    code, key = match.groups() if match else ("-", "")
    door = Door.objects.filter(code=code, closes_at__gt=timezone.now()).first()
    is_right = constant_time_compare(key, _derive_key(door or Door()))
    return code if door is not None and is_right else None


def _derive_key(door: Door) -> str:
    """Return a key derived from the door, its code and its closing time, so that nothing is stored."""
    value = f"{door.pk} {door.code} {door.closes_at and door.closes_at.isoformat()}"
    return (
        urlsafe_b64encode(salted_hmac("companion.tables.services.join_links", value).digest()[:KEY_BYTES])
        .decode()
        .rstrip("=")
    )
