"""What other connections are in the way of: begun anew, or waited for, where that helps. No answers to phones."""

import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from django.db import DatabaseError, IntegrityError, OperationalError, connection

Result = TypeVar("Result")

MAX_ATTEMPTS = 5
_DEADLOCK, _SERIALIZATION = "40P01", "40001"
_ALONE = 20261122
"""Names the lock among those that other programs may take in the same database."""


def is_deadlock(error: DatabaseError) -> bool:
    """Whether the database has given way to another connection that is done by now, or soon. SQLite never does."""
    return getattr(error.__cause__, "sqlstate", None) in (_DEADLOCK, _SERIALIZATION)


def retry(write: Callable[[], Result]) -> Result:
    """What the write returns, which is one transaction and reads all that it goes by itself.

    A row that another connection has made or deleted meanwhile is seen by the next try: a database that lets writers
    go on side by side tells of it only at the end. Raises what the last try raises.
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
    """Of several machines that start together on one PostgreSQL one goes on, and the others wait until it is done.

    The connection is closed afterwards, and so the lock is given back, however it ends.
    """
    if connection.vendor != "postgresql":
        yield
        return
    try:
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = 0")  # a migration may take its time
            cursor.execute("SELECT pg_advisory_lock(%s)", [_ALONE])
        yield
    finally:
        connection.close()
