"""A lock held by another program: entries are refused and succeed when retried."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from tests.faults.outages.phones import SEATS, UNAVAILABLE, enter_count, entry_key, read_entry_keys
from tests.faults.phones import Phone, create_host
from tests.scale import choose_count
from tests.servers import serve

LOCK_SECONDS = choose_count(8, 30)
"""Longer than a request waits."""
WRITERS = 32
"""Phones, each at its own seat; more than there are threads."""


@pytest.fixture
def table(data):
    with serve(data) as (port, _process):
        yield create_host(port, SEATS)


@contextmanager
def hold_lock(path: Path) -> Iterator[Callable[[], object]]:
    """Lock the database; yield a function that releases the lock. It is released on exit at the latest."""
    with closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        yield lambda: connection.execute("ROLLBACK")


def enter_until_answered(phone: Phone, url: str, number: int) -> list[int]:
    """Enter a count, retrying as the outbox does; return the statuses."""
    statuses = [enter_count(phone, url, number)]
    while statuses[-1] == UNAVAILABLE:
        time.sleep(0.5)
        statuses.append(enter_count(phone, url, number))
    return statuses


def read_repeatedly(done: threading.Event, phone: Phone, path: str) -> list[int]:
    statuses = []
    while not done.is_set():
        statuses.append(phone.request("GET", path)[0])
        time.sleep(0.2)
    return statuses


def test_phones_keep_entries_and_read_pages_while_the_file_is_locked(table, data):
    host, url = table
    done = threading.Event()
    # The lock is released before the pool waits for its threads; otherwise a failed assertion would hang.
    with ThreadPoolExecutor() as pool, hold_lock(data / "companion.sqlite3") as release:
        writers = [pool.submit(enter_until_answered, host.copy(), url, number) for number in range(SEATS)]
        readers = [pool.submit(read_repeatedly, done, host.copy(), path) for path in (url, "/healthz")]
        time.sleep(LOCK_SECONDS)
        done.set()
        page_statuses = [Counter(future.result(30)) for future in readers]
        release()
        entry_statuses = [future.result(60) for future in writers]
    assert all(set(counts) == {200} and counts.total() >= 3 for counts in page_statuses)
    assert [statuses[-1] for statuses in entry_statuses] == [302] * SEATS
    assert {status for statuses in entry_statuses for status in statuses[:-1]} == {UNAVAILABLE}
    assert sorted(read_entry_keys(data / "companion.sqlite3")) == [entry_key(number) for number in range(SEATS)]


def test_blocked_writers_leave_threads_for_readers(data):
    """With SQLite's busy timeout alone, all threads would wait for the lock, and pages would take up to 22 seconds."""
    done = threading.Event()
    with serve(data, WORKERS="2") as (port, _process):
        tables = [create_host(port, SEATS) for _ in range(WRITERS // SEATS)]
        with ThreadPoolExecutor(WRITERS + 2) as pool, hold_lock(data / "companion.sqlite3") as release:
            writers = [
                pool.submit(enter_until_answered, host.copy(), url, seat)
                for host, url in tables
                for seat in range(SEATS)
            ]
            time.sleep(0.3)
            host, url = tables[0]
            readers = [pool.submit(read_repeatedly, done, host.copy(), path) for path in (url, "/healthz")]
            time.sleep(8)
            done.set()
            page_statuses = [future.result(30) for future in readers]
            release()
            assert [future.result(60)[-1] for future in writers] == [302] * WRITERS
    assert all(set(statuses) == {200} and len(statuses) >= 5 for statuses in page_statuses), page_statuses
