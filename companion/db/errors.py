"""Which failures of a database pass by themselves or once the operator has helped; what is a bug is none of them."""

import logging
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import DatabaseError, InterfaceError, InternalError, OperationalError, connection

from companion.web.logging import in_full

logger = logging.getLogger(__name__)

FAILURES = (DatabaseError, InterfaceError)
"""All that a database raises; `is_passing` tells what of it is no bug."""
RETRY_AFTER = 5
"""Seconds after which somebody who was answered 503 may ask again."""

_KEPT = "What was asked before this has been kept."
_BUSY, _LOCKED, _READ_ONLY, _INPUT_OUTPUT, _CORRUPT, _FULL, _CANNOT_OPEN, _PROTOCOL, _NO_DATABASE = (
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_CORRUPT,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PROTOCOL,
    sqlite3.SQLITE_NOTADB,
)
_HELD = frozenset({_BUSY, _LOCKED, _PROTOCOL})
_OF_THE_FILE = frozenset({_READ_ONLY, _INPUT_OUTPUT, _CORRUPT, _FULL, _CANNOT_OPEN, _NO_DATABASE})
_OF_THE_SERVER = frozenset({"25006", "25P03", "XX001", "XX002"})
"""SQLSTATE of what PostgreSQL calls internal: it takes reads only now, ended an idle transaction, found damage."""


def is_passing(error: BaseException) -> bool:
    """Whether the same request may succeed later without anybody mending the code.

    SQLite calls a missing table an operational error, too: its codes tell. Without a code it is our own word.
    """
    code = _sqlite_code(error)
    if code is not None:
        return code in _HELD | _OF_THE_FILE
    if isinstance(error, InternalError):
        return getattr(error.__cause__, "sqlstate", None) in _OF_THE_SERVER
    return isinstance(error, OperationalError | InterfaceError)


def is_held(error: BaseException) -> bool:
    """Whether somebody else has the lock of SQLite's file: nothing is wrong with the file."""
    return _sqlite_code(error) in _HELD


def is_of_the_file(error: BaseException) -> bool:
    """Whether SQLite's file could not be read or written: a connection that has seen this is not to be used again."""
    return _sqlite_code(error) in _OF_THE_FILE


def is_uncertain(error: BaseException | None) -> bool:
    """Whether what was asked may have been kept: this, or what was being handled when it was raised, came `after_all`,
    or the connection to PostgreSQL was lost on the way.

    Where no connection came about at all (psycopg shows it then), and where the server has said a word, nothing was.
    """
    while error is not None:
        cause = error.__cause__
        is_lost = getattr(cause, "sqlstate", "") is None and getattr(cause, "pgconn", cause) is None
        if is_lost or _KEPT in getattr(error, "__notes__", ()):
            return True
        error = error.__context__
    return False


@contextmanager
def after_all() -> Iterator[None]:
    """For what shows what has been kept: where that fails, nobody may say that nothing was."""
    try:
        yield
    except FAILURES as error:
        error.add_note(_KEPT)
        raise


@contextmanager
def in_passing() -> Iterator[None]:
    """For what is done beside the point of a request: where the database cannot be used now, it is left for later."""
    try:
        yield
    except FAILURES as error:
        if not is_passing(error):
            raise


def note(error: Exception) -> None:
    """Tells the operator the cause, and lets go of a connection that would go on failing after the cause is gone:
    SQLite keeps a file that it once found read-only open for reading alone."""
    said = f"The database cannot be used now, and a request was answered 503: {error}"
    logger.warning(said, extra=in_full(said))
    if is_of_the_file(error) and not connection.in_atomic_block:
        connection.close()


def _sqlite_code(error: BaseException) -> int | None:
    """The primary code of what SQLite said; None where it was not SQLite."""
    code = getattr(error.__cause__, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF
