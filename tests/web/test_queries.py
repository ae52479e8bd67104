"""Number of database queries per page."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from companion.people.models import Player
from companion.tables.log_cache import _CACHE
from companion.tables.models import Entry, Table
from tests.web.people import new_key

TABLE, ENTRY, HISTORY, HOME, LOG, FORM = 6, 10, 6, 6, 6, 6


def count_queries(send_request) -> int:
    with CaptureQueriesContext(connection) as captured:
        response = send_request()
    assert response.status_code in (200, 302)
    return len(captured)


def add_counts(table, entries):
    """Store counts from several devices, in as many rounds as needed."""
    rows = [
        Entry(
            table=table, number=number + 1, key=new_key(), kind="count", round=1 + number // 3, game_version=1,
            words={"seat": str(number % 3), "face_up": "12", "face_down": "8", "toads": "1"}, overruled=["deal"],
            device_id=table.circle.devices.values_list("pk", flat=True)[number % table.circle.devices.count()],
        )
        for number in range(entries)
    ]  # fmt: skip
    Entry.objects.bulk_create(rows)
    Table.objects.filter(pk=table.pk).update(version=entries)


@pytest.fixture(params=["cold", "warm"])
def count_with_cache(request):
    """Function that counts queries with a cold or a warm log cache."""

    def count(send_request):
        if request.param == "warm":
            send_request()
        else:
            _CACHE._logs.clear()
        return count_queries(send_request)

    return count


@pytest.fixture(params=[1, 120])
def long_table(request, alice, mate):
    table = alice.open(names=("Ann", "Bo", "Cleo"), rounds="99")
    add_counts(table, request.param)
    return table


@pytest.mark.parametrize("name", ["help", "table-paper"])
def test_help_and_printout_use_no_more_queries_than_the_table(alice, long_table, count_with_cache, name):
    assert count_with_cache(lambda: alice.get(reverse(name, args=[long_table.public_id]), {"log": "yes"})) <= TABLE


def test_table_page_uses_at_most_six_queries(alice, long_table, count_with_cache):
    for way in ("pad", "referee"):
        assert (
            count_with_cache(lambda way=way: alice.get(reverse("table", args=[long_table.public_id]), {"way": way}))
            <= TABLE
        )


def test_recording_uses_at_most_ten_queries(alice, long_table, count_with_cache):
    cards = iter((34, 41))
    number = long_table.entries.count() // 3 + 1
    play = {"kind": "extend", "round": number, "seat": 0, "insist": "turn"}
    assert count_with_cache(lambda: alice.enter(long_table, card=next(cards), **play)) <= ENTRY


def test_correction_and_undo_use_no_more_queries_than_an_entry(alice, long_table, count_with_cache):
    counts = {"count.0.face_up": 12, "count.0.face_down": 8, "count.0.toads": 0}
    correction = {"amend": "correct", "target": 1, "insist": "deal", **counts}
    assert count_with_cache(lambda: alice.enter(long_table, htmx=True, **correction)) <= ENTRY
    number = long_table.entries.count()
    assert count_queries(lambda: alice.enter(long_table, htmx=True, kind="undo", target=number)) <= ENTRY


def test_whole_pad_uses_no_more_queries_than_one_count(alice, table):
    single_count_queries = count_queries(lambda: alice.count(table, 0, 2, 3, 1))
    boxes = {f"count__{seat}__{name}": 2 for seat in (1, 2) for name in ("face_up", "face_down", "toads")}
    assert count_queries(lambda: alice.enter(table, insist="deal", **boxes)) <= single_count_queries <= ENTRY


@pytest.mark.parametrize("name", ["log", "correct"])
def test_log_queries_do_not_grow_with_entries(alice, long_table, count_with_cache, name):
    args = [long_table.public_id, 1] if name == "correct" else [long_table.public_id]
    assert count_with_cache(lambda: alice.get(reverse(name, args=args))) <= LOG


def add_tables_and_players(alice, tables, players):
    circle = Player.objects.get(name="Ann").circle
    for number in range(players):
        Player.objects.create(circle=circle, name=f"Player {number}")
    for _number in range(tables):
        alice.open(names=("Ann", "Bo", "Cleo", "Dora"))


@pytest.mark.parametrize(
    ("name", "most"), [("history", HISTORY), ("bin", HISTORY), ("home", HOME), ("new-table", FORM)]
)
def test_list_queries_do_not_grow_with_rows(alice, name, most):
    url = reverse(name, args=["take-that"] if name == "new-table" else [])
    initial_queries = count_queries(lambda: alice.get(url))
    add_tables_and_players(alice, 24, 50)
    assert count_queries(lambda: alice.get(url)) == initial_queries <= most
    Table.objects.exclude(pk=1).update(binned_at=Table.objects.first().opened_at)
    assert count_queries(lambda: alice.get(url)) <= most


def test_opening_a_table_does_not_query_more_with_many_tables(alice):
    pairs = [("way", "pad"), *(("seat", f"p{player.pk}") for player in Player.objects.all()), ("action", "open")]
    alice.send(reverse("new-table", args=["take-that"]), pairs)  # the first one deletes expired counters
    initial_queries = count_queries(lambda: alice.send(reverse("new-table", args=["take-that"]), pairs))
    add_tables_and_players(alice, 10, 30)
    assert count_queries(lambda: alice.send(reverse("new-table", args=["take-that"]), pairs)) == initial_queries


@pytest.mark.parametrize("path", ["/en/rules/take-that/", "/calculate/the-game/", "/settings/", "/nowhere/"])
def test_public_pages_use_no_queries(alice, path):
    with CaptureQueriesContext(connection) as captured:
        alice.get(path)
    assert len(captured) == 0


def test_final_page_uses_no_more_queries_than_the_table(alice, mate, count_with_cache):
    table = alice.open(names=("Ann", "Bo", "Cleo"))
    for number in (1, 2):
        for seat in range(3):
            (alice if number == 1 else mate).count(table, seat, 12, 3, 0, round=number, insist="deal")
    details = {"new_place": "Home", "day": "2026-11-01", "time": "20:00"}
    assert alice.send(reverse("details", args=[table.public_id]), details).status_code == 302
    assert count_with_cache(lambda: alice.get(reverse("table", args=[table.public_id]))) <= TABLE
