"""Readiness checks for probes: how bad it is, without details."""

import logging
import threading
import time
from collections.abc import Callable, Mapping

from companion.db.sqlite_lock import limit_busy_timeout
from companion.ops.health import databases, files
from companion.ops.health.findings import Severity
from companion.tables.services.integrity import check_sample
from companion.web.logging import log_unredacted

CACHE_SECONDS = 3.0
"""Seconds for which results are cached: however often strangers ask, they cause one small write in that time."""
SAMPLE_SIZE, SAMPLE_CACHE_SECONDS = 4, 300.0
"""Tables whose logs are replayed for comparison, and the seconds for which that costly result is cached."""
LOCK_TIMEOUT = 1.0
"""Seconds a probe waits for a lock."""

logger = logging.getLogger(__name__)


def check_write() -> Severity:
    with limit_busy_timeout(LOCK_TIMEOUT):
        databases.probe_write()
    return Severity.OK


def check_space() -> Severity:
    """Report too little space as an error; that it gets scarce is no matter for probes."""
    severities = {finding.severity for finding in files.check_free_space()}
    return Severity.ERROR if Severity.ERROR in severities else Severity.OK


def check_logs() -> Severity:
    """Report tables that differ from their logs as a warning only; `verify` names them."""
    return Severity.WARNING if check_sample(SAMPLE_SIZE) else Severity.OK


CHECKS: dict[str, Callable[[], Severity]] = {
    "migrations": lambda: databases.check_migrations().severity,
    "write": check_write,
    "space": check_space,
    "backup": lambda: files.check_newest_backup().severity,
}
"""Checks by their name in the response; one that raises has failed."""


def run_checks(checks: Mapping[str, Callable[[], Severity]]) -> dict[str, Severity]:
    return {name: _run_check(check) for name, check in checks.items()}


def _run_check(check: Callable[[], Severity]) -> Severity:
    try:
        return check()
    except Exception as error:
        log_unredacted(logger, logging.WARNING, f"Not ready: {error}")
        return Severity.ERROR


class CachedChecks:
    """Cached check results. While one thread refreshes them, others get the previous results."""

    def __init__(self, checks: Mapping[str, Callable[[], Severity]] = CHECKS, seconds: float = CACHE_SECONDS) -> None:
        self._checks, self._seconds = checks, seconds
        self._lock = threading.Lock()
        self._results: dict[str, Severity] = {}
        self._checked_at = -seconds

    def get(self) -> dict[str, Severity]:
        if self._is_stale() and self._lock.acquire(blocking=not self._results):
            try:
                if self._is_stale():
                    self._results, self._checked_at = run_checks(self._checks), time.monotonic()
            finally:
                self._lock.release()
        return self._results

    def _is_stale(self) -> bool:
        return time.monotonic() - self._checked_at >= self._seconds


READINESS = CachedChecks()
LOG_CHECK = CachedChecks({"logs": check_logs}, SAMPLE_CACHE_SECONDS)
