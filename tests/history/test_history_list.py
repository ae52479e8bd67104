"""Tests of the history list: order, pages, filters, search and the bin."""

from datetime import UTC, datetime

import pytest
from django.urls import reverse

from companion.history.queries import PAGE_SIZE
from companion.people.models import Player
from companion.tables.models import Place, Table
from tests.history.test_table_details import edit_details
from tests.web.html import Element, parse_html


def list_table_ids(page: Element) -> list[str]:
    """Return the ids of the tables on a page of the history, in order."""
    links = [line.all("a")[0].attrs["href"] for line in page.one("ol", **{"class": "past"}).all("li")]
    return [link.strip("/").split("/")[-1] for link in links]


def list_all_pages(person, **query) -> list[list[str]]:
    """Return the table ids of each page of the history, following the links between pages."""
    page = person.page("history", **query)
    pages = [list_table_ids(page)]
    while links := page.all("nav", **{"class": "pages"}):
        url = reverse("history") + links[0].one("a").attrs["href"]
        page = parse_html(person.get(url).content.decode())
        pages.append(list_table_ids(page))
    return pages


def open_tables(person, count):
    """Open tables of two games with varying players; return their ids, oldest first."""
    names = ["Ann", "Bo", "Cleo", "Dora"]
    return [
        person.open(("take-that", "the-game")[n % 2], names=(names[n % 4], names[(n + 1) % 4])).public_id
        for n in range(count)
    ]


def test_tables_are_listed_newest_first(alice, table):
    ids = [table.public_id, *open_tables(alice, 3)]
    assert list_table_ids(alice.page("history")) == ids[::-1]


def test_a_circle_without_tables_has_an_empty_history(nobody):
    page = nobody.page("history")
    assert page.one("p", **{"class": "empty"}).text
    assert not page.all("ol", **{"class": "past"})


@pytest.mark.parametrize("count", [PAGE_SIZE - 1, PAGE_SIZE, 2 * PAGE_SIZE + 3])
def test_pages_have_no_gaps_or_repeats(alice, table, count):
    ids = [table.public_id, *open_tables(alice, count - 1)]
    pages = list_all_pages(alice)
    assert [public_id for page in pages for public_id in page] == ids[::-1]
    assert [len(page) for page in pages[:-1]] == [PAGE_SIZE] * (len(pages) - 1)
    assert pages[-1]


def test_opening_a_table_while_paging_repeats_no_table(alice, table):
    ids = [table.public_id, *open_tables(alice, PAGE_SIZE + 4)]
    first = alice.page("history")
    open_tables(alice, 3)
    url = reverse("history") + first.one("nav", **{"class": "pages"}).one("a").attrs["href"]
    second = parse_html(alice.get(url).content.decode())
    assert list_table_ids(first) + list_table_ids(second) == ids[::-1]


def test_list_is_filtered_by_game_and_player(alice, table):
    open_tables(alice, 24)
    for slug in ("take-that", "the-game"):
        expected = list(Table.objects.filter(game=slug).order_by("-pk").values_list("public_id", flat=True))
        assert [public_id for page in list_all_pages(alice, game=slug) for public_id in page] == expected
    for player in Player.objects.all():
        expected = list(Table.objects.filter(seats__player=player).order_by("-pk").values_list("public_id", flat=True))
        assert [public_id for page in list_all_pages(alice, player=player.pk) for public_id in page] == expected
    ann = Player.objects.get(name="Ann")
    expected = (
        Table.objects.filter(seats__player=ann, game="the-game").order_by("-pk").values_list("public_id", flat=True)
    )
    assert [public_id for page in list_all_pages(alice, player=ann.pk, game="the-game") for public_id in page] == list(
        expected
    )


def test_pages_are_ordered_by_when_tables_began(alice, table):
    ids = open_tables(alice, 2 * PAGE_SIZE + 3)
    Table.objects.filter(public_id__in=ids[5:30]).update(began_at=datetime(2020, 5, 4, tzinfo=UTC))
    Table.objects.filter(public_id__in=ids[:3]).update(began_at=datetime(1999, 1, 1, tzinfo=UTC))
    expected = list(Table.objects.order_by("-began_at", "-pk").values_list("public_id", flat=True))
    assert [public_id for page in list_all_pages(alice) for public_id in page] == expected


