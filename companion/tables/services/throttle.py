"""Rate limit for guests' entries, computed from the log so that it costs no extra write."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.utils import timezone

from companion import limits
from companion.people.models import Device
from companion.people.rate_limits import RateLimitExceeded
from companion.tables.log_cache import CachedLog
from companion.web.logging import Event, log_security_event


def check_entry_rate(cached_log: CachedLog, device: Device, count: int) -> None:
    """Check that the device may make `count` more entries now. Raises RateLimitExceeded."""
    rate = limits.GUEST_ENTRY_RATE
    period_start = timezone.now() - timedelta(seconds=rate.seconds)
    times: list[datetime] = []
    for number in range(cached_log.version, 0, -1):
        meta = cached_log.entry_meta[number]
        if meta.at <= period_start or len(times) > rate.limit:
            break
        if meta.device == device.pk:
            times.append(meta.at)
    if times and len(times) + count > rate.limit:
        log_security_event(Event.LIMIT_REACHED, limit="GUEST_ENTRY_RATE")
        raise RateLimitExceeded(max(1, round((times[-1] - period_start).total_seconds())))
