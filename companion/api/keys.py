"""API keys: creation, revocation and lookup."""

import re
import secrets

from django.utils import timezone

from companion import limits
from companion.core.text import _
from companion.db.errors import ignore_transient_db_errors
from companion.history.models import ApiKey, ApiKeyQuerySet
from companion.people.auth import LAST_USED_PRECISION, hash_token
from companion.people.models import Circle, Device
from companion.people.rate_limits import build_limit_error
from companion.people.services import lock_circle_for_member

_BEARER = re.compile(r"Bearer +([A-Za-z0-9_-]{27})", re.ASCII | re.IGNORECASE)


def list_keys(device: Device) -> ApiKeyQuerySet:
    """Return the device's keys that still work."""
    return ApiKey.objects.valid().filter(device=device)


def create_key(device: Device, circle: Circle, *, label: str) -> str:
    """Create a 160-bit key that does not expire, and return it; only its hash is stored.

    Raises Malformed if the device has MAX_API_KEYS keys, and Http404 if it does not belong to the circle (any more).
    """
    key = secrets.token_urlsafe(20)
    with lock_circle_for_member(circle.pk, device):
        Device.objects.select_for_update().get(pk=device.pk)  # serializes the count below
        ApiKey.objects.filter(device=device).exclude(
            pk__in=list(list_keys(device).values_list("pk", flat=True))
        ).delete()
        if list_keys(device).count() >= limits.MAX_API_KEYS:
            text = _("A phone can have at most {n} keys. Revoke one first.", n=limits.MAX_API_KEYS)
            raise build_limit_error("MAX_API_KEYS", text, "label")
        ApiKey.objects.create(device=device, circle=circle, key_hash=hash_token(key), label=label)
    return key


def revoke_key(device: Device, number: int) -> None:
    """Delete a key of this device; ignore one of another device."""
    ApiKey.objects.filter(device=device, pk=number).delete()


def find_key(authorization: str) -> ApiKey | None:
    """Return the valid key in an Authorization header, or None."""
    match = _BEARER.fullmatch(authorization)
    if not match:
        return None
    key = ApiKey.objects.valid().select_related("circle").filter(key_hash=hash_token(match[1])).first()
    if key is not None and (key.used_at is None or key.used_at < timezone.now() - LAST_USED_PRECISION):
        with ignore_transient_db_errors():  # the timestamp is not worth failing the request
            ApiKey.objects.filter(pk=key.pk).update(used_at=timezone.now())
    return key
