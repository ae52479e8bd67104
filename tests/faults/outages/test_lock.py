"""A lock held by another program: entries are refused, kept on the phone and accepted later."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from tests.faults.outages.phones import NOT_NOW, SEATS, enter, kept, key
from tests.faults.phones import create_host
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


def test_phones_keep_entries_and_read_pages_while_the_file_is_locked(table, data):
    host, url = table
    over = threading.Event()

    def write(number):
        phone, answers = host.twin(), []
        while not answers or answers[-1] == NOT_NOW:  # as the outbox does
            answers.append(enter(phone, url, number))
            time.sleep(0.5)
        return answers

    def read(path):
        phone, answers = host.twin(), []
        while not over.is_set():
            answers.append(phone.ask("GET", path)[0])
            time.sleep(0.2)
        return answers

    with (
        closing(sqlite3.connect(data / "companion.sqlite3", isolation_level=None)) as other,
        ThreadPoolExecutor() as pool,
    ):
        other.execute("BEGIN IMMEDIATE")
        writing = [pool.submit(write, number) for number in range(SEATS)]
        reading = [pool.submit(read, path) for path in (url, "/healthz")]
        time.sleep(HELD)
        over.set()
        seen = [Counter(own.result(30)) for own in reading]
        other.execute("ROLLBACK")
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

        def write(number):
            host, url = tables[number // SEATS]
            phone, answers = host.twin(), []
            while not answers or answers[-1] == NOT_NOW:
                answers.append(enter(phone, url, number % SEATS))
                time.sleep(0.5)
            return answers[-1]

        def read(path):
            phone, answers = tables[0][0].twin(), []
            while not over.is_set():
                answers.append(phone.ask("GET", path)[0])
                time.sleep(0.2)
            return answers

        with (
            closing(sqlite3.connect(data / "companion.sqlite3", isolation_level=None)) as other,
            ThreadPoolExecutor(WRITERS + 2) as pool,
        ):
            other.execute("BEGIN IMMEDIATE")
            writing = [pool.submit(write, number) for number in range(WRITERS)]
            time.sleep(0.3)
            reading = [pool.submit(read, path) for path in (tables[0][1], "/healthz")]
            time.sleep(8)
            over.set()
            seen = [own.result(30) for own in reading]
            other.execute("ROLLBACK")
            assert [own.result(60) for own in writing] == [302] * WRITERS
        process.terminate()
        process.communicate(timeout=20)
    assert all(set(own) == {200} and len(own) >= 5 for own in seen), [len(own) for own in seen]
