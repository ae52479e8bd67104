import sqlite3

import pytest
from django.db import InterfaceError, InternalError, OperationalError, ProgrammingError
from django.db.backends.sqlite3.base import DatabaseWrapper
from psycopg import OperationalError as PostgreSQLError
from psycopg import connect, errors

from companion.db.errors import ignore_transient_db_errors, is_file_error, is_locked, is_transient, may_have_committed
from companion.db.settings import database_config


@pytest.fixture
def database(tmp_path):
    wrapper = DatabaseWrapper(database_config("", tmp_path), "other")
    raw = sqlite3.connect(tmp_path / "companion.sqlite3", isolation_level=None, timeout=0)
    raw.execute("CREATE TABLE t (x TEXT)")
    yield wrapper, raw
    raw.close()


def failure(database, *statements, kind=OperationalError):
    """Return the error that Django raises for the last statement."""
    wrapper, raw = database
    for statement in statements[:-1]:
        raw.execute(statement)
    with pytest.raises(kind) as raised, wrapper.wrap_database_errors:
        raw.execute(statements[-1])
    return raised.value


def test_a_full_disk_is_a_transient_file_error(database):
    full = failure(database, "PRAGMA max_page_count = 2", "INSERT INTO t VALUES (zeroblob(90000))")
    assert is_transient(full) and is_file_error(full) and not is_locked(full)


def test_a_read_only_file_is_a_transient_file_error(database):
    read_only = failure(database, "PRAGMA query_only = ON", "INSERT INTO t VALUES (1)")
    assert is_transient(read_only) and is_file_error(read_only)


def test_a_held_lock_is_transient_and_not_a_file_error(database, tmp_path):
    other = sqlite3.connect(tmp_path / "companion.sqlite3", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    held = failure(database, "BEGIN IMMEDIATE")
    other.close()
    assert is_transient(held) and is_locked(held) and not is_file_error(held)


def test_a_missing_table_is_a_bug_and_never_ignored(database):
    missing = failure(database, "SELECT * FROM nowhere")
    assert not is_transient(missing)
    with pytest.raises(OperationalError), ignore_transient_db_errors():
        raise missing


def test_side_work_is_skipped_on_transient_errors():
    with ignore_transient_db_errors():
        raise OperationalError("too busy")


@pytest.mark.parametrize(
    "kind",
    [
        "DiskFull",
        "ReadOnlySqlTransaction",
        "LockNotAvailable",
        "AdminShutdown",
        "CannotConnectNow",
        "TooManyConnections",
    ],
)
def test_temporary_postgresql_errors_are_transient(kind):
    cause = getattr(errors, kind)("a message")
    raised = InternalError("a message") if kind.startswith("Read") else OperationalError("a message")
    raised.__cause__ = cause
    assert is_transient(raised)


def test_a_closed_connection_is_transient():
    raised = InterfaceError("the connection is closed")
    raised.__cause__ = errors.InterfaceError("the connection is closed")
    assert is_transient(raised)


@pytest.mark.parametrize(
    ("kind", "cause"), [(ProgrammingError, "UndefinedTable"), (InternalError, "InFailedSqlTransaction")]
)
def test_faulty_statements_are_not_transient(kind, cause):
    raised = kind("a message")
    raised.__cause__ = getattr(errors, cause)("a message")
    assert not is_transient(raised)


def raised_from(cause):
    error = OperationalError("an error")
    error.__cause__ = cause
    return error


def test_only_a_lost_connection_leaves_a_commit_uncertain(database):
    assert may_have_committed(raised_from(PostgreSQLError("the connection is lost")))
    assert not may_have_committed(raised_from(errors.LockNotAvailable("somebody else has it")))
    with pytest.raises(PostgreSQLError) as refused:
        connect(host="/nowhere", dbname="companion")
    assert not may_have_committed(raised_from(refused.value))
    assert not may_have_committed(failure(database, "PRAGMA query_only = ON", "INSERT INTO t VALUES (1)"))
    assert not may_have_committed(OperationalError("the table is too busy"))