def test_list_is_filtered_by_place_and_period(alice, table):
    other = alice.open()
    assert edit_details(alice, table, new_place="Στης Άννας", day="2024-02-29", time="21:30").status_code == 302
    place = Place.objects.get()
    assert list_table_ids(alice.page("history", place=place.pk)) == [table.public_id]
    for period, expected in (
        ("2024", table),
        ("2024-02", table),
        ("recent", other),
        (f"{other.began_at:%Y-%m}", other),
    ):
        assert list_table_ids(alice.page("history", period=period)) == [expected.public_id], period
    for period in ("2023", "2024-01", "2024-03"):
        assert alice.page("history", period=period).one("p", **{"class": "empty"}).text == "No tables found."


def test_list_is_filtered_to_unfinished_tables(alice, table):
    closed = alice.open()
    alice.enter(closed, kind="close")
    assert list_table_ids(alice.page("history", unfinished="yes")) == [table.public_id]
    lines = alice.page("history").one("ol", **{"class": "past"}).all("li")
    assert ["not finished" in line.text for line in lines] == [False, True]


@pytest.mark.parametrize("query", ["ΆΝΝΑ", "αννα", "άννα bo", "στης μαριας", "ΒΡΟΧΗΣ", "  βροχης  Bo ", "100%_"])
def test_search_ignores_case_and_accents(alice, table, query):
    match = alice.open("the-game", names=("Άννα", "Bo"))
    edit_details(alice, match, new_place="Στης Μαρίας", note="Βραδιά της βροχής, 100%_ sure")
    assert list_table_ids(alice.page("history", q=query)) == [match.public_id]


@pytest.mark.parametrize("query", ["Zoe", "Άννα Cleo", "100%x", "_", "' OR 1=1", "βροχής ήλιος"])
def test_search_requires_every_word_and_has_no_wildcards(alice, query):
    other = alice.open("the-game", names=("Άννα", "Bo"))
    edit_details(alice, other, note="Βραδιά της βροχής, 100% sure")
    assert alice.page("history", q=query).one("p", **{"class": "empty"}).text == "No tables found."


def test_search_results_are_paginated(alice, table):
    open_tables(alice, PAGE_SIZE * 2)
    expected = list(
        Table.objects.filter(seats__player__name="Dora").order_by("-pk").values_list("public_id", flat=True)
    )
    assert [public_id for page in list_all_pages(alice, q="dora") for public_id in page] == expected


def test_filter_form_keeps_its_values(alice, table):
    ann = Player.objects.get(name="Ann")
    page = alice.page("history", game="take-that", player=ann.pk)
    chosen = [option.attrs["value"] for option in page.all("option") if "selected" in option.attrs]
    assert chosen == ["take-that", str(ann.pk)]


def test_bin_lists_only_binned_tables(alice, table):
    ids = open_tables(alice, 4)
    for public_id in ids[:2]:
        alice.send(reverse("bin-table", args=[public_id]), [])
    assert list_table_ids(alice.page("bin")) == ids[1::-1]
    assert list_table_ids(alice.page("history")) == [*ids[:1:-1], table.public_id]


def test_list_shows_totals_by_rank(alice, table):
    for number in (1, 2):
        for seat, counts in enumerate([(2, 5, 1), (12, 3, 0), (4, 4, 0)]):
            alice.count(table, seat, *counts, round=number, insist="deal")
    (line,) = alice.page("history").one("ol", **{"class": "past"}).all("li")
    sides = [span.text for span in line.one("span", **{"class": "names"}).all("span") if span.all("bdi")]
    assert sides == ["Bo 18", "Cleo 0", "Ann −14"]
    assert [span.text for span in line.all("span", **{"class": "won"})] == ["Bo 18"]


def test_home_page_lists_unfinished_tables(alice, table):
    url = reverse("table", args=[table.public_id])
    assert url in [link.attrs["href"] for link in alice.page("home").all("a")]
    alice.enter(table, kind="close")
    assert url not in [link.attrs["href"] for link in alice.page("home").all("a")]
