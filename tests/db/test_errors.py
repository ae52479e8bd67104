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


def get_django_error(database, *statements, kind=OperationalError):
    """Return the error that Django raises for the last statement."""
    wrapper, raw = database
    for statement in statements[:-1]:
        raw.execute(statement)
    with pytest.raises(kind) as raised, wrapper.wrap_database_errors:
        raw.execute(statements[-1])
    return raised.value


def test_a_full_disk_is_a_transient_file_error(database):
    error = get_django_error(database, "PRAGMA max_page_count = 2", "INSERT INTO t VALUES (zeroblob(90000))")
    assert is_transient(error) and is_file_error(error) and not is_locked(error)


def test_a_read_only_file_is_a_transient_file_error(database):
    error = get_django_error(database, "PRAGMA query_only = ON", "INSERT INTO t VALUES (1)")
    assert is_transient(error) and is_file_error(error)


def test_a_held_lock_is_transient_and_not_a_file_error(database, tmp_path):
    connection = sqlite3.connect(tmp_path / "companion.sqlite3", isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    error = get_django_error(database, "BEGIN IMMEDIATE")
    connection.close()
    assert is_transient(error) and is_locked(error) and not is_file_error(error)


def test_a_missing_table_is_a_bug_and_never_ignored(database):
    error = get_django_error(database, "SELECT * FROM nowhere")
    assert not is_transient(error)
    with pytest.raises(OperationalError), ignore_transient_db_errors():
        raise error


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
    error = InternalError("a message") if kind.startswith("Read") else OperationalError("a message")
    error.__cause__ = cause
    assert is_transient(error)


def test_a_closed_connection_is_transient():
    error = InterfaceError("the connection is closed")
    error.__cause__ = errors.InterfaceError("the connection is closed")
    assert is_transient(error)


@pytest.mark.parametrize(
    ("kind", "cause"), [(ProgrammingError, "UndefinedTable"), (InternalError, "InFailedSqlTransaction")]
)
def test_faulty_statements_are_not_transient(kind, cause):
    error = kind("a message")
    error.__cause__ = getattr(errors, cause)("a message")
    assert not is_transient(error)


def build_error(cause):
    error = OperationalError("an error")
    error.__cause__ = cause
    return error


def test_only_a_lost_connection_leaves_a_commit_uncertain(database):
    assert may_have_committed(build_error(PostgreSQLError("the connection is lost")))
    assert not may_have_committed(build_error(errors.LockNotAvailable("somebody else has it")))
    with pytest.raises(PostgreSQLError) as refused:
        connect(host="/nowhere", dbname="companion")
    assert not may_have_committed(build_error(refused.value))
    assert not may_have_committed(get_django_error(database, "PRAGMA query_only = ON", "INSERT INTO t VALUES (1)"))
    assert not may_have_committed(OperationalError("the table is too busy"))
