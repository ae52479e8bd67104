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
from companion.ops.health.files import MIN_FREE_BYTES
from companion.tables.services.integrity import check_sample
from companion.web.logging import unredacted

CACHE_SECONDS = 3.0
"""Seconds for which the answer holds: strangers may ask as often as they like, and cause one small write meanwhile."""
SAMPLE_SIZE, SAMPLE_CACHE_SECONDS = 4, 300.0
"""Tables whose logs are folded to compare them, and the seconds for which that holds: it is work."""
LOCK_TIMEOUT = 1.0
"""Seconds that a probe waits for a lock."""

logger = logging.getLogger(__name__)


class CheckState(StrEnum):
    OK = "ok"
    DEGRADED = "degraded"
    """It works, and somebody should look."""
    FAILED = "failed"


def check_write() -> CheckState:
    with limit_busy_timeout(LOCK_TIMEOUT):
        databases.probe_write()
    return CheckState.OK


def check_migrations() -> CheckState:
    return CheckState.FAILED if databases.list_missing_migrations(connection) else CheckState.OK


def check_space() -> CheckState:
    free = min(shutil.disk_usage(place).free for place in databases.list_data_folders(settings.DATA))
    return CheckState.OK if free >= MIN_FREE_BYTES else CheckState.FAILED


def check_backup() -> CheckState:
    return (
        CheckState.OK if backups.is_fresh(retention.get_newest_backup_time(), timezone.now()) else CheckState.DEGRADED
    )


def check_logs() -> CheckState:
    """One table that is not as its log says is no reason to send all phones away; `verify` tells which it is."""
    return CheckState.DEGRADED if check_sample(SAMPLE_SIZE) else CheckState.OK


CHECKS: dict[str, Callable[[], CheckState]] = {
    "migrations": check_migrations,
    "write": check_write,
    "space": check_space,
    "backup": check_backup,
}
"""Each under the word by which it is told; a check that raises has failed."""


def run_checks(checks: Mapping[str, Callable[[], CheckState]]) -> dict[str, CheckState]:
    return {word: _asked(check) for word, check in checks.items()}


def _asked(check: Callable[[], CheckState]) -> CheckState:
    try:
        return check()
    except Exception as error:  # whatever it is, this is no time for phones
        said = f"Not ready: {error}"
        logger.warning(said, extra=unredacted(said))
        return CheckState.FAILED


def get_worst_state(found: Mapping[str, CheckState]) -> CheckState:
    return max(found.values(), key=list(CheckState).index, default=CheckState.OK)


class CachedChecks:
    """The states as they were last found. While they are being found anew others are told the last ones."""

    def __init__(self, checks: Mapping[str, Callable[[], CheckState]] = CHECKS, seconds: float = CACHE_SECONDS) -> None:
        self._checks, self._seconds = checks, seconds
        self._lock = threading.Lock()
        self._found: dict[str, CheckState] = {}
        self._at = -seconds

    def get(self) -> dict[str, CheckState]:
        if time.monotonic() - self._at >= self._seconds and self._lock.acquire(blocking=not self._found):
            try:
                if time.monotonic() - self._at >= self._seconds:
                    self._found, self._at = run_checks(self._checks), time.monotonic()
            finally:
                self._lock.release()
        return self._found


READINESS = CachedChecks()
LOG_CHECK = CachedChecks({"logs": check_logs}, SAMPLE_CACHE_SECONDS)
