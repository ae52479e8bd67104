"""How long a request waits for the lock of SQLite's file: not so long that all threads wait. Commands wait longer."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db import OperationalError, connections
from django.db.backends.base.base import BaseDatabaseWrapper

from companion.db.errors import is_locked

FIRST_TIMEOUT = 6.0
"""Seconds that one request of the process waits; a phone gives up after 8, and would never hear why."""
TIMEOUT = 4.0
"""Seconds that the others wait while it does: the other process may have a slow disk, as this one may."""
MAX_QUEUE_SECONDS = 20.0
"""Seconds until whoever waits behind others gives up though they move on."""
STALLED_TIMEOUT = 0.2
"""Seconds for whoever comes while nothing has moved for long: pages that only read must find a thread."""


class _Own(threading.local):
    most = FIRST_TIMEOUT


_own = _Own()


@contextmanager
def limit_busy_timeout(seconds: float) -> Iterator[None]:
    """What this thread does inside waits no longer than that."""
    _own.most = seconds
    try:
        yield
    finally:
        _own.most = FIRST_TIMEOUT


class BusyTimeout:
    """Wraps the statements of requests (`connection.execute_wrapper`). One of these serves a whole process.

    Only what takes a lock waits: the beginning of a transaction, or a statement outside of one. Trying that again is
    safe, for nothing has happened yet. The `COMMIT` after it has the time that the beginning was given.
    """

    def __init__(self) -> None:
        self._place = threading.Lock()
        """Held by the one that waits first."""
        self._began = self._moved = 0.0
        """When it began to wait, and when anybody last had the lock for writing."""
        self._is_stuck = False
        self._holder: BaseDatabaseWrapper | None = None
        """What last began to write through this."""

    def __call__(
        self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: dict[str, Any]
    ) -> object:
        connection: BaseDatabaseWrapper = context["connection"]
        if connection.vendor != "sqlite" or connection.in_atomic_block:
            return execute(sql, params, many, context)
        is_first = self._place.acquire(blocking=False)
        if is_first:
            self._began = time.monotonic()
        try:
            return self._tried(lambda: execute(sql, params, many, context), connection, is_first, not is_select(sql))
        finally:
            if is_first:
                self._place.release()

    def _tried(
        self, execute: Callable[[], object], connection: BaseDatabaseWrapper, is_first: bool, is_writing: bool
    ) -> object:
        until = time.monotonic() + MAX_QUEUE_SECONDS
        while True:
            seconds = min(self._seconds(is_first), _own.most)
            connection.connection.execute(f"PRAGMA busy_timeout = {int(1000 * seconds)}")
            was_ours = self._is_ours()  # between one of ours and the next the lock is nobody's for a moment
            try:
                done = execute()
            except OperationalError as error:
                is_queue = is_locked(error) and not self._has_stopped(was_ours) and time.monotonic() < until
                if is_queue and _own.most >= FIRST_TIMEOUT:
                    continue  # others are served meanwhile
                self._is_stuck = self._is_stuck or (is_locked(error) and seconds >= TIMEOUT)
                raise
            if is_writing:  # reading goes on while somebody else has the lock for writing
                self._is_stuck, self._moved, self._holder = False, time.monotonic(), connection
            return done

    def _seconds(self, is_first: bool) -> float:
        if is_first:
            return TIMEOUT if self._is_stuck else FIRST_TIMEOUT
        return STALLED_TIMEOUT if self._has_stopped(self._is_ours()) else TIMEOUT

    def _has_stopped(self, is_ours: bool) -> bool:
        """Whether nothing moves: a try has failed, or the first waits for long and nobody else has got the lock.

        What one of our own has, or had a moment ago, will be let go of: a slow disk is waited for, as long as a phone
        waits.
        """
        since = max(self._began, self._moved)
        return self._is_stuck or (
            self._place.locked() and time.monotonic() - since > (FIRST_TIMEOUT if is_ours else TIMEOUT)
        )

    def _is_ours(self) -> bool:
        """Whether a request of this process is in midst of a transaction; until its `COMMIT` has come back it is."""
        return self._holder is not None and not self._holder.autocommit


def is_select(sql: str) -> bool:
    return sql.lstrip().upper().startswith("SELECT")


BUSY_TIMEOUT = BusyTimeout()


def lower_timeouts() -> None:
    """From now on this process waits no longer than that to open the file, either: a process that only serves."""
    for name in connections:
        own = connections.settings[name]
        if own["ENGINE"] == "django.db.backends.sqlite3":
            own["OPTIONS"] = {**own["OPTIONS"], "timeout": TIMEOUT}
