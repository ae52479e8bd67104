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


def queries(ask) -> int:
    with CaptureQueriesContext(connection) as captured:
        response = ask()
    assert response.status_code in (200, 302)
    return len(captured)


def grow(table, entries):
    """Counts for as many rounds as it takes, from several devices."""
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
def memory(request):
    """Forgets what is known of tables before each question, or not."""

    def asked(ask):
        if request.param == "warm":
            ask()
        else:
            _CACHE._logs.clear()
        return queries(ask)

    return asked


@pytest.fixture(params=[1, 120])
def long(request, alice, mate):
    table = alice.open(names=("Ann", "Bo", "Cleo"), rounds="99")
    grow(table, request.param)
    return table


@pytest.mark.parametrize("name", ["help", "table-paper"])
def test_help_and_printout_use_no_more_queries_than_the_table(alice, long, memory, name):
    assert memory(lambda: alice.get(reverse(name, args=[long.public_id]), {"log": "yes"})) <= TABLE


def test_table_page_uses_at_most_six_queries(alice, long, memory):
    for way in ("pad", "referee"):
        assert memory(lambda way=way: alice.get(reverse("table", args=[long.public_id]), {"way": way})) <= TABLE


def test_recording_uses_at_most_ten_queries(alice, long, memory):
    cards = iter((34, 41))
    number = long.entries.count() // 3 + 1
    said = {"kind": "extend", "round": number, "seat": 0, "insist": "turn"}
    assert memory(lambda: alice.enter(long, card=next(cards), **said)) <= ENTRY


def test_correction_and_undo_use_no_more_queries_than_an_entry(alice, long, memory):
    words = {"count.0.face_up": 12, "count.0.face_down": 8, "count.0.toads": 0}
    said = {"amend": "correct", "target": 1, "insist": "deal", **words}
    assert memory(lambda: alice.enter(long, htmx=True, **said)) <= ENTRY
    number = long.entries.count()
    assert queries(lambda: alice.enter(long, htmx=True, kind="undo", target=number)) <= ENTRY


def test_whole_pad_uses_no_more_queries_than_one_count(alice, table):
    one = queries(lambda: alice.count(table, 0, 2, 3, 1))
    boxes = {f"count__{seat}__{name}": 2 for seat in (1, 2) for name in ("face_up", "face_down", "toads")}
    assert queries(lambda: alice.enter(table, insist="deal", **boxes)) <= one <= ENTRY


@pytest.mark.parametrize("name", ["log", "correct"])
def test_log_queries_do_not_grow_with_entries(alice, long, memory, name):
    args = [long.public_id, 1] if name == "correct" else [long.public_id]
    assert memory(lambda: alice.get(reverse(name, args=args))) <= LOG


def many(alice, tables, players):
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
    few = queries(lambda: alice.get(url))
    many(alice, 24, 50)
    assert queries(lambda: alice.get(url)) == few <= most or name == "bin"
    Table.objects.exclude(pk=1).update(binned_at=Table.objects.first().opened_at)
    assert queries(lambda: alice.get(url)) <= most


def test_opening_a_table_does_not_query_more_with_many_tables(alice):
    pairs = [("way", "pad"), *(("seat", f"p{player.pk}") for player in Player.objects.all()), ("action", "open")]
    alice.send(reverse("new-table", args=["take-that"]), pairs)  # the first that is counted clears old counts away
    few = queries(lambda: alice.send(reverse("new-table", args=["take-that"]), pairs))
    many(alice, 10, 30)
    assert queries(lambda: alice.send(reverse("new-table", args=["take-that"]), pairs)) == few


@pytest.mark.parametrize("path", ["/en/rules/take-that/", "/calculate/the-game/", "/settings/", "/nowhere/"])
def test_public_pages_use_no_queries(alice, path):
    with CaptureQueriesContext(connection) as captured:
        alice.get(path)
    assert len(captured) == 0


def test_final_page_uses_no_more_queries_than_the_table(alice, mate, memory):
    table = alice.open(names=("Ann", "Bo", "Cleo"))
    for number in (1, 2):
        for seat in range(3):
            (alice if number == 1 else mate).count(table, seat, 12, 3, 0, round=number, insist="deal")
    sent = {"new_place": "Home", "day": "2026-11-01", "time": "20:00"}
    assert alice.send(reverse("details", args=[table.public_id]), sent).status_code == 302
    assert memory(lambda: alice.get(reverse("table", args=[table.public_id]))) <= TABLE
