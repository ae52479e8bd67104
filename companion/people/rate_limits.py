"""Rate limits for codes, keys, new tables and uploads, counted exactly in the database."""

import time
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
from companion.web.networks import get_network

COUNTER_LIFETIME = 24 * 3600
"""Seconds after which a counter is deleted."""
_MAX_IN_MEMORY = 1_000
"""Counters in memory above which expired ones are dropped."""
_COUNT_SQL = """
INSERT INTO people_tries (who, began_at, count) VALUES (%s, %s, 1)
ON CONFLICT (who) DO UPDATE SET
    count = CASE WHEN people_tries.began_at <= %s THEN 1 ELSE people_tries.count + 1 END,
    began_at = CASE WHEN people_tries.began_at <= %s THEN excluded.began_at ELSE people_tries.began_at END
"""


class RateLimitExceeded(Exception):
    """Too many attempts; `wait` is in seconds."""

    def __init__(self, wait: int) -> None:
        super().__init__(f"wait {wait} s")
        self.wait = wait

    @property
    def minutes(self) -> int:
        """The wait in minutes, rounded up."""
        return -(-self.wait // 60)


def build_limit_error(limit_name: str, text: Text, field: str = "") -> Malformed:
    """Log that a quota of `companion.limits` is used up, and return the error to raise."""
    log_security_event(Event.LIMIT_REACHED, limit=limit_name)
    return Malformed(text, field)


def count_code_attempt(request: HttpRequest) -> None:
    """Count an attempt before the code is checked. Raises RateLimitExceeded.

    An attempt over the device's or address's own limit is not counted for the server: one phone cannot lock out others.
    """
    _count(*_list_code_counters(request))


def count_wrong_key(request: HttpRequest) -> None:
    """Count a wrong 160-bit key of a program or a link. Raises RateLimitExceeded.

    Such a key cannot be guessed; this only stops floods, and takes no attempts from people who type codes.
    """
    _count((f"key {_get_network(request)}", "WRONG_KEY_RATE"))


def count_new_table(request: HttpRequest, device: Device | None) -> None:
    """Count a new table, or the circle that begins with it if there is no device. Raises RateLimitExceeded."""
    if device is None:
        count_new_circle(request)
    else:
        _count((f"tables of {device.pk}", "NEW_TABLE_RATE"))


def count_new_circle(request: HttpRequest) -> None:
    """Count a circle begun by a browser that has none. Raises RateLimitExceeded."""
    _count((f"circles from {_get_network(request)}", "NEW_CIRCLE_RATE"))


def count_upload(request: HttpRequest) -> None:
    """Count a file before it is read. Raises RateLimitExceeded."""
    _count((f"files from {_get_network(request)}", "UPLOAD_RATE"))


def _count(*counters: tuple[str, str]) -> None:
    """Count an attempt for pairs of subject and limit name.

    All are read before one is written, so that a flood above its limit writes nothing.
    """
    limit_names = {_hash_subject(subject): limit_name for subject, limit_name in counters}
    stored = AttemptCounter.objects.filter(who__in=limit_names).in_bulk(field_name="who")
    for who in filter(stored.get, limit_names):
        _check_limit(limit_names[who], stored[who].count + 1, stored[who].began_at)
    for who, limit_name in limit_names.items():
        _check_limit(limit_name, *_increment(who, getattr(limits, limit_name).seconds))


def _check_limit(limit_name: str, count: int, began_at: int) -> None:
    rate: Rate = getattr(limits, limit_name)
    wait = began_at + rate.seconds - int(time.time())
    if count > rate.limit and wait > 0:
        log_security_event(Event.LIMIT_REACHED, limit=limit_name)
        raise RateLimitExceeded(wait)


class InMemoryCounter:
    """A rate limit counted in each process for itself, without writing anything."""

    def __init__(self, limit_name: str) -> None:
        self._limit_name = limit_name
        self._counts: dict[str, tuple[float, int]] = {}
        self._lock = Lock()

    def count(self, who: str) -> None:
        """Count an attempt. Raises RateLimitExceeded."""
        if wait := self.hit(who):
            log_security_event(Event.LIMIT_REACHED, limit=self._limit_name)
            raise RateLimitExceeded(wait)

    def hit(self, who: str) -> int:
        """Count an attempt, and return the seconds to wait; 0 if it is within the limit."""
        rate: Rate = getattr(limits, self._limit_name)
        now = time.time()
        with self._lock:
            began_at, count = self._counts.get(who, (now, 0))
            if not now - rate.seconds < began_at <= now:
                began_at, count = now, 0
            if len(self._counts) > _MAX_IN_MEMORY:
                self._counts = {key: value for key, value in self._counts.items() if value[0] > now - rate.seconds}
            self._counts[who] = (began_at, count + 1)
        return max(1, int(began_at + rate.seconds - now)) if count >= rate.limit else 0


_REFUSALS = InMemoryCounter("REFUSAL_PAGE_RATE")


def is_flood(request: HttpRequest) -> bool:
    """Whether the address has been refused too often to be sent another full error page."""
    return bool(_REFUSALS.hit(_get_network(request)))


def refund_attempt(request: HttpRequest) -> None:
    """Do not count a successful attempt.

    Each counter is its own statement: in one transaction, two requests could wait for each other's rows.
    """
    for subject, _limit_name in _list_code_counters(request):
        AttemptCounter.objects.filter(who=_hash_subject(subject), count__gt=0).update(count=F("count") - 1)


def _list_code_counters(request: HttpRequest) -> tuple[tuple[str, str], ...]:
    device = get_token_hash(request) or request.COOKIES.get(settings.CSRF_COOKIE_NAME, "")[:64]
    return (
        (f"device {device}", "WRONG_CODE_RATE_PER_DEVICE"),
        (f"address {_get_network(request)}", "WRONG_CODE_RATE_PER_ADDRESS"),
        ("server", "WRONG_CODE_RATE_PER_SERVER"),
    )


def _increment(who: str, seconds: int) -> tuple[int, int]:
    """Count an attempt, and return the count with the start of its period."""
    now = int(time.time())
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(_COUNT_SQL, [who, now, now - seconds, now - seconds])
        count, began_at = AttemptCounter.objects.values_list("count", "began_at").get(who=who)
    if count == 1:
        with suppress(OperationalError):  # another process is deleting them
            AttemptCounter.objects.filter(began_at__lt=now - COUNTER_LIFETIME).delete()
    return count, began_at


def _get_network(request: HttpRequest) -> str:
    """Return the client's address, of IPv6 the network of its household."""
    address = str(request.META.get("REMOTE_ADDR", ""))
    return get_network(address) or address


def _hash_subject(who: str) -> str:
    return salted_hmac("companion.people.rate_limits", who, algorithm="sha256").hexdigest()
