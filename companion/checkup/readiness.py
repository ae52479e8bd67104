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

from companion.checkup import backups, databases
from companion.checkup.places import LEAST_ROOM
from companion.patience import at_most

REMEMBERED = 3.0
"""Seconds for which the answer holds: strangers may ask as often as they like, and cause one small write meanwhile."""
PATIENT = 1.0
"""Seconds that a probe waits for a lock."""

logger = logging.getLogger(__name__)


class State(StrEnum):
    OK = "ok"
    DEGRADED = "degraded"
    """It works, and somebody should look."""
    FAILED = "failed"


def write() -> State:
    with at_most(PATIENT):
        databases.try_to_write()
    return State.OK


def migrations() -> State:
    return State.FAILED if databases.missing_migrations(connection) else State.OK


def space() -> State:
    free = min(shutil.disk_usage(folder).free for folder in databases.folders(settings.DATA))
    return State.OK if free >= LEAST_ROOM else State.FAILED


def backup() -> State:
    return State.OK if backups.is_fresh(backups.newest(settings.DATA), timezone.now()) else State.DEGRADED


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
        logger.warning("Not ready: %s", " ".join(str(error).split()))
        return State.FAILED


def worst(found: Mapping[str, State]) -> State:
    return max(found.values(), key=list(State).index, default=State.OK)


class Remembered:
    """The states as they were last found. While they are being found anew others are told the last ones."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._found: dict[str, State] = {}
        self._at = -REMEMBERED

    def get(self) -> dict[str, State]:
        if time.monotonic() - self._at >= REMEMBERED and self._lock.acquire(blocking=not self._found):
            try:
                if time.monotonic() - self._at >= REMEMBERED:
                    self._found, self._at = states(CHECKS), time.monotonic()
            finally:
                self._lock.release()
        return self._found


READINESS = Remembered()
