"""What the pages of statistics read, when they read it, and what they leave unsaid."""

from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from companion.history.models import Outcome
from companion.history.statistics import surveys
from companion.people.models import Player
from tests.history.test_people import finished
from tests.web.people import buttons, device_of


def test_only_what_has_ended_counts_and_the_bin_does_not(alice, table):
    own = finished(alice, "Ann", "Bo")
    ann = Player.objects.get(name="Ann")

    def plays():
        alice.get(reverse("player", args=[ann.pk]))
        return Outcome.objects.filter(player=ann).count()

    assert plays() == 1
    alice.send(reverse("bin-table", args=[own.public_id]), [])
    assert plays() == 0
    alice.send(reverse("unbin-table", args=[own.public_id]), [])
    assert plays() == 1
    alice.enter(own, kind="undo", target=2)
    assert plays() == 0
    alice.enter(own, kind="redo", target=2)
    assert plays() == 1


def test_a_page_of_statistics_asks_as_often_for_many_matches_as_for_few(alice):
    finished(alice, "Ann", "Bo")
    ann = Player.objects.get(name="Ann")
    pages = [reverse("player", args=[ann.pk]), reverse("statistics"), reverse("game-statistics", args=["any-game"])]

    def queries(url):
        alice.get(url)
        with CaptureQueriesContext(connection) as captured:
            assert alice.get(url).status_code == 200
        return len(captured)

    few = [queries(url) for url in pages]
    for _time in range(12):
        finished(alice, "Ann", "Bo", "Cleo")
    assert [queries(url) for url in pages] == few
    assert max(few) <= 16


def test_three_matches_are_no_trend(alice):
    for _time in range(3):
        finished(alice, "Ann", "Bo")
    page = alice.page("player", Player.objects.get(name="Ann").pk)
    assert "Too few matches" in page.text
    assert not page.all("figure") and "usually" not in page.text
    finished(alice, "Ann", "Bo")
    finished(alice, "Ann", "Bo")
    page = alice.page("player", Player.objects.get(name="Ann").pk)
    assert page.all("figure") and "usually" in page.text


def test_a_game_of_its_own_name_has_statistics_of_its_own(alice):
    finished(alice, "Ann", "Bo", name="Rummy & <b>")
    finished(alice, "Ann", "Bo", name="Dominoes")
    page = alice.page("statistics")
    links = [link.attrs["href"] for link in page.one("ul", **{"class": "books"}).all("a")]
    assert len(links) == 2
    for link in links:
        assert alice.get(link).status_code == 200
    assert {own.called for own in surveys.played_games(device_of(alice).circle)} == {"Rummy & <b>", "Dominoes"}


def test_a_player_page_offers_what_can_be_done(alice):
    finished(alice, "Ann", "Bo")
    page = alice.page("change-player", Player.objects.get(name="Ann").pk)
    for action in ("rename", "look", "leave", "merge", "erase"):
        assert len(buttons(page, action, "action")) == 1
