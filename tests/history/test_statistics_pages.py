"""What the pages of statistics read, when they read it, and what they leave unsaid."""

from datetime import timedelta

from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from companion.history.models import SeatResult
from companion.history.statistics import group_stats
from companion.people.models import Player
from companion.tables.models import Table
from tests.history.test_players import finished
from tests.web.html import read
from tests.web.people import buttons, device_of


def test_only_what_has_ended_counts_and_the_bin_does_not(alice, table):
    own = finished(alice, "Ann", "Bo")
    ann = Player.objects.get(name="Ann")

    def plays():
        alice.get(reverse("player", args=[ann.pk]))
        return SeatResult.objects.filter(player=ann).count()

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
    assert "Not enough matches" in page.text
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
    assert {game.called for game in group_stats.list_game_stats(device_of(alice).circle)} == {"Rummy & <b>", "Dominoes"}


def test_a_player_page_offers_what_can_be_done(alice):
    finished(alice, "Ann", "Bo")
    page = alice.page("change-player", Player.objects.get(name="Ann").pk)
    for action in ("rename", "look", "leave", "merge", "erase"):
        assert len(buttons(page, action, "action")) == 1


def best_of(person, *, tables: int = 9) -> list[tuple[int, str, int]]:
    results = group_stats.list_best_results(device_of(person).circle, "any-game", "", tables)
    return [(result.place, result.player.name if result.player else "", result.total) for result in results]


def test_who_has_as_much_has_the_same_place_among_the_best_and_stays_there_when_erased(alice):
    for points in ((9, 7, 7), (7, 5, 5), (4, 4, 4)):
        finished(alice, "Ann", "Bo", "Cleo", points=points)
    alice.page("statistics")
    wanted = [(1, "Ann", 9), (2, "Bo", 7), (2, "Cleo", 7), (2, "Ann", 7), (5, "Bo", 5), (5, "Cleo", 5)]
    assert best_of(alice) == wanted
    assert best_of(alice, tables=3) == wanted[:1]
    Player.objects.get(name="Ann").delete()
    assert best_of(alice) == [(place, "" if name == "Ann" else name, total) for place, name, total in wanted]
    assert "a player" in alice.page("game-statistics", "any-game").one("ol", **{"class": "ranks"}).text


def test_who_plays_alone_has_neither_won_nor_lost(alice):
    for _time in range(4):
        finished(alice, "Ann", points=(12,))
    finished(alice, "Ann", "Bo", points=(1, 2))
    alice.page("statistics")
    assert [
        (row.matches, row.decided, row.not_won) for row in group_stats.count_matches_by_player(device_of(alice).circle)
    ] == [
        (5, 1, 1),
        (1, 1, 0),
    ]
    page = alice.page("player", Player.objects.get(name="Ann").pk)
    assert "5 matches · 0 wins" in page.text.replace("\n", " ")


def test_the_last_page_of_a_match_says_who_played_how_long_and_what_can_be_taken_back(alice):
    own = alice.open("any-game", names=("Ann", "Bo"), rounds="1", wins="shared")
    alice.enter(own, count__0__points=3)
    page = alice.page("table", own.public_id)
    assert "Ann, Bo" in page.text
    assert "Redo" not in page.text and "in the bin" not in page.text
    assert alice.enter(own, amend="correct", target=1, count__0__points=5).status_code == 302
    assert alice.enter(own, kind="undo", target=2).status_code == 302
    assert "Redo" in alice.page("table", own.public_id).text
    alice.send(reverse("bin-table", args=[own.public_id]), [])
    assert "This phone put the table into the bin" in alice.page("table", own.public_id).text


def test_the_answer_to_the_last_count_says_how_long_it_took(alice):
    own = alice.open("any-game", names=("Ann", "Bo"), rounds="1")
    Table.objects.filter(pk=own.pk).update(began_at=timezone.now() - timedelta(minutes=47))
    alice.enter(own, count__0__points=3)
    answer = alice.enter(own, htmx=True, count__1__points=4)
    assert "47 minutes" in read(answer.content.decode()).text
