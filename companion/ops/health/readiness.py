"""Whether this server is ready for phones, as a word for each thing that must hold: for probes, hence no details."""

from __future__ import annotations

import logging
import shutil
import threading
import time
from collections.abc import Callable, Mapping
from enum import StrEnum

from django.conf import settings
from django.db import connection
from django.utils import timezone

from companion.db.sqlite_lock import limit_busy_timeout
from companion.ops.backup import retention
from companion.ops.health import backups, databases
from companion.ops.health.files import LEAST_ROOM
from companion.tables.services.integrity import sampled
from companion.web.logging import unredacted

REMEMBERED = 3.0
"""Seconds for which the answer holds: strangers may ask as often as they like, and cause one small write meanwhile."""
SAMPLED, SAMPLED_FOR = 4, 300.0
"""Tables whose logs are folded to compare them, and the seconds for which that holds: it is work."""
PATIENT = 1.0
"""Seconds that a probe waits for a lock."""

logger = logging.getLogger(__name__)


class State(StrEnum):
    OK = "ok"
    DEGRADED = "degraded"
    """It works, and somebody should look."""
    FAILED = "failed"


def write() -> State:
    with limit_busy_timeout(PATIENT):
        databases.try_to_write()
    return State.OK


def migrations() -> State:
    return State.FAILED if databases.missing_migrations(connection) else State.OK


def space() -> State:
    free = min(shutil.disk_usage(place).free for place in databases.folders(settings.DATA))
    return State.OK if free >= LEAST_ROOM else State.FAILED


def backup() -> State:
    return State.OK if backups.is_fresh(retention.newest(), timezone.now()) else State.DEGRADED


def logs() -> State:
    """One table that is not as its log says is no reason to send all phones away; `verify` tells which it is."""
    return State.DEGRADED if sampled(SAMPLED) else State.OK


CHECKS: dict[str, Callable[[], State]] = {
    "migrations": migrations,
    "write": write,
    "space": space,
    "backup": backup,
}
"""Each under the word by which it is told; a check that raises has failed."""


def states(checks: Mapping[str, Callable[[], State]]) -> dict[str, State]:
    return {word: _asked(check) for word, check in checks.items()}


def _asked(check: Callable[[], State]) -> State:
    try:
        return check()
    except Exception as error:  # whatever it is, this is no time for phones
        said = f"Not ready: {error}"
        logger.warning(said, extra=unredacted(said))
        return State.FAILED


def worst(found: Mapping[str, State]) -> State:
    return max(found.values(), key=list(State).index, default=State.OK)


class Remembered:
    """The states as they were last found. While they are being found anew others are told the last ones."""

    def __init__(self, checks: Mapping[str, Callable[[], State]] = CHECKS, seconds: float = REMEMBERED) -> None:
        self._checks, self._seconds = checks, seconds
        self._lock = threading.Lock()
        self._found: dict[str, State] = {}
        self._at = -seconds

    def get(self) -> dict[str, State]:
        if time.monotonic() - self._at >= self._seconds and self._lock.acquire(blocking=not self._found):
            try:
                if time.monotonic() - self._at >= self._seconds:
                    self._found, self._at = states(self._checks), time.monotonic()
            finally:
                self._lock.release()
        return self._found


READINESS = Remembered()
LOGS = Remembered({"logs": logs}, SAMPLED_FOR)
