"""Tests of the statistics and player pages."""

from datetime import timedelta

from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from companion.history.models import SeatResult
from companion.history.statistics import group_stats
from companion.people.models import Player
from companion.tables.models import Table
from tests.history.test_players import play_table
from tests.web.html import parse_html
from tests.web.people import find_buttons, get_device


def test_only_finished_tables_outside_the_bin_count(alice, table):
    finished = play_table(alice, "Ann", "Bo")
    ann = Player.objects.get(name="Ann")

    def count_results():
        alice.get(reverse("player", args=[ann.pk]))
        return SeatResult.objects.filter(player=ann).count()

    assert count_results() == 1
    alice.send(reverse("bin-table", args=[finished.public_id]), [])
    assert count_results() == 0
    alice.send(reverse("unbin-table", args=[finished.public_id]), [])
    assert count_results() == 1
    alice.enter(finished, kind="undo", target=2)
    assert count_results() == 0
    alice.enter(finished, kind="redo", target=2)
    assert count_results() == 1


def test_query_count_does_not_grow_with_matches(alice):
    play_table(alice, "Ann", "Bo")
    ann = Player.objects.get(name="Ann")
    pages = [reverse("player", args=[ann.pk]), reverse("statistics"), reverse("game-statistics", args=["any-game"])]

    def count_queries(url):
        alice.get(url)
        with CaptureQueriesContext(connection) as captured:
            assert alice.get(url).status_code == 200
        return len(captured)

    few = [count_queries(url) for url in pages]
    for _time in range(12):
        play_table(alice, "Ann", "Bo", "Cleo")
    assert [count_queries(url) for url in pages] == few
    assert max(few) <= 16


def test_charts_and_medians_need_four_matches(alice):
    for _time in range(3):
        play_table(alice, "Ann", "Bo")
    page = alice.page("player", Player.objects.get(name="Ann").pk)
    assert "Not enough matches" in page.text
    assert not page.all("figure") and "usually" not in page.text
    play_table(alice, "Ann", "Bo")
    play_table(alice, "Ann", "Bo")
    page = alice.page("player", Player.objects.get(name="Ann").pk)
    assert page.all("figure") and "usually" in page.text


def test_named_games_have_their_own_statistics(alice):
    play_table(alice, "Ann", "Bo", name="Rummy & <b>")
    play_table(alice, "Ann", "Bo", name="Dominoes")
    page = alice.page("statistics")
    links = [link.attrs["href"] for link in page.one("ul", **{"class": "books"}).all("a")]
    assert len(links) == 2
    for link in links:
        assert alice.get(link).status_code == 200
    assert {game.called for game in group_stats.list_game_stats(get_device(alice).circle)} == {
        "Rummy & <b>",
        "Dominoes",
    }


def test_change_page_offers_every_action_once(alice):
    play_table(alice, "Ann", "Bo")
    page = alice.page("change-player", Player.objects.get(name="Ann").pk)
    for action in ("rename", "look", "leave", "merge", "erase"):
        assert len(find_buttons(page, action, "action")) == 1


def list_best_results(person, *, tables: int = 9) -> list[tuple[int, str, int]]:
    results = group_stats.list_best_results(get_device(person).circle, "any-game", "", tables)
    return [(place, row.player.name if row.player else "", row.total) for place, row in results]


def test_equal_best_totals_share_a_place_even_when_erased(alice):
    for points in ((9, 7, 7), (7, 5, 5), (4, 4, 4)):
        play_table(alice, "Ann", "Bo", "Cleo", points=points)
    alice.page("statistics")
    expected = [(1, "Ann", 9), (2, "Bo", 7), (2, "Cleo", 7), (2, "Ann", 7), (5, "Bo", 5), (5, "Cleo", 5)]
    assert list_best_results(alice) == expected
    assert list_best_results(alice, tables=3) == expected[:1]
    Player.objects.get(name="Ann").delete()
    assert list_best_results(alice) == [
        (place, "" if name == "Ann" else name, total) for place, name, total in expected
    ]
    assert "a player" in alice.page("game-statistics", "any-game").one("ol", **{"class": "ranks"}).text


def test_solo_matches_are_neither_won_nor_lost(alice):
    for _time in range(4):
        play_table(alice, "Ann", points=(12,))
    play_table(alice, "Ann", "Bo", points=(1, 2))
    alice.page("statistics")
    assert [
        (row.matches, row.decided, row.not_won) for row in group_stats.count_matches_by_player(get_device(alice).circle)
    ] == [
        (5, 1, 1),
        (1, 1, 0),
    ]
    page = alice.page("player", Player.objects.get(name="Ann").pk)
    assert "5 matches · 0 wins" in page.text.replace("\n", " ")


def test_final_page_shows_players_redo_and_bin(alice):
    match = alice.open("any-game", names=("Ann", "Bo"), rounds="1", wins="shared")
    alice.enter(match, count__0__points=3)
    page = alice.page("table", match.public_id)
    assert "Ann, Bo" in page.text
    assert "Redo" not in page.text and "in the bin" not in page.text
    assert alice.enter(match, amend="correct", target=1, count__0__points=5).status_code == 302
    assert alice.enter(match, kind="undo", target=2).status_code == 302
    assert "Redo" in alice.page("table", match.public_id).text
    alice.send(reverse("bin-table", args=[match.public_id]), [])
    assert "Moved to the bin by this phone" in alice.page("table", match.public_id).text


def test_response_to_the_last_count_shows_the_duration(alice):
    match = alice.open("any-game", names=("Ann", "Bo"), rounds="1")
    Table.objects.filter(pk=match.pk).update(began_at=timezone.now() - timedelta(minutes=47))
    alice.enter(match, count__0__points=3)
    response = alice.enter(match, htmx=True, count__1__points=4)
    assert "47 minutes" in parse_html(response.content.decode()).text
