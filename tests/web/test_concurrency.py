"""Concurrent writes to one table, on a database file."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from companion.tables.log_cache import _CACHE
from companion.tables.models import Entry, Table
from tests.faults.phones import run_concurrently
from tests.scale import choose_count
from tests.web.html import list_fields
from tests.web.people import Person, load_fresh_log, new_key

WRITERS = choose_count(16, 32)
"""Concurrent writers at one table, each correcting its own count."""
WRITTEN = re.compile(r'(UPDATE|INSERT INTO) "tables_')


def create_browser(person):
    browser = Person()
    browser.cookies = person.cookies
    return browser


@pytest.fixture
def on_file(transactional_db):
    """A database file shared by connections, as in production."""
    if connection.vendor == "sqlite" and "mode=memory" in str(connection.settings_dict["NAME"]):
        pytest.fail("the test database is in memory: threads would share one connection")


@pytest.fixture
def table_with_counts(on_file):
    """The owner, and a table with one count per writer and no round left."""
    person = Person()
    table = person.open(names=("Ann", "Bo", "Cleo", "Dora"), rounds=str(WRITERS // 4))
    for number in range(WRITERS):
        assert person.count(table, number % 4, 8, 8, 1, round=1 + number // 4, insist="deal").status_code == 302
    return person, table


def assert_log_is_whole(table, entries):
    numbers = list(Entry.objects.filter(table=table).values_list("number", flat=True))
    assert numbers == list(range(1, entries + 1))
    table.refresh_from_db()
    assert table.version == entries
    assert Entry.objects.filter(table=table).values("key").distinct().count() == entries


def test_entry_and_its_copies_are_written_atomically(on_file):
    person = Person()
    table = person.open(names=("Ann", "Bo"))
    with CaptureQueriesContext(connection) as queries:
        for seat in range(2):
            assert person.count(table, seat, 8, 8, 1, insist="deal").status_code == 302
    statements = [query["sql"] for query in queries.captured_queries]
    commands = [sql.split()[0] for sql in statements if sql.startswith(("BEGIN", "COMMIT")) or WRITTEN.match(sql)]
    assert commands == ["BEGIN", "UPDATE", "INSERT", "COMMIT"] * 2


def test_concurrent_writers_lose_and_duplicate_nothing(table_with_counts):
    person, table = table_with_counts
    corrections = 2

    def correct_count(writer):
        browser, responses = create_browser(person), []
        for turn in range(corrections):
            page = browser.page("correct", table.public_id, writer + 1)
            form = dict(list_fields(page, page.one("form", id="board")))
            form[f"count.{writer % 4}.face_up"] = str(2 * turn)
            for _tap in range(2):
                responses.append(
                    browser.send(
                        reverse("record", args=[table.public_id]), {**form, "insist": "deal"}, htmx=True
                    ).status_code
                )
        return responses

    statuses = Counter(status for responses in run_concurrently(correct_count, range(WRITERS)) for status in responses)
    assert statuses == {200: WRITERS * corrections * 2}
    assert_log_is_whole(table, WRITERS + WRITERS * corrections)
    face_up_counts = {step.action.number: step.entry.face_up for step in load_fresh_log(table).match.steps}
    assert face_up_counts == dict.fromkeys(range(1, WRITERS + 1), 2 * (corrections - 1))
    assert Table.objects.get(pk=table.pk).result["totals"] == list(load_fresh_log(table).match.standing.totals)


def test_32_devices_filling_32_slots_do_not_clash(on_file):
    person = Person()
    table = person.open(names=("Ann", "Bo", "Cleo", "Dora"), rounds="8")
    for number in range(1, 8):  # to start all rounds
        assert person.enter(
            table, kind="extend", round=number, seat=number % 4, card=34, insist="turn"
        ).status_code in (302, 200)
        for seat in range(4):
            person.count(table, seat, 2, 2, 0, round=number, insist="deal")
    before = load_fresh_log(table).version
    slots = [(number, seat) for number in range(1, 9) for seat in range(4)]
    open_slots = [slot for slot in slots if slot[0] == 8]
    answers = run_concurrently(
        lambda slot: create_browser(person).count(table, slot[1], 4, 4, 0, round=slot[0], insist="deal").status_code,
        open_slots * 8,  # each by eight phones, with the same numbers
    )
    assert set(answers) <= {200, 302}
    assert_log_is_whole(table, before + 4)


def test_one_of_8_simultaneous_plays_is_recorded(on_file):
    person = Person()
    table = person.open(names=("Ann", "Bo", "Cleo"), way="referee")
    cards = [34, 41, 35, 42, 36, 43, 37, 44]
    for place in range(1, 5):
        seat = place % 3
        answers = run_concurrently(
            lambda card, seat=seat, place=place: (
                create_browser(person)
                .enter(table, kind="extend", seat=seat, card=card, place=place, insist=["extend-within-ten", "deck"])
                .status_code
            ),
            [card + 10 * place for card in cards],
        )
        assert sum(status in (200, 302) for status in answers) == 1, answers
        assert set(answers) <= {302, 409, 422}
        assert len(load_fresh_log(table).match.get_round(1).plays) == place
    assert_log_is_whole(table, 4)


@pytest.mark.slow
def test_form_posted_by_16_threads_is_one_entry(on_file):
    person = Person()
    table = person.open(names=("Ann", "Bo", "Cleo"))
    for number in range(6):
        key = new_key()
        card = 34 + number
        answers = run_concurrently(
            lambda _tap, key=key, number=number, card=card: (
                create_browser(person)
                .enter(table, key=key, kind="extend", seat=(1 + number) % 3, card=card, htmx=True)
                .status_code
            ),
            range(16),
        )
        assert answers == [200] * 16
    assert_log_is_whole(table, 6)


def test_simultaneous_undos_undo_one_entry(table_with_counts):
    person, table = table_with_counts
    answers = run_concurrently(
        lambda _own: create_browser(person).enter(table, kind="undo", target=WRITERS).status_code, range(8)
    )
    assert Counter(answers) == {302: 1, 409: 7}
    assert load_fresh_log(table).log.undone == {WRITERS}


def test_reads_during_writes_are_consistent(table_with_counts):
    person, table = table_with_counts
    _CACHE._logs.clear()

    def read_or_write(index):
        browser = create_browser(person)
        if index % 2:
            return [browser.get(reverse("table", args=[table.public_id])).status_code for _ in range(6)]
        counts = {f"count.{index % 4}.face_up": 4, f"count.{index % 4}.face_down": 6, f"count.{index % 4}.toads": 1}
        values = {"amend": "correct", "target": index + 1, "insist": "deal", **counts}
        return [browser.enter(table, **values).status_code for _ in range(3)]

    answers = run_concurrently(read_or_write, range(16))
    assert {status for statuses in answers for status in statuses} == {200, 302}
