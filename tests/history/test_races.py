"""Tests of concurrent merging, erasing, renaming and opening of tables."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import IntegrityError, connection, connections
from django.urls import reverse

from companion.history.players import erase, merge
from companion.history.statistics import aggregation, ratings
from companion.people.models import Circle, Player
from companion.tables.models import Place, Seat, Table
from companion.tables.services import saved_options, tables
from tests.web.html import list_fields
from tests.web.people import Person

SQLITE_WAIT = 0.5
"""Seconds that the first request pauses on SQLite, where the second waits for the first to commit."""
COUNT_WAITING_SQL = """
SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
"""


@pytest.fixture
def person(transactional_db):
    """A person who opened a table with Ann, Bo and Cleo."""
    person = Person()
    person.open()
    return person


def clone_person(person):
    clone = Person(raise_request_exception=True)
    clone.cookies = person.cookies
    return clone


class ConcurrentRequest:
    """A request that starts when another first calls the given function."""

    def __init__(self, monkeypatch, module, name, work):
        self._work, self._began = work, threading.Event()
        function = getattr(module, name)

        def wait_and_call(*args, **kwargs):
            if not self._began.is_set():
                self._began.set()
                self._wait()
            return function(*args, **kwargs)

        self._done = threading.Event()
        monkeypatch.setattr(module, name, wait_and_call)

    def _wait(self):
        """Wait until this request is done or blocked by the first."""
        if connection.vendor != "postgresql":
            self._done.wait(SQLITE_WAIT)
            return
        deadline = time.monotonic() + 30
        with connection.cursor() as cursor:
            waiting = 0
            while not self._done.wait(0.02) and not waiting and time.monotonic() < deadline:
                cursor.execute("SELECT pg_stat_clear_snapshot()")
                cursor.execute(COUNT_WAITING_SQL)
                (waiting,) = cursor.fetchone()

    def run_alongside(self, first):
        """Return the results of the first request and of this one."""

        def run_other():
            assert self._began.wait(30)
            try:
                return self._work()
            finally:
                connections.close_all()
                self._done.set()

        with ThreadPoolExecutor(1) as pool:
            other = pool.submit(run_other)
            return first(), other.result(60)


def prepare_opening(person, *names):
    """Fill in the form for a new table; return a function that submits it and returns the status."""
    page = person.page("new-table", "take-that")
    sent = [
        (name, value) for name, value in list_fields(page, page.one("form", id="setup")) if name not in ("seat", "key")
    ]
    player_ids = {e.parent.text: e.attrs["value"] for e in page.all("input", name="seat")}
    sent += [*(("seat", player_ids[name]) for name in names), ("action", "open")]
    return lambda: clone_person(person).send(reverse("new-table", args=["take-that"]), sent).status_code


def get_player(name):
    return Player.objects.select_related("circle").get(name=name)


def prepare_change(person, player_name, **sent):
    url = reverse("change-player", args=[get_player(player_name).pk])
    return lambda: clone_person(person).send(url, {"sure": "yes", **sent}).status_code


def list_seats():
    """Return the names at each table by seat."""
    return [
        [seat.player.name if seat.player else None for seat in table.seats.select_related("player").order_by("number")]
        for table in Table.objects.order_by("pk")
    ]


def test_opening_a_table_during_a_merge_seats_the_remaining_player(person, monkeypatch):
    """The merge begins after the opening has written its seats and before it commits."""
    person.open(names=("Dora", "Bo"))
    merge = prepare_change(person, "Ann", action="merge", other=str(get_player("Dora").pk))
    statuses = ConcurrentRequest(monkeypatch, saved_options, "save_options", merge).run_alongside(
        prepare_opening(person, "Dora", "Cleo")
    )
    assert statuses == (302, 302)
    assert list_seats() == [["Ann", "Bo", "Cleo"], ["Ann", "Bo"], ["Ann", "Cleo"]]
    assert not Player.objects.filter(name="Dora").exists()


def test_players_being_seated_together_are_not_merged(person, monkeypatch):
    person.open(names=("Dora", "Bo"))
    merge = prepare_change(person, "Ann", action="merge", other=str(get_player("Dora").pk))
    statuses = ConcurrentRequest(monkeypatch, saved_options, "save_options", merge).run_alongside(
        prepare_opening(person, "Dora", "Ann")
    )
    assert statuses == (302, 422)
    assert list_seats()[-1] == ["Dora", "Ann"]


@pytest.mark.parametrize("sent", [{"action": "merge"}, {"action": "erase"}], ids=["merged", "erased"])
def test_opening_a_table_with_a_vanished_player_is_refused(person, monkeypatch, sent):
    """The table is opened just before the merge or erasure commits."""
    person.open(names=("Dora", "Bo"))
    dora_id = get_player("Dora").pk
    if sent["action"] == "merge":
        first = prepare_change(person, "Ann", **sent, other=str(dora_id))
    else:
        first = prepare_change(person, "Dora", **sent)
    statuses = ConcurrentRequest(monkeypatch, ratings, "reset", prepare_opening(person, "Dora", "Cleo")).run_alongside(
        first
    )
    assert statuses == (302, 422)
    assert not Player.objects.filter(name="Dora").exists()
    assert len(list_seats()) == 2 and list_seats()[1][0] == ("Ann" if sent["action"] == "merge" else None)


def test_opening_a_table_during_an_erasure_keeps_a_nameless_seat(person, monkeypatch):
    person.open(names=("Dora", "Bo"))
    erase = prepare_change(person, "Dora", action="erase")
    statuses = ConcurrentRequest(monkeypatch, saved_options, "save_options", erase).run_alongside(
        prepare_opening(person, "Dora", "Cleo")
    )
    assert statuses == (302, 302)
    assert list_seats()[1:] == [[None, "Bo"], [None, "Cleo"]]


def test_repeating_a_merge_changes_nothing(person):
    person.open(names=("Dora", "Bo"))
    player, duplicate = get_player("Ann"), get_player("Dora")
    merge.merge_players(player, duplicate, by=None)
    before = list_seats()
    merge.merge_players(player, duplicate, by=None)
    assert list_seats() == before == [["Ann", "Bo", "Cleo"], ["Ann", "Bo"]]


def test_opposite_merges_at_once_leave_one_player(person, monkeypatch):
    person.open(names=("Dora", "Bo"))
    first = prepare_change(person, "Ann", action="merge", other=str(get_player("Dora").pk))
    second = prepare_change(person, "Dora", action="merge", other=str(get_player("Ann").pk))
    first_status, second_status = ConcurrentRequest(monkeypatch, ratings, "reset", second).run_alongside(first)
    assert first_status == 302 and second_status in (404, 422)  # on SQLite it runs after the first
    assert Player.objects.filter(name__in=["Ann", "Dora"]).count() == 1
    assert all(name is not None for names in list_seats() for name in names)


def test_only_one_of_two_players_gets_a_name_given_to_both_at_once(person, monkeypatch):
    from companion.people import services

    first = prepare_change(person, "Ann", action="rename", name="Zoe")
    second = prepare_change(person, "Bo", action="rename", name="Zoë")
    statuses = ConcurrentRequest(monkeypatch, services, "lock_circle", second).run_alongside(first)
    assert sorted(statuses) == [302, 422]
    assert Player.objects.filter(name__in=["Ann", "Bo"]).count() == 1


def test_statistics_are_retried_after_a_concurrent_erasure(person, monkeypatch):
    table = Table.objects.get()
    assert person.enter(table, kind="close").status_code == 302
    player, build = get_player("Ann"), aggregation._build_rows_if_counted

    def build_and_erase(*args):
        rows = build(*args)
        if Player.objects.filter(pk=player.pk).exists():
            erase.erase_player(player, by=None)
        return rows

    assert person.count(table, 0, 2, 2, 0, insist="deal").status_code in (302, 409)
    monkeypatch.setattr(aggregation, "_build_rows_if_counted", build_and_erase)
    circle = Circle.objects.get()
    aggregation.catch_up(circle)
    assert list_seats() == [[None, "Bo", "Cleo"]]
    aggregation.catch_up(circle)
    assert not Table.objects.filter(has_stale_stats=True).exists()


def test_rematch_has_no_place_if_it_was_just_deleted(person):
    table = Table.objects.get()
    table.place = Place.objects.create(circle=table.circle, name="Ann’s")
    table.save(update_fields=["place"])
    Place.objects.all().delete()
    from companion.games import get_game

    players = [seat.player for seat in Seat.objects.filter(table=table).select_related("player")]
    new = tables.open_table(
        table.circle, game=get_game(table.game), players=players, options={}, mode="pad", rematch_of=table
    )
    assert new.place is None


def test_retry_gives_up_after_a_few_attempts():
    from companion.db.retry import MAX_ATTEMPTS, retry

    attempts = []

    def write():
        attempts.append(1)
        raise IntegrityError

    with pytest.raises(IntegrityError):
        retry(write)
    assert len(attempts) == MAX_ATTEMPTS
