"""Concurrent writes to one table through a real server."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.faults.conftest import new_store
from tests.faults.phones import create_host
from tests.faults.servers import AppServer
from tests.scale import choose_count
from tests.web.html import read

WRITERS = choose_count(8, 32)
SEATS, SHEETS = 10, 5 * WRITERS
WON = choose_count(30, 200)
"""Slots that several phones want at once."""
SAME = choose_count(20, 200)
"""Slots of which several phones say the same."""


@pytest.fixture(scope="module")
def port(ready, cluster, tmp_path_factory) -> Iterator[int]:
    """Where a server of two processes answers."""
    own = new_store(ready, cluster, tmp_path_factory.mktemp("writers"))
    with AppServer(own.data, own.url, WORKERS="2") as app:
        yield app.port


@pytest.fixture
def large(port):
    """A table of a game of any kind with 10 players, and the phone that has opened it."""
    return create_host(port, SEATS)


def test_concurrent_writers_lose_no_entries(large):
    """Each phone writes into slots of its own, as fast as it can, and sends again what has not been answered well."""
    host, url = large
    slots = [(1 + number // SEATS, number % SEATS) for number in range(SEATS * SHEETS)]
    assert len(slots) == WRITERS * 50

    def write(writer):
        phone, answers = host.twin(), []
        for number, seat in slots[writer::WRITERS]:
            sent = [("key", f"writer-{number}-{seat}"), ("round", str(number)), (f"count.{seat}.points", str(seat))]
            for _again in range(1_000):  # until the round before has begun
                answers.append(phone.ask("POST", url + "entries/", sent)[0])
                if answers[-1] == 302:
                    break
        return answers

    with ThreadPoolExecutor(WRITERS) as pool:
        answers = Counter(status for own in pool.map(write, range(WRITERS)) for status in own)
    assert answers[302] == WRITERS * 50 and set(answers) <= {302, 400}, answers
    page = read(host.ask("GET", url)[2])
    assert [cell.text for cell in page.all("tfoot")[0].all("td")] == [str(seat * SHEETS) for seat in range(SEATS)]
    assert read(host.ask("GET", url + "log/")[2]).all("span", **{"class": "no"})[0].text == str(WRITERS * 50)


def test_one_of_8_phones_wins_a_slot_and_the_others_see_both(large):
    host, url = large
    phones = [host.twin() for _phone in range(8)]

    def write(sent):
        own, number, seat = sent
        words = [
            ("key", f"phone-{number}-{seat}-{own}"),
            ("round", str(number)),
            (f"count.{seat}.points", str(100 + own)),
        ]
        status, _where, html = phones[own].ask("POST", url + "entries/", words)
        return status, html

    with ThreadPoolExecutor(8) as pool:
        for number, seat in [(1 + slot // SEATS, slot % SEATS) for slot in range(WON)]:
            answers = list(pool.map(write, [(own, number, seat) for own in range(8)]))
            assert Counter(status for status, _html in answers) == {302: 1, 409: 7}
            winner = next(own for own, (status, _html) in enumerate(answers) if status == 302)
            for own, (status, html) in enumerate(answers):
                assert status == 302 or (str(100 + own) in html and str(100 + winner) in html)
    assert read(host.ask("GET", url + "log/")[2]).all("span", **{"class": "no"})[0].text == str(WON)


def test_the_same_entry_from_8_phones_is_recorded_once(large):
    host, url = large

    def write(sent):
        own, number, seat = sent
        words = [("key", f"phone-{number}-{seat}-{own}"), ("round", str(number)), (f"count.{seat}.points", "7")]
        status, _where, html = host.twin().ask("POST", url + "entries/", words)
        return status, "You have already entered this." in html

    with ThreadPoolExecutor(8) as pool:
        for number, seat in [(1 + slot // SEATS, slot % SEATS) for slot in range(SAME)]:
            answers = Counter(pool.map(write, [(own, number, seat) for own in range(8)]))
            assert answers == {(302, False): 1, (200, True): 7}
    assert read(host.ask("GET", url + "log/")[2]).all("span", **{"class": "no"})[0].text == str(SAME)
