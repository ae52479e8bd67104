"""Classification of database errors: transient ones are answered with 503, all others are bugs."""

import logging
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import DatabaseError, InterfaceError, InternalError, OperationalError, connection

from companion.web.logging import log_unredacted

logger = logging.getLogger(__name__)

DATABASE_ERRORS = (DatabaseError, InterfaceError)
"""All that a database raises, bugs included; see `is_transient`."""
RETRY_AFTER = 5
"""Seconds after which a client that got a 503 may try again."""

_COMMITTED_NOTE = "The transaction before this was committed."
_LOCK_CODES = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL})
_FILE_CODES = frozenset(
    {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CORRUPT}
    | {sqlite3.SQLITE_FULL, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_NOTADB}
)
_SERVER_STATES = frozenset({"25006", "25P03", "XX001", "XX002"})
"""SQLSTATEs that PostgreSQL calls internal: read-only server, idle transaction ended, damaged data or index."""


def is_transient(error: BaseException) -> bool:
    """Return whether the same request may succeed later without a change to the code.

    SQLite also calls a missing table an operational error; its codes tell them apart. An operational error without a
    code was raised by our own code.
    """
    code = _sqlite_code(error)
    if code is not None:
        return code in _LOCK_CODES | _FILE_CODES
    if isinstance(error, InternalError):
        return getattr(error.__cause__, "sqlstate", None) in _SERVER_STATES
    return isinstance(error, OperationalError | InterfaceError)


def is_locked(error: BaseException) -> bool:
    """Return whether another connection holds the lock of SQLite's file; nothing is wrong with the file."""
    return _sqlite_code(error) in _LOCK_CODES


def is_file_error(error: BaseException) -> bool:
    """Return whether SQLite could not read or write its file; the connection must not be used again."""
    return _sqlite_code(error) in _FILE_CODES


def may_have_committed(error: BaseException | None) -> bool:
    """Return whether the request's data may have been saved despite the error.

    So it is if this error, or one that was being handled when it was raised, came after a commit (`mark_committed`) or
    lost the connection to PostgreSQL midway. Nothing was saved if no connection was made at all (psycopg then sets
    `pgconn`), or if the server answered with a SQLSTATE.
    """
    while error is not None:
        cause = error.__cause__
        is_lost = getattr(cause, "sqlstate", "") is None and getattr(cause, "pgconn", cause) is None
        if is_lost or _COMMITTED_NOTE in getattr(error, "__notes__", ()):
            return True
        error = error.__context__
    return False


@contextmanager
def mark_committed() -> Iterator[None]:
    """Mark database errors raised inside as coming after a commit, so that nobody is told that nothing was saved."""
    try:
        yield
    except DATABASE_ERRORS as error:
        error.add_note(_COMMITTED_NOTE)
        raise


@contextmanager
def ignore_transient_db_errors() -> Iterator[None]:
    """Skip the rest of the block on a transient database error, for side work that can wait."""
    try:
        yield
    except DATABASE_ERRORS as error:
        if not is_transient(error):
            raise


def log_transient_error(error: Exception) -> None:
    """Log the cause of a 503, and drop a connection that would keep failing once the cause is gone.

    SQLite keeps a file read-only that was read-only when it was opened.
    """
    log_unredacted(logger, logging.WARNING, f"The database is unavailable; answered a request with 503: {error}")
    if is_file_error(error) and not connection.in_atomic_block:
        connection.close()


def _sqlite_code(error: BaseException) -> int | None:
    """Return SQLite's primary error code; None if the error is not SQLite's."""
    code = getattr(error.__cause__, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF
