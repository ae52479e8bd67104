"""How often a wrong code may be tried: counted exactly in the database, whatever processes there are."""

from __future__ import annotations

import ipaddress
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress

from django.conf import settings
from django.db import OperationalError, connection, transaction
from django.db.models import F
from django.http import HttpRequest
from django.utils.crypto import salted_hmac

from companion.people.access import token_hash_of
from companion.people.models import Tries

PER_DEVICE = (10, 10 * 60)
PER_ADDRESS = (30, 10 * 60)
PER_SERVER = (30, 60)
"""Wrong codes, and in how many seconds. A whole party shares one address."""
_FORGOTTEN = 24 * 3600
_COUNT = """
INSERT INTO people_tries (who, began_at, count) VALUES (%s, %s, 1)
ON CONFLICT (who) DO UPDATE SET
    count = CASE WHEN people_tries.began_at <= %s THEN 1 ELSE people_tries.count + 1 END,
    began_at = CASE WHEN people_tries.began_at <= %s THEN excluded.began_at ELSE people_tries.began_at END
"""


class TooManyTries(Exception):
    """Somebody has tried too often; `wait` is in seconds."""

    def __init__(self, wait: int) -> None:
        super().__init__(f"wait {wait} s")
        self.wait = wait


def count_try(request: HttpRequest) -> None:
    """Counts a try before it is known whether it is wrong. Raises TooManyTries.

    Whoever is over their own limit is not counted for the whole server: one phone cannot lock out all others.
    """
    _count_all(_counters(request))


def count_wrong_key(request: HttpRequest) -> None:
    """Counts a program's wrong key, whatever cookies come with it. Raises TooManyTries.

    Nobody guesses a key: this is for programs that never stop, and they take no tries from people with codes.
    """
    _count_all([(_hashed(f"program {_network(request.META.get('REMOTE_ADDR', ''))}"), PER_ADDRESS)])


def _count_all(counters: Iterable[tuple[str, tuple[int, int]]]) -> None:
    for who, (most, seconds) in counters:
        count, began_at = _counted(who, seconds)
        if count > most:
            raise TooManyTries(max(1, began_at + seconds - int(time.time())))


def take_back(request: HttpRequest) -> None:
    """It was not wrong: the try does not count. One counter after the other: whoever held one and waited for the next
    could wait for somebody who does the same the other way round."""
    for who, _limit in _counters(request):
        Tries.objects.filter(who=who, count__gt=0).update(count=F("count") - 1)


def _counters(request: HttpRequest) -> Iterator[tuple[str, tuple[int, int]]]:
    device = token_hash_of(request) or request.COOKIES.get(settings.CSRF_COOKIE_NAME, "")[:64]
    yield _hashed(f"device {device}"), PER_DEVICE
    yield _hashed(f"address {_network(request.META.get('REMOTE_ADDR', ''))}"), PER_ADDRESS
    yield _hashed("server"), PER_SERVER


def _counted(who: str, seconds: int) -> tuple[int, int]:
    """How many tries there have been with this one, and since when."""
    now = int(time.time())
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(_COUNT, [who, now, now - seconds, now - seconds])
        count, began_at = Tries.objects.values_list("count", "began_at").get(who=who)
    if count == 1:
        with suppress(OperationalError):  # somebody else clears away at the same moment
            Tries.objects.filter(began_at__lt=now - _FORGOTTEN).delete()
    return count, began_at


def _network(address: str) -> str:
    """Of an IPv6 address the part that one household has."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address
    if found.version == 6 and not found.ipv4_mapped:
        return str(ipaddress.ip_network((found, 64), strict=False))
    return str(found.ipv4_mapped or found) if found.version == 6 else str(found)


def _hashed(who: str) -> str:
    return salted_hmac("companion.people.limits", who, algorithm="sha256").hexdigest()
