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

pytestmark = pytest.mark.skipif(connection.vendor != "sqlite", reason="only SQLite locks the whole file")


@pytest.fixture
def quick(transactional_db, monkeypatch):
    """The first waits for long, the others hardly."""
    monkeypatch.setattr(sqlite_lock, "FIRST_TIMEOUT", 30.0)
    monkeypatch.setattr(sqlite_lock, "TIMEOUT", 0.2)
    monkeypatch.setattr(sqlite_lock, "STALLED_TIMEOUT", 0.05)
    monkeypatch.setattr(sqlite_lock._own, "most", 30.0)
    monkeypatch.setattr(sqlite_lock._Own, "most", 30.0)


@pytest.fixture
def held(quick):
    """Somebody else has the file locked for writing; called, it is let go."""
    other = sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    yield lambda: other.execute("ROLLBACK")
    other.close()


def write(own: BusyTimeout, *, until: threading.Event | None = None) -> str:
    try:
        with connection.execute_wrapper(own), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("PRAGMA user_version = 0")
            if until:
                until.wait(20)
    except OperationalError as error:
        return str(error)
    finally:
        connections.close_all()
    return "written"


def until_it_holds(condition: Callable[[], bool]) -> None:
    tick = threading.Event()
    for _time in range(500):
        if condition():
            return
        tick.wait(0.01)
    pytest.fail("it never held")


def until_one_waits(own: BusyTimeout) -> None:
    until_it_holds(own._place.locked)


def test_while_one_request_waits_for_the_lock_the_others_are_refused_and_readers_are_served(held):
    own = BusyTimeout()
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(write, own)
        until_one_waits(own)
        assert pool.submit(write, own).result(20) == "database is locked"
        assert not first.done()
        with connection.execute_wrapper(own), connection.cursor() as cursor:
            assert cursor.execute("SELECT count(*) FROM django_migrations").fetchone()[0]
        held()
        assert first.result(20) == "written"
        assert pool.submit(write, own).result(20) == "written"
    assert not own._is_stuck


def test_all_wait_for_one_of_their_own_process_that_is_slow(quick):
    own, over = BusyTimeout(), threading.Event()
    with ThreadPoolExecutor(4) as pool:
        slow = pool.submit(write, own, until=over)
        until_it_holds(own._is_ours)
        others = [pool.submit(write, own) for _ in range(3)]
        until_one_waits(own)
        time.sleep(10 * sqlite_lock.TIMEOUT)
        assert not any(each.done() for each in others)
        over.set()
        assert [each.result(20) for each in (slow, *others)] == ["written"] * 4
    assert not own._is_stuck


class Held:
    """A transaction of this process that has begun at 0, while somebody waits; `now` is the clock."""

    def __init__(self, monkeypatch):
        self.own, self.autocommit, self.now = BusyTimeout(), False, 0.0
        self.own._holder = self
        self.own._place.acquire()
        monkeypatch.setattr(sqlite_lock.time, "monotonic", lambda: self.now)

    def wait(self, *results: Callable[[], object]) -> object:
        """What one that waits gets, whose tries come to these."""
        tries = iter(results)
        return self.own._tried(lambda: next(tries)(), SimpleNamespace(connection=MagicMock()), False, True)

    def locked(self, *, until: float, is_over: bool) -> Callable[[], object]:
        def fail() -> object:
            self.now, self.autocommit = until, is_over
            cause = sqlite3.OperationalError("database is locked")
            cause.sqlite_errorcode = sqlite3.SQLITE_BUSY
            raise OperationalError(str(cause)) from cause

        return fail


def test_whoever_gives_up_between_two_of_their_own_process_tries_again(monkeypatch):
    held = Held(monkeypatch)
    assert held.wait(held.locked(until=1.01 * sqlite_lock.TIMEOUT, is_over=True), lambda: "written") == "written"


def test_whoever_waits_for_one_of_another_process_gives_up_where_nothing_moves(monkeypatch):
    held = Held(monkeypatch)
    held.autocommit = True
    with pytest.raises(OperationalError):
        held.wait(held.locked(until=1.01 * sqlite_lock.TIMEOUT, is_over=True), lambda: "written")


def test_nobody_waits_longer_for_one_of_their_own_process_than_a_phone_does(monkeypatch):
    held = Held(monkeypatch)
    held.now = sqlite_lock.FIRST_TIMEOUT - sqlite_lock.TIMEOUT / 2
    with pytest.raises(OperationalError):
        held.wait(held.locked(until=held.now + sqlite_lock.TIMEOUT, is_over=False), lambda: "written")


def test_whoever_is_in_a_hurry_gives_up_first(held):
    own = BusyTimeout()
    with sqlite_lock.limit_busy_timeout(0.1):
        assert write(own) == "database is locked"
    assert not own._is_stuck  # it has hardly waited, so nothing is known
