"""Players who are merged, erased and renamed at the moment when somebody opens a table with them: it ends well."""

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
from companion.tables.services import saved_options
from tests.web.html import fields
from tests.web.people import Person

AWAY = 0.5
"""Seconds that a write waits in its midst for another one on SQLite, where the other waits for its end."""
WAITING = """
SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
"""


@pytest.fixture
def person(transactional_db):
    """Has opened a table with Ann, Bo and Cleo."""
    own = Person()
    own.open()
    return own


def browser_of(person):
    own = Person(raise_request_exception=True)
    own.cookies = person.cookies
    return own


class Meanwhile:
    """Another request, which begins when a function in the midst of the first one is called for the first time."""

    def __init__(self, monkeypatch, module, name, work):
        self._work, self._began = work, threading.Event()
        before = getattr(module, name)

        def held(*args, **kwargs):
            if not self._began.is_set():
                self._began.set()
                self._wait()
            return before(*args, **kwargs)

        self._done = threading.Event()
        monkeypatch.setattr(module, name, held)

    def _wait(self):
        """Until the other is done, or waits for us."""
        if connection.vendor != "postgresql":
            self._done.wait(AWAY)
            return
        deadline = time.monotonic() + 30
        with connection.cursor() as cursor:
            waiting = 0
            while not self._done.wait(0.02) and not waiting and time.monotonic() < deadline:
                cursor.execute("SELECT pg_stat_clear_snapshot()")
                cursor.execute(WAITING)
                (waiting,) = cursor.fetchone()

    def beside(self, first):
        """What the first request and this one come to."""

        def run():
            assert self._began.wait(30)
            try:
                return self._work()
            finally:
                connections.close_all()
                self._done.set()

        with ThreadPoolExecutor(1) as pool:
            other = pool.submit(run)
            return first(), other.result(60)


def opening(person, *names):
    """A form filled in with these players, to be sent at any time; what it answers."""
    page = person.page("new-table", "take-that")
    sent = [(name, word) for name, word in fields(page, page.one("form", id="setup")) if name not in ("seat", "key")]
    known = {e.parent.text: e.attrs["value"] for e in page.all("input", name="seat")}
    sent += [*(("seat", known[name]) for name in names), ("action", "open")]
    return lambda: browser_of(person).send(reverse("new-table", args=["take-that"]), sent).status_code


def named(name):
    return Player.objects.select_related("circle").get(name=name)


def changing(person, who, **sent):
    url = reverse("change-player", args=[named(who).pk])
    return lambda: browser_of(person).send(url, {"sure": "yes", **sent}).status_code


def sat():
    """Who sits where, by table."""
    return [
        [seat.player.name if seat.player else None for seat in table.seats.select_related("player").order_by("number")]
        for table in Table.objects.order_by("pk")
    ]


def test_a_table_opened_with_somebody_who_is_just_being_merged_has_the_one_who_is_left(person, monkeypatch):
    """The opening has its seats and is not done when the merging begins."""
    person.open(names=("Dora", "Bo"))
    merge = changing(person, "Ann", action="merge", other=str(named("Dora").pk))
    both = Meanwhile(monkeypatch, saved_options, "save_options", merge).beside(opening(person, "Dora", "Cleo"))
    assert both == (302, 302)
    assert sat() == [["Ann", "Bo", "Cleo"], ["Ann", "Bo"], ["Ann", "Cleo"]]
    assert not Player.objects.filter(name="Dora").exists()


def test_two_who_are_seated_together_at_this_moment_are_not_merged(person, monkeypatch):
    person.open(names=("Dora", "Bo"))
    merge = changing(person, "Ann", action="merge", other=str(named("Dora").pk))
    both = Meanwhile(monkeypatch, saved_options, "save_options", merge).beside(opening(person, "Dora", "Ann"))
    assert both == (302, 422)
    assert sat()[-1] == ["Dora", "Ann"]


