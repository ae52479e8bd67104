import sqlite3

import pytest
from django.db import InterfaceError, InternalError, OperationalError, ProgrammingError
from django.db.backends.sqlite3.base import DatabaseWrapper
from psycopg import OperationalError as PostgreSQLError
from psycopg import connect, errors

from companion.db.errors import ignore_transient_db_errors, is_file_error, is_locked, is_transient, may_have_committed
from companion.db.settings import database_config


@pytest.fixture
def own(tmp_path):
    wrapper = DatabaseWrapper(database_config("", tmp_path), "own")
    raw = sqlite3.connect(tmp_path / "companion.sqlite3", isolation_level=None, timeout=0)
    raw.execute("CREATE TABLE t (x TEXT)")
    yield wrapper, raw
    raw.close()


def failure(own, *statements, kind=OperationalError):
    """What Django makes of what SQLite says to the last of the statements."""
    wrapper, raw = own
    for statement in statements[:-1]:
        raw.execute(statement)
    with pytest.raises(kind) as raised, wrapper.wrap_database_errors:
        raw.execute(statements[-1])
    return raised.value


def test_a_full_disk_is_a_fault_of_the_file(own):
    full = failure(own, "PRAGMA max_page_count = 2", "INSERT INTO t VALUES (zeroblob(90000))")
    assert is_transient(full) and is_file_error(full) and not is_locked(full)


def test_a_file_that_is_read_only_is_a_fault_of_the_file(own):
    read_only = failure(own, "PRAGMA query_only = ON", "INSERT INTO t VALUES (1)")
    assert is_transient(read_only) and is_file_error(read_only)


def test_a_lock_that_somebody_holds_passes_and_the_file_is_sound(own, tmp_path):
    other = sqlite3.connect(tmp_path / "companion.sqlite3", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    held = failure(own, "BEGIN IMMEDIATE")
    other.close()
    assert is_transient(held) and is_locked(held) and not is_file_error(held)


def test_a_table_that_is_missing_is_a_bug_even_in_passing(own):
    missing = failure(own, "SELECT * FROM nowhere")
    assert not is_transient(missing)
    with pytest.raises(OperationalError), ignore_transient_db_errors():
        raise missing


def test_what_is_done_in_passing_is_left_out_while_the_database_cannot_be_used():
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
def test_what_postgresql_cannot_do_now_passes(kind):
    cause = getattr(errors, kind)("said")
    raised = InternalError("said") if kind.startswith("Read") else OperationalError("said")
    raised.__cause__ = cause
    assert is_transient(raised)


def test_a_connection_that_is_gone_passes():
    raised = InterfaceError("the connection is closed")
    raised.__cause__ = errors.InterfaceError("the connection is closed")
    assert is_transient(raised)


@pytest.mark.parametrize(
    ("kind", "cause"), [(ProgrammingError, "UndefinedTable"), (InternalError, "InFailedSqlTransaction")]
)
def test_what_is_wrong_with_our_own_statements_does_not_pass(kind, cause):
    raised = kind("said")
    raised.__cause__ = getattr(errors, cause)("said")
    assert not is_transient(raised)


def raised_from(cause):
    error = OperationalError("an error")
    error.__cause__ = cause
    return error


def test_what_a_lost_connection_had_been_asked_is_uncertain_and_nothing_else(own):
    assert may_have_committed(raised_from(PostgreSQLError("the connection is lost")))
    assert not may_have_committed(raised_from(errors.LockNotAvailable("somebody else has it")))
    with pytest.raises(PostgreSQLError) as refused:
        connect(host="/nowhere", dbname="companion")
    assert not may_have_committed(raised_from(refused.value))
    assert not may_have_committed(failure(own, "PRAGMA query_only = ON", "INSERT INTO t VALUES (1)"))
    assert not may_have_committed(OperationalError("the table is too busy"))
