"""A lock held by another program: entries are refused, kept on the phone and accepted later."""

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

from tests.faults.outages.phones import NOT_NOW, SEATS, enter, kept, key
from tests.faults.phones import Phone, create_host
from tests.ops.test_serve import free_port, serving, wait_until_it_answers
from tests.scale import choose_count

HELD = choose_count(8, 30)
"""Seconds; longer than a request waits."""
WRITERS = 32
"""Phones, each at a seat of its own: more than there are threads."""


@pytest.fixture
def table(data):
    port = free_port()
    with serving(data, port) as process:
        wait_until_it_answers(port)
        yield create_host(port, SEATS)
        process.terminate()
        process.communicate(timeout=20)


@contextmanager
def held_lock(path: Path) -> Iterator[Callable[[], object]]:
    """Another program that holds the lock until the yielded function is called, or something goes wrong."""
    with closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield lambda: other.execute("ROLLBACK")


def enter_until_answered(phone: Phone, url: str, number: int) -> list[int]:
    """Enter a count as the outbox does, and return the statuses of the answers."""
    answers = [enter(phone, url, number)]
    while answers[-1] == NOT_NOW:
        time.sleep(0.5)
        answers.append(enter(phone, url, number))
    return answers


def read_until(over: threading.Event, phone: Phone, path: str) -> list[int]:
    answers = []
    while not over.is_set():
        answers.append(phone.ask("GET", path)[0])
        time.sleep(0.2)
    return answers


def test_phones_keep_entries_and_read_pages_while_the_file_is_locked(table, data):
    host, url = table
    over = threading.Event()
    # The lock is released before the pool waits for its threads: else a failure in here would never end.
    with ThreadPoolExecutor() as pool, held_lock(data / "companion.sqlite3") as release:
        writing = [pool.submit(enter_until_answered, host.twin(), url, number) for number in range(SEATS)]
        reading = [pool.submit(read_until, over, host.twin(), path) for path in (url, "/healthz")]
        time.sleep(HELD)
        over.set()
        seen = [Counter(own.result(30)) for own in reading]
        release()
        written = [own.result(60) for own in writing]
    assert [set(own) for own in seen] == [{200}, {200}] and min(map(sum, (own.values() for own in seen))) >= 3
    assert [own[-1] for own in written] == [302] * SEATS
    assert {status for own in written for status in own[:-1]} == {NOT_NOW}
    assert sorted(kept(data / "companion.sqlite3")) == [key(number) for number in range(SEATS)]


def test_blocked_writers_leave_threads_for_readers(data):
    """With SQLite's busy timeout alone all threads wait for the lock: in eight seconds a page was served once or twice,
    and the last one after 22 seconds."""
    port, over = free_port(), threading.Event()
    with serving(data, port, WORKERS="2") as process:
        wait_until_it_answers(port)
        tables = [create_host(port, SEATS) for _table in range(WRITERS // SEATS)]
        with ThreadPoolExecutor(WRITERS + 2) as pool, held_lock(data / "companion.sqlite3") as release:
            writing = [
                pool.submit(enter_until_answered, host.twin(), url, seat)
                for host, url in tables
                for seat in range(SEATS)
            ]
            time.sleep(0.3)
            host, url = tables[0]
            reading = [pool.submit(read_until, over, host.twin(), path) for path in (url, "/healthz")]
            time.sleep(8)
            over.set()
            seen = [own.result(30) for own in reading]
            release()
            assert [own.result(60)[-1] for own in writing] == [302] * WRITERS
        process.terminate()
        process.communicate(timeout=20)
    assert all(set(own) == {200} and len(own) >= 5 for own in seen), [len(own) for own in seen]
