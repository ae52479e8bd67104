"""A concurrency limit for costly requests: one runs at a time in each process."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

MAX_WAIT_SECONDS = 1.0
MAX_WAITING = 1
"""Requests that wait for their turn; each of them holds a thread that phones at the tables need."""
RETRY_AFTER = 5
"""Seconds after which a refused client may try again."""

_slot = threading.Lock()
_admitted = threading.BoundedSemaphore(1 + MAX_WAITING)


class ServerBusy(Exception):
    """Another costly request is running."""


@contextmanager
def limit_concurrency() -> Iterator[None]:
    """Run a view, or a block, while no other costly one runs in this process. Not reentrant.

    As a decorator it takes parentheses: `@limit_concurrency()`. Raises ServerBusy at once where somebody waits already,
    and after a second where the one that runs is not done by then.
    """
    if not _admitted.acquire(blocking=False):
        raise ServerBusy
    try:
        if not _slot.acquire(timeout=MAX_WAIT_SECONDS):
            raise ServerBusy
        try:
            yield
        finally:
            _slot.release()
    finally:
        _admitted.release()
