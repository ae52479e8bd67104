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
from tests.web.html import fields
from tests.web.people import Person, load_fresh_log, new_key

WRITERS = choose_count(16, 32)
"""At one table, each in a count of its own."""
WRITTEN = re.compile(r'(UPDATE|INSERT INTO) "tables_')


def browser_of(person):
    own = Person()
    own.cookies = person.cookies
    return own


@pytest.fixture
def on_file(transactional_db):
    """The database as it is in life: a file, shared by connections."""
    if connection.vendor == "sqlite" and "mode=memory" in str(connection.settings_dict["NAME"]):
        pytest.fail("the test database is in memory: threads would share one connection")


@pytest.fixture
def counted(on_file):
    """A table with a count for every writer, which fill all of its rounds, and its owner."""
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
    with CaptureQueriesContext(connection) as asked:
        for seat in range(2):
            assert person.count(table, seat, 8, 8, 1, insist="deal").status_code == 302
    said = [query["sql"] for query in asked.captured_queries]
    signs = [word.split()[0] for word in said if word.startswith(("BEGIN", "COMMIT")) or WRITTEN.match(word)]
    assert signs == ["BEGIN", "UPDATE", "INSERT", "COMMIT"] * 2


def test_concurrent_writers_lose_and_duplicate_nothing(counted):
    person, table = counted
    each = 1

    def work(writer):
        own, answers = browser_of(person), []
        for turn in range(each):
            page = own.page("correct", table.public_id, writer + 1)
            sent = dict(fields(page, page.one("form", id="board")))
            sent[f"count.{writer % 4}.face_up"] = str(2 * turn)
            for _tap in range(2):
                answers.append(
                    own.send(
                        reverse("record", args=[table.public_id]), {**sent, "insist": "deal"}, htmx=True
                    ).status_code
                )
        return answers

    found = Counter(status for answers in run_concurrently(work, range(WRITERS)) for status in answers)
    assert found == {200: WRITERS * each * 2}
    assert_log_is_whole(table, WRITERS + WRITERS * each)
    said = {step.action.number: step.entry.face_up for step in load_fresh_log(table).match.steps}
    assert said == dict.fromkeys(range(1, WRITERS + 1), 2 * (each - 1))
    assert Table.objects.get(pk=table.pk).result["totals"] == list(load_fresh_log(table).match.standing.totals)


def test_32_devices_filling_32_slots_do_not_clash(on_file):
    person = Person()
    table = person.open(names=("Ann", "Bo", "Cleo", "Dora"), rounds="8")
    for number in range(1, 8):  # so that all rounds have begun
        assert person.enter(
            table, kind="extend", round=number, seat=number % 4, card=34, insist="turn"
        ).status_code in (302, 200)
        for seat in range(4):
            person.count(table, seat, 2, 2, 0, round=number, insist="deal")
    before = load_fresh_log(table).version
    slots = [(number, seat) for number in range(1, 9) for seat in range(4)]
    open_slots = [slot for slot in slots if slot[0] == 8]
    answers = run_concurrently(
        lambda slot: browser_of(person).count(table, slot[1], 4, 4, 0, round=slot[0], insist="deal").status_code,
        open_slots * 8,  # each of them by eight phones, with the same numbers
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
                browser_of(person)
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
                browser_of(person)
                .enter(table, key=key, kind="extend", seat=(1 + number) % 3, card=card, htmx=True)
                .status_code
            ),
            range(16),
        )
        assert answers == [200] * 16
    assert_log_is_whole(table, 6)


def test_simultaneous_undos_undo_one_entry(counted):
    person, table = counted
    answers = run_concurrently(
        lambda _own: browser_of(person).enter(table, kind="undo", target=WRITERS).status_code, range(8)
    )
    assert Counter(answers) == {302: 1, 409: 7}
    assert load_fresh_log(table).log.undone == {WRITERS}


def test_reads_during_writes_are_consistent(counted):
    person, table = counted
    _CACHE._logs.clear()

    def work(own):
        browser = browser_of(person)
        if own % 2:
            return [browser.get(reverse("table", args=[table.public_id])).status_code for _ in range(6)]
        words = {f"count.{own % 4}.face_up": 4, f"count.{own % 4}.face_down": 6, f"count.{own % 4}.toads": 1}
        said = {"amend": "correct", "target": own + 1, "insist": "deal", **words}
        return [browser.enter(table, **said).status_code for _ in range(3)]

    answers = run_concurrently(work, range(16))
    assert {status for own in answers for status in own} == {200, 302}
