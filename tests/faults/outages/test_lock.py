"""Somebody else holds the lock of the file, and phones go on: refused in words, kept on the phone, taken later."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from tests.faults.outages.phones import NOT_NOW, SEATS, enter, kept, key
from tests.faults.phones import host_of_a_table
from tests.scale import often
from tests.test_serve import free_port, serving, wait_until_it_answers

HELD = often(8, 30)
"""Seconds; longer than a request waits."""


@pytest.fixture
def table(data):
    port = free_port()
    with serving(data, port) as process:
        wait_until_it_answers(port)
        yield host_of_a_table(port, SEATS)
        process.terminate()
        process.communicate(timeout=20)


def test_while_the_file_is_locked_phones_keep_their_entries_and_pages_are_served(table, data):
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
