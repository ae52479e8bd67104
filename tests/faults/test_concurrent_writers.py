"""Concurrent writes to one table through a real server."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.faults.conftest import create_store
from tests.faults.phones import create_host
from tests.faults.servers import AppServer
from tests.scale import choose_count
from tests.web.html import parse_html

WRITERS = choose_count(8, 32)
SEATS, ROUNDS = 10, 5 * WRITERS
CONTESTED_SLOTS = choose_count(30, 200)
"""Slots that several phones fill at once with different points."""
REPEATED_SLOTS = choose_count(20, 200)
"""Slots that several phones fill at once with the same points."""


@pytest.fixture(scope="module")
def port(prepared_data, cluster, tmp_path_factory) -> Iterator[int]:
    """The port of a server with two processes."""
    store = create_store(prepared_data, cluster, tmp_path_factory.mktemp("writers"))
    with AppServer(store.data, store.url, WORKERS="2") as app:
        yield app.port


@pytest.fixture
def hosted_table(port):
    """A phone and the URL of its table of the generic game with 10 players."""
    return create_host(port, SEATS)


def test_concurrent_writers_lose_no_entries(hosted_table):
    """Each phone fills its own slots as fast as it can, and retries entries that are refused."""
    host, url = hosted_table
    slots = [(1 + number // SEATS, number % SEATS) for number in range(SEATS * ROUNDS)]
    assert len(slots) == WRITERS * 50

    def write(writer):
        phone, statuses = host.copy(), []
        for number, seat in slots[writer::WRITERS]:
            fields = [("key", f"writer-{number}-{seat}"), ("round", str(number)), (f"count.{seat}.points", str(seat))]
            for _ in range(1_000):  # until the previous round has begun
                statuses.append(phone.request("POST", url + "entries/", fields)[0])
                if statuses[-1] == 302:
                    break
        return statuses

    with ThreadPoolExecutor(WRITERS) as pool:
        counts = Counter(status for statuses in pool.map(write, range(WRITERS)) for status in statuses)
    assert counts[302] == WRITERS * 50 and set(counts) <= {302, 400}, counts
    page = parse_html(host.request("GET", url)[2])
    assert [cell.text for cell in page.all("tfoot")[0].all("td")] == [str(seat * ROUNDS) for seat in range(SEATS)]
    assert parse_html(host.request("GET", url + "log/")[2]).all("span", **{"class": "no"})[0].text == str(WRITERS * 50)


def test_one_of_8_phones_wins_a_slot_and_the_others_see_both(hosted_table):
    host, url = hosted_table
    phones = [host.copy() for _ in range(8)]

    def write(job):
        index, number, seat = job
        fields = [
            ("key", f"phone-{number}-{seat}-{index}"),
            ("round", str(number)),
            (f"count.{seat}.points", str(100 + index)),
        ]
        status, _location, html = phones[index].request("POST", url + "entries/", fields)
        return status, html

    with ThreadPoolExecutor(8) as pool:
        for number, seat in [(1 + slot // SEATS, slot % SEATS) for slot in range(CONTESTED_SLOTS)]:
            responses = list(pool.map(write, [(index, number, seat) for index in range(8)]))
            assert Counter(status for status, _html in responses) == {302: 1, 409: 7}
            winner = next(index for index, (status, _html) in enumerate(responses) if status == 302)
            for index, (status, html) in enumerate(responses):
                assert status == 302 or (str(100 + index) in html and str(100 + winner) in html)
    assert parse_html(host.request("GET", url + "log/")[2]).all("span", **{"class": "no"})[0].text == str(
        CONTESTED_SLOTS
    )


def test_the_same_entry_from_8_phones_is_recorded_once(hosted_table):
    host, url = hosted_table

    def write(job):
        index, number, seat = job
        fields = [("key", f"phone-{number}-{seat}-{index}"), ("round", str(number)), (f"count.{seat}.points", "7")]
        status, _location, html = host.copy().request("POST", url + "entries/", fields)
        return status, "You have already entered this." in html

    with ThreadPoolExecutor(8) as pool:
        for number, seat in [(1 + slot // SEATS, slot % SEATS) for slot in range(REPEATED_SLOTS)]:
            counts = Counter(pool.map(write, [(index, number, seat) for index in range(8)]))
            assert counts == {(302, False): 1, (200, True): 7}
    assert parse_html(host.request("GET", url + "log/")[2]).all("span", **{"class": "no"})[0].text == str(
        REPEATED_SLOTS
    )
