"""How often something may be tried or begun: what may, is in bounds.py; it is counted exactly in the database, whatever
processes there are, but for what programs ask."""

from __future__ import annotations

import ipaddress
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from threading import Lock

from django.conf import settings
from django.db import OperationalError, connection, transaction
from django.db.models import F
from django.http import HttpRequest
from django.utils.crypto import salted_hmac

from companion import limits
from companion.core.errors import Malformed
from companion.core.text import Text
from companion.limits import Rate
from companion.people.auth import get_token_hash
from companion.people.models import AttemptCounter, Device
from companion.web.logging import Event, log_security_event

COUNTER_LIFETIME = 24 * 3600
"""Seconds after which a counter is of no use any more."""
_MAX_IN_MEMORY = 1_000
"""Who is counted in memory at a time, before those are forgotten whose time is over."""
_COUNT_SQL = """
INSERT INTO people_tries (who, began_at, count) VALUES (%s, %s, 1)
ON CONFLICT (who) DO UPDATE SET
    count = CASE WHEN people_tries.began_at <= %s THEN 1 ELSE people_tries.count + 1 END,
    began_at = CASE WHEN people_tries.began_at <= %s THEN excluded.began_at ELSE people_tries.began_at END
"""


class RateLimitExceeded(Exception):
    """Somebody has tried too often; `wait` is in seconds."""

    def __init__(self, wait: int) -> None:
        super().__init__(f"wait {wait} s")
        self.wait = wait

    @property
    def minutes(self) -> int:
        """How long to wait, as people are told."""
        return -(-self.wait // 60)


def build_limit_error(bound: str, text: Text, field: str = "") -> Malformed:
    """What is raised where there is as much of something as there may be."""
    log_security_event(Event.LIMIT_REACHED, limit=bound)
    return Malformed(text, field)


def count_code_attempt(request: HttpRequest) -> None:
    """Counts a try before it is known whether it is wrong. Raises RateLimitExceeded.

    Whoever is over their own limit is not counted for the whole server: one phone cannot lock out all others.
    """
    _count_all(_list_code_counters(request))


def count_wrong_key(request: HttpRequest) -> None:
    """Count a wrong 160-bit key of a program or a link. Raises RateLimitExceeded.

    Nobody guesses a key: this is for whoever never stops, and takes no tries from people with codes.
    """
    _count_all([(_hash_subject(f"key {_get_network(request)}"), "WRONG_KEY_RATE")])


def count_new_table(request: HttpRequest, device: Device | None) -> None:
    """Counts a table that is opened, or a circle that begins with one. Raises RateLimitExceeded."""
    if device is None:
        count_new_circle(request)
    else:
        _count_all([(_hash_subject(f"tables of {device.pk}"), "NEW_TABLE_RATE")])


def count_new_circle(request: HttpRequest) -> None:
    """Counts a circle that a browser without one begins. Raises RateLimitExceeded."""
    _count_all([(_hash_subject(f"circles from {_get_network(request)}"), "NEW_CIRCLE_RATE")])


def count_upload(request: HttpRequest) -> None:
    """Counts a file before it is read. Raises RateLimitExceeded."""
    _count_all([(_hash_subject(f"files from {_get_network(request)}"), "UPLOAD_RATE")])


def _count_all(counters: Iterable[tuple[str, str]]) -> None:
    """Who is counted, and by which bound. A limit that is known to be reached costs a look: a flood writes nothing."""
    wanted = list(counters)
    tried = AttemptCounter.objects.filter(who__in=[who for who, _bound in wanted]).in_bulk(field_name="who")
    for who, bound in wanted:
        if who in tried:
            _check_limit(bound, tried[who].count + 1, tried[who].began_at)
    for who, bound in wanted:
        _check_limit(bound, *_increment(who, getattr(limits, bound).seconds))


def _check_limit(bound: str, count: int, began_at: int) -> None:
    """Raises RateLimitExceeded where so many tries since then are too many."""
    rate: Rate = getattr(limits, bound)
    wait = began_at + rate.seconds - int(time.time())
    if count > rate.limit and wait > 0:
        log_security_event(Event.LIMIT_REACHED, limit=bound)
        raise RateLimitExceeded(wait)


class InMemoryCounter:
    """Counts without writing anything: in each process for itself, and from the beginning when it starts."""

    def __init__(self, bound: str) -> None:
        self._bound = bound
        self._counted: dict[str, tuple[float, int]] = {}
        self._lock = Lock()

    def count(self, who: str) -> None:
        """Raises RateLimitExceeded."""
        if wait := self.hit(who):
            log_security_event(Event.LIMIT_REACHED, limit=self._bound)
            raise RateLimitExceeded(wait)

    def hit(self, who: str) -> int:
        """Counts, and says how many seconds to wait; 0 where it may be."""
        rate: Rate = getattr(limits, self._bound)
        now = time.time()
        with self._lock:
            began_at, count = self._counted.get(who, (now, 0))
            if not now - rate.seconds < began_at <= now:
                began_at, count = now, 0
            if len(self._counted) > _MAX_IN_MEMORY:
                self._counted = {own: at for own, at in self._counted.items() if at[0] > now - rate.seconds}
            self._counted[who] = (began_at, count + 1)
        return max(1, int(began_at + rate.seconds - now)) if count >= rate.limit else 0


_REFUSALS = InMemoryCounter("REFUSAL_PAGE_RATE")


def is_flood(request: HttpRequest) -> bool:
    """Whether the address has been refused so often that drawing another page for it would keep others waiting."""
    return bool(_REFUSALS.hit(_get_network(request)))


def refund_attempt(request: HttpRequest) -> None:
    """It was not wrong: the try does not count. One counter after the other: whoever held one and waited for the next
    could wait for somebody who does the same the other way round."""
    for who, _bound in _list_code_counters(request):
        AttemptCounter.objects.filter(who=who, count__gt=0).update(count=F("count") - 1)


def _list_code_counters(request: HttpRequest) -> Iterator[tuple[str, str]]:
    device = get_token_hash(request) or request.COOKIES.get(settings.CSRF_COOKIE_NAME, "")[:64]
    yield _hash_subject(f"device {device}"), "WRONG_CODE_RATE_PER_DEVICE"
    yield _hash_subject(f"address {_get_network(request)}"), "WRONG_CODE_RATE_PER_ADDRESS"
    yield _hash_subject("server"), "WRONG_CODE_RATE_PER_SERVER"


def _increment(who: str, seconds: int) -> tuple[int, int]:
    """How many tries there have been with this one, and since when."""
    now = int(time.time())
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(_COUNT_SQL, [who, now, now - seconds, now - seconds])
        count, began_at = AttemptCounter.objects.values_list("count", "began_at").get(who=who)
    if count == 1:
        with suppress(OperationalError):  # somebody else clears away at the same moment
            AttemptCounter.objects.filter(began_at__lt=now - COUNTER_LIFETIME).delete()
    return count, began_at


def _get_network(request: HttpRequest) -> str:
    """The address that asks; of IPv6 the part that one household has."""
    address = str(request.META.get("REMOTE_ADDR", ""))
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address
    if found.version == 6 and not found.ipv4_mapped:
        return str(ipaddress.ip_network((found, 64), strict=False))
    return str(found.ipv4_mapped or found) if found.version == 6 else str(found)


def _hash_subject(who: str) -> str:
    return salted_hmac("companion.people.rate_limits", who, algorithm="sha256").hexdigest()
