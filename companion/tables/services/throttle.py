"""How fast a guest may fill a log: read off the log itself, so that no entry costs a write more."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.utils import timezone

from companion import limits
from companion.people.models import Device
from companion.people.rate_limits import RateLimitExceeded
from companion.tables.log_cache import CachedLog
from companion.web.logging import Event, log_security_event


def check_entry_rate(cached_log: CachedLog, device: Device, more: int) -> None:
    """Raises RateLimitExceeded where a device would have entered more than it may, with so many more."""
    rate, now = limits.GUEST_ENTRY_RATE, timezone.now()
    began = now - timedelta(seconds=rate.seconds)
    own: list[datetime] = []
    for number in range(cached_log.version, 0, -1):
        meta = cached_log.entry_meta[number]
        if meta.at <= began or len(own) > rate.limit:
            break
        if meta.device == device.pk:
            own.append(meta.at)
    if own and len(own) + more > rate.limit:
        log_security_event(Event.LIMIT_REACHED, limit="GUEST_ENTRY_RATE")
        raise RateLimitExceeded(max(1, round((own[-1] - began).total_seconds())))
