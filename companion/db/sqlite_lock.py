"""Per-request SQLite busy timeout, so that a long lock does not block every thread."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from traceback import clear_frames
from typing import Any

from django.db import OperationalError, connections
from django.db.backends.base.base import BaseDatabaseWrapper

from companion.db.errors import is_locked

FIRST_TIMEOUT = 6.0
"""Seconds that one waiting request of the process may wait; a phone gives up after 8 and would not see the reason."""
TIMEOUT = 4.0
"""Seconds for the other requests: another process may have a slow disk, as this one may."""
MAX_QUEUE_SECONDS = 20.0
"""Seconds after which a queued request gives up even though the requests ahead of it make progress."""
STALLED_TIMEOUT = 0.2
"""Seconds for requests that arrive while the queue has stalled: pages that only read must find a thread."""


class _ThreadLimit(threading.local):
    seconds = FIRST_TIMEOUT


_thread_limit = _ThreadLimit()


@contextmanager
def limit_busy_timeout(seconds: float) -> Iterator[None]:
    """Cap the busy timeout of this thread's statements inside the block."""
    _thread_limit.seconds = seconds
    try:
        yield
    finally:
        _thread_limit.seconds = FIRST_TIMEOUT


class BusyTimeout:
    """A `connection.execute_wrapper` that sets the busy timeout for each statement. One instance per process.

    Only statements that take a lock wait: the start of a transaction, or a statement outside of one. Retrying these is
    safe, as nothing has happened yet. The `COMMIT` that follows keeps the timeout of the start.
    """

    def __init__(self) -> None:
        self._first_slot = threading.Lock()
        """Held by the request that waits with FIRST_TIMEOUT."""
        self._first_since = self._last_write = 0.0
        """When that request began to wait, and when anybody last got the write lock."""
        self._is_stuck = False
        self._writer: BaseDatabaseWrapper | None = None
        """The last connection of this process to begin a write."""

    def __call__(
        self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: dict[str, Any]
    ) -> object:
        connection: BaseDatabaseWrapper = context["connection"]
        if connection.vendor != "sqlite" or connection.in_atomic_block:
            return execute(sql, params, many, context)
        is_first = self._first_slot.acquire(blocking=False)
        if is_first:
            self._first_since = time.monotonic()
        try:
            return self._execute(lambda: execute(sql, params, many, context), connection, is_first, not is_select(sql))
        finally:
            if is_first:
                self._first_slot.release()

    def _execute(
        self, execute: Callable[[], object], connection: BaseDatabaseWrapper, is_first: bool, is_writing: bool
    ) -> object:
        deadline = time.monotonic() + MAX_QUEUE_SECONDS
        while True:
            seconds = min(self._choose_timeout(is_first), _thread_limit.seconds)
            connection.connection.execute(f"PRAGMA busy_timeout = {int(1000 * seconds)}")
            was_writing = self._is_writing()  # between two writers of this process nobody holds the lock for a moment
            try:
                result = execute()
            except OperationalError as error:
                # Django's frame and its error refer to each other: left to the garbage collector, the cursor would be
                # reset by another thread, which would hold the GIL and wait for this connection.
                clear_frames(error.__traceback__)
                is_queued = is_locked(error) and not self._is_stalled(was_writing) and time.monotonic() < deadline
                if is_queued and _thread_limit.seconds >= FIRST_TIMEOUT:
                    continue  # others are being served meanwhile
                self._is_stuck = self._is_stuck or (is_locked(error) and seconds >= TIMEOUT)
                raise
            if is_writing:  # reads succeed while somebody else holds the write lock
                self._is_stuck, self._last_write, self._writer = False, time.monotonic(), connection
            return result

    def _choose_timeout(self, is_first: bool) -> float:
        if is_first:
            return TIMEOUT if self._is_stuck else FIRST_TIMEOUT
        return STALLED_TIMEOUT if self._is_stalled(self._is_writing()) else TIMEOUT

    def _is_stalled(self, is_writing: bool) -> bool:
        """Whether the queue makes no progress: an attempt has failed, or nobody got the lock for a whole timeout.

        A lock that this process holds, or just held, will be released: its slow disk is granted the longer timeout.
        """
        since = max(self._first_since, self._last_write)
        limit = FIRST_TIMEOUT if is_writing else TIMEOUT
        return self._is_stuck or (self._first_slot.locked() and time.monotonic() - since > limit)

    def _is_writing(self) -> bool:
        """Whether a request of this process is inside a write transaction; true until its `COMMIT` returns."""
        return self._writer is not None and not self._writer.autocommit


def is_select(sql: str) -> bool:
    return sql.lstrip().upper().startswith("SELECT")


BUSY_TIMEOUT = BusyTimeout()


def lower_timeouts() -> None:
    """Open SQLite files with the requests' timeout from now on, in a process that only serves."""
    for alias in connections:
        config = connections.settings[alias]
        if config["ENGINE"] == "django.db.backends.sqlite3":
            config["OPTIONS"] = {**config["OPTIONS"], "timeout": TIMEOUT}