@pytest.mark.parametrize("sent", [{"action": "merge"}, {"action": "erase"}], ids=["merged", "erased"])
def test_who_is_gone_when_the_table_is_opened_is_told_of_in_words_and_not_made_again(person, monkeypatch, sent):
    """The merging or erasing is nearly done, and nobody else has seen it, when the table is opened."""
    person.open(names=("Dora", "Bo"))
    known = named("Dora").pk
    if sent["action"] == "merge":
        first = changing(person, "Ann", **sent, other=str(known))
    else:
        first = changing(person, "Dora", **sent)
    both = Meanwhile(monkeypatch, ratings, "reset", opening(person, "Dora", "Cleo")).beside(first)
    assert both == (302, 422)
    assert not Player.objects.filter(name="Dora").exists()
    assert len(sat()) == 2 and sat()[1][0] == ("Ann" if sent["action"] == "merge" else None)


def test_a_table_opened_with_somebody_who_is_just_being_erased_keeps_a_seat_without_a_name(person, monkeypatch):
    person.open(names=("Dora", "Bo"))
    erase = changing(person, "Dora", action="erase")
    both = Meanwhile(monkeypatch, saved_options, "save_options", erase).beside(opening(person, "Dora", "Cleo"))
    assert both == (302, 302)
    assert sat()[1:] == [[None, "Bo"], [None, "Cleo"]]


def test_a_second_tap_on_merge_changes_nothing(person):
    person.open(names=("Dora", "Bo"))
    kept, gone = named("Ann"), named("Dora")
    merge.merge_players(kept, gone, by=None)
    before = sat()
    merge.merge_players(kept, gone, by=None)
    assert sat() == before == [["Ann", "Bo", "Cleo"], ["Ann", "Bo"]]


def test_two_phones_that_merge_two_players_into_each_other_leave_one(person, monkeypatch):
    person.open(names=("Dora", "Bo"))
    first = changing(person, "Ann", action="merge", other=str(named("Dora").pk))
    second = changing(person, "Dora", action="merge", other=str(named("Ann").pk))
    one, other = Meanwhile(monkeypatch, ratings, "reset", second).beside(first)
    assert one == 302 and other in (404, 422)  # SQLite lets the second look only after the first is done
    assert Player.objects.filter(name__in=["Ann", "Dora"]).count() == 1
    assert all(name is not None for names in sat() for name in names)


def test_of_two_players_given_one_name_at_once_one_keeps_their_own(person, monkeypatch):
    from companion.people import services

    first = changing(person, "Ann", action="rename", name="Zoe")
    second = changing(person, "Bo", action="rename", name="Zoë")
    both = Meanwhile(monkeypatch, services, "lock_circle", second).beside(first)
    assert sorted(both) == [302, 422]
    assert Player.objects.filter(name__in=["Ann", "Bo"]).count() == 1


def test_statistics_of_a_table_wait_when_somebody_who_sat_there_is_erased_at_this_moment(person, monkeypatch):
    table = Table.objects.get()
    assert person.enter(table, kind="close").status_code == 302
    player, before = named("Ann"), aggregation._build_rows_if_counted

    def told(*args):
        found = before(*args)
        if Player.objects.filter(pk=player.pk).exists():
            erase.erase_player(player, by=None)
        return found

    assert person.count(table, 0, 2, 2, 0, insist="deal").status_code in (302, 409)
    monkeypatch.setattr(aggregation, "_build_rows_if_counted", told)
    circle = Circle.objects.get()
    aggregation.catch_up(circle)
    assert sat() == [[None, "Bo", "Cleo"]]
    aggregation.catch_up(circle)
    assert not Table.objects.filter(has_stale_stats=True).exists()


def test_a_rematch_where_the_place_has_just_gone_is_opened_without_one(person):
    table = Table.objects.get()
    table.place = Place.objects.create(circle=table.circle, name="Ann’s")
    table.save(update_fields=["place"])
    Place.objects.all().delete()
    from companion.tables.log_cache import get_table_game
    from companion.tables.services import entries

    players = [seat.player for seat in Seat.objects.filter(table=table).select_related("player")]
    new = entries.open_table(
        table.circle, game=get_table_game(table), players=players, options={}, mode="pad", rematch_of=table
    )
    assert new.place is None


def test_what_fails_every_time_is_not_tried_for_ever():
    from companion.db.retry import MAX_ATTEMPTS, retry

    tried = []

    def write():
        tried.append(1)
        raise IntegrityError

    with pytest.raises(IntegrityError):
        retry(write)
    assert len(tried) == MAX_ATTEMPTS
