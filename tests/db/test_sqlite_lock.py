import gc
import sqlite3
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from unittest.mock import MagicMock

import pytest
from django.db import OperationalError, connection, connections, transaction

from companion.db import sqlite_lock
from companion.db.sqlite_lock import BusyTimeout
from tests.servers import wait_until

pytestmark = pytest.mark.skipif(connection.vendor != "sqlite", reason="only SQLite locks the whole file")


@pytest.fixture
def short_timeouts(transactional_db, monkeypatch):
    """A long timeout for the first request, short ones for the others."""
    monkeypatch.setattr(sqlite_lock, "FIRST_TIMEOUT", 30.0)
    monkeypatch.setattr(sqlite_lock, "TIMEOUT", 0.2)
    monkeypatch.setattr(sqlite_lock, "STALLED_TIMEOUT", 0.05)
    monkeypatch.setattr(sqlite_lock._thread_limit, "seconds", 30.0)
    monkeypatch.setattr(sqlite_lock._ThreadLimit, "seconds", 30.0)


@pytest.fixture
def release_lock(short_timeouts):
    """Hold the write lock on another connection; call the fixture to release it."""
    blocker = sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None, check_same_thread=False)
    blocker.execute("BEGIN IMMEDIATE")
    yield lambda: blocker.execute("ROLLBACK")
    blocker.close()


def write(wrapper: BusyTimeout, *, until: threading.Event | None = None) -> str:
    try:
        with connection.execute_wrapper(wrapper), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("PRAGMA user_version = 0")
            if until:
                until.wait(20)
    except OperationalError as error:
        return str(error)
    finally:
        connections.close_all()
    return "written"


def wait_for_first(wrapper: BusyTimeout) -> None:
    wait_until(wrapper._first_slot.locked)


def test_only_the_first_request_waits_long_and_readers_are_served(release_lock):
    wrapper = BusyTimeout()
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(write, wrapper)
        wait_for_first(wrapper)
        assert pool.submit(write, wrapper).result(20) == "database is locked"
        assert not first.done()
        with connection.execute_wrapper(wrapper), connection.cursor() as cursor:
            assert cursor.execute("SELECT count(*) FROM django_migrations").fetchone()[0]
        release_lock()
        assert first.result(20) == "written"
        assert pool.submit(write, wrapper).result(20) == "written"
    assert not wrapper._is_stuck


def test_all_requests_wait_for_a_slow_writer_of_the_same_process(short_timeouts):
    wrapper, finish = BusyTimeout(), threading.Event()
    with ThreadPoolExecutor(4) as pool:
        slow = pool.submit(write, wrapper, until=finish)
        wait_until(wrapper._is_writing)
        others = [pool.submit(write, wrapper) for _ in range(3)]
        wait_for_first(wrapper)
        time.sleep(10 * sqlite_lock.TIMEOUT)
        assert not any(future.done() for future in others)
        finish.set()
        assert [future.result(20) for future in (slow, *others)] == ["written"] * 4
    assert not wrapper._is_stuck


class FakeWriter:
    """A write transaction of this process that began at 0 while another request waits; `now` is the clock."""

    def __init__(self, monkeypatch):
        self.wrapper, self.autocommit, self.now = BusyTimeout(), False, 0.0
        self.wrapper._writer = self
        self.wrapper._first_slot.acquire()
        monkeypatch.setattr(sqlite_lock.time, "monotonic", lambda: self.now)

    def execute(self, *attempts: Callable[[], object]) -> object:
        """Run a queued statement whose attempts end like these."""
        attempt = iter(attempts)
        connection = SimpleNamespace(connection=MagicMock())
        return self.wrapper._execute(lambda: next(attempt)(), connection, False, True)

    def locked(self, *, until: float, is_over: bool) -> Callable[[], object]:
        def fail() -> object:
            self.now, self.autocommit = until, is_over
            cause = sqlite3.OperationalError("database is locked")
            cause.sqlite_errorcode = sqlite3.SQLITE_BUSY
            raise OperationalError(str(cause)) from cause

        return fail


def test_a_timeout_between_two_writers_of_the_process_is_retried(monkeypatch):
    writer = FakeWriter(monkeypatch)
    locked = writer.locked(until=1.01 * sqlite_lock.TIMEOUT, is_over=True)
    assert writer.execute(locked, lambda: "written") == "written"


def test_a_stalled_writer_of_another_process_is_not_waited_for_again(monkeypatch):
    writer = FakeWriter(monkeypatch)
    writer.autocommit = True
    with pytest.raises(OperationalError):
        writer.execute(writer.locked(until=1.01 * sqlite_lock.TIMEOUT, is_over=True), lambda: "written")


def test_no_request_waits_longer_for_its_own_process_than_a_phone(monkeypatch):
    writer = FakeWriter(monkeypatch)
    writer.now = sqlite_lock.FIRST_TIMEOUT - sqlite_lock.TIMEOUT / 2
    with pytest.raises(OperationalError):
        writer.execute(writer.locked(until=writer.now + sqlite_lock.TIMEOUT, is_over=False), lambda: "written")


def test_a_lowered_timeout_does_not_mark_the_queue_as_stuck(release_lock):
    wrapper = BusyTimeout()
    with sqlite_lock.limit_busy_timeout(0.1):
        assert write(wrapper) == "database is locked"
    assert not wrapper._is_stuck


def test_a_locked_statement_leaves_no_cursor_to_the_garbage_collector(release_lock):
    """A collection in another thread would reset it, and wait for this connection while holding the GIL."""
    gc.collect()
    gc.disable()
    try:
        with sqlite_lock.limit_busy_timeout(0.1):
            assert write(BusyTimeout()) == "database is locked"
        assert not [cursor for cursor in gc.get_objects() if issubclass(type(cursor), sqlite3.Cursor)]
    finally:
        gc.enable()
