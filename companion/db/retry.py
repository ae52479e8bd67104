"""Retries for transactions lost to deadlocks or races, and a lock for start-up."""

import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from django.db import DatabaseError, IntegrityError, OperationalError, connection

Result = TypeVar("Result")

MAX_ATTEMPTS = 5
_DEADLOCK, _SERIALIZATION = "40P01", "40001"
_STARTUP_LOCK = 20261122
"""Advisory lock key; distinct from keys of other programs in the same database."""


def is_deadlock(error: DatabaseError) -> bool:
    """Return whether the database aborted this transaction in favour of another one. SQLite never does."""
    return getattr(error.__cause__, "sqlstate", None) in (_DEADLOCK, _SERIALIZATION)


def retry(write: Callable[[], Result]) -> Result:
    """Return the result of `write`, retried on deadlocks and integrity errors. Raises what the last attempt raises.

    `write` must be one transaction and read everything it depends on itself, so that the next attempt sees rows that
    another connection has inserted or deleted meanwhile.
    """
    for attempt in range(MAX_ATTEMPTS - 1):
        try:
            return write()
        except IntegrityError:
            pass
        except OperationalError as error:
            if not is_deadlock(error):
                raise
        time.sleep(random.uniform(0, 0.02 * 2**attempt))
    return write()


@contextmanager
def startup_lock() -> Iterator[None]:
    """Let one of several machines that start on the same PostgreSQL database proceed at a time.

    Closes the connection at the end, which releases the lock however the block ends.
    """
    if connection.vendor != "postgresql":
        yield
        return
    try:
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = 0")  # a migration may take its time
            cursor.execute("SELECT pg_advisory_lock(%s)", [_STARTUP_LOCK])
        yield
    finally:
        connection.close()
