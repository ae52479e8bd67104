"""The keys of programs: made, taken back, and found behind what a program sends. No page is drawn here."""

from __future__ import annotations

import re
import secrets

from django.db import transaction
from django.utils import timezone

from companion import limits
from companion.core.text import _
from companion.db.errors import ignore_transient_db_errors
from companion.history.models import ApiKey, ApiKeyQuerySet
from companion.people.auth import LAST_USED_PRECISION, hash_token
from companion.people.models import Circle, Device
from companion.people.rate_limits import build_limit_error
from companion.people.services import authorize_member

_BEARER = re.compile(r"Bearer +([A-Za-z0-9_-]{27})", re.ASCII | re.IGNORECASE)


def list_keys(device: Device) -> ApiKeyQuerySet:
    return ApiKey.objects.alive().filter(device=device)


def create_key(device: Device, circle: Circle, *, label: str) -> str:
    """Create a key of 160 bits, for good. Raises Malformed where the device has as many as it may, and Http404 where
    it does not belong to the circle (any more)."""
    key = secrets.token_urlsafe(20)
    with transaction.atomic():
        authorize_member(circle.pk, device)
        Device.objects.select_for_update().get(pk=device.pk)  # of two that are made at once, one is counted first
        ApiKey.objects.filter(device=device).exclude(
            pk__in=list(list_keys(device).values_list("pk", flat=True))
        ).delete()
        if list_keys(device).count() >= limits.MAX_API_KEYS:
            text = _("A phone can have at most {n} keys. Revoke one first.", n=limits.MAX_API_KEYS)
            raise build_limit_error("MAX_API_KEYS", text, "label")
        ApiKey.objects.create(device=device, circle=circle, key_hash=hash_token(key), label=label)
    return key


def revoke_key(device: Device, number: int) -> None:
    """The key opens nothing any more; nothing happens where it is another device's."""
    ApiKey.objects.filter(device=device, pk=number).delete()


def find_key(sent: str) -> ApiKey | None:
    """The key that the Authorization header of a program names, if it still opens anything."""
    found = _BEARER.fullmatch(sent)
    if not found:
        return None
    key = ApiKey.objects.alive().select_related("circle").filter(key_hash=hash_token(found[1])).first()
    if key is not None and (key.used_at is None or key.used_at < timezone.now() - LAST_USED_PRECISION):
        with ignore_transient_db_errors():  # it is answered all the same
            ApiKey.objects.filter(pk=key.pk).update(used_at=timezone.now())
    return key
