"""A concurrency limit for costly requests: one runs at a time in each process."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

MAX_WAIT_SECONDS = 1.0
MAX_WAITING = 1
"""Requests that may queue; each holds a thread that phones at the tables need."""

_slot = threading.Lock()
_admitted = threading.BoundedSemaphore(1 + MAX_WAITING)


class ServerBusy(Exception):
    """Another costly request is running."""


@contextmanager
def limit_concurrency() -> Iterator[None]:
    """Run a view or a block while no other costly one runs in this process. Not reentrant.

    As a decorator it takes parentheses: `@limit_concurrency()`. Raises ServerBusy at once if the queue is full, and
    after a second in the queue.
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
