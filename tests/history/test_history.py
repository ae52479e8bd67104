"""Tests of the history list, table details and stored results."""

import random
from datetime import UTC, datetime, timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from companion.history.queries import PAGE_SIZE
from companion.people.models import Player
from companion.tables.models import Place, Table
from companion.tables.presenters import score_sheet
from tests.web.html import Element, read
from tests.web.people import dump_database, find_form, get_device_of, load_fresh_log, open_stuck_table


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
        page = read(person.get(url).content.decode())
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
    second = read(alice.get(url).content.decode())
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
    both = Table.objects.filter(seats__player=ann, game="the-game").order_by("-pk").values_list("public_id", flat=True)
    assert [public_id for page in list_all_pages(alice, player=ann.pk, game="the-game") for public_id in page] == list(
        both
    )


def edit_details(person, table, **changed):
    """Change details of a table with its form."""
    page = person.page("details", table.public_id)
    form = find_form(page, new_place="")
    return person.submit(page, form, **changed)


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


@pytest.mark.parametrize("name", ["στης μαρίας", "Στης Μαριας", "ΣΤΗΣ ΜΑΡΙΑΣ", "Στης Μαρίας"])
def test_place_names_match_regardless_of_case_and_accents(alice, table, stranger, name):
    edit_details(stranger, stranger.open(), new_place=name)
    for edited, place in ((table, "Στης Μαρίας"), (alice.open(), name)):
        edit_details(alice, edited, new_place=place)
    assert set(table.circle.places.values_list("name", flat=True)) == {"Στης Μαρίας"}
    assert Table.objects.filter(circle=table.circle, place__name="Στης Μαρίας").count() == 2


def test_each_of_two_similar_place_names_can_be_chosen(alice, table):
    for name in ("Home", "home"):
        place = Place.objects.create(circle=table.circle, name=name)
        Table.objects.filter(pk=alice.open().pk).update(place=place)
    for name, expected in (("Home", "Home"), ("home", "home"), ("HOME", "home"), ("Home", "Home"), ("HOME", "Home")):
        edit_details(alice, table, new_place=name)
        table.refresh_from_db()
        assert table.place.name == expected


def test_unused_places_are_deleted(alice, table, stranger):
    second = alice.open()
    edit_details(stranger, stranger.open(), new_place="Hmoe")
    names = table.circle.places.order_by("name").values_list("name", flat=True)
    for edited, place, remaining in (
        (table, "Hmoe", ["Hmoe"]),
        (second, "Hmoe", ["Hmoe"]),
        (table, "Home", ["Hmoe", "Home"]),
        (second, "Home", ["Home"]),
        (second, "home", ["Home"]),
    ):
        edit_details(alice, edited, new_place=place)
        assert list(names.all()) == remaining
    alice.submit(page := alice.page("details", table.public_id), find_form(page, new_place=""), place="")
    assert list(names.all()) == ["Home"]
    Table.objects.filter(pk=second.pk).update(binned_at=timezone.now())
    edit_details(alice, table, new_place="Garden")
    edit_details(alice, table, new_place="Roof")
    assert list(names.all()) == ["Home", "Roof"]
    assert stranger.page("history") and Place.objects.filter(name="Hmoe").count() == 1


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


def test_date_place_and_duration_can_be_edited(alice, table):
    for seat in range(3):
        alice.count(table, seat, 2, 5, 1, insist="deal")
    alice.enter(table, kind="close")
    assert edit_details(alice, table, new_place="Home", day="2026-01-06", time="19:15", minutes="47").status_code == 302
    table.refresh_from_db()
    assert timezone.localtime(table.began_at).strftime("%Y-%m-%d %H:%M") == "2026-01-06 19:15"
    assert table.ended_at - table.began_at == timedelta(minutes=47)
    text = alice.page("table", table.public_id).text
    assert "47 minutes" in text and "Home" in text
    page = alice.page("details", table.public_id)
    again = alice.submit(page, find_form(page, new_place=""))
    assert again.status_code == 302
    before = table.began_at, table.ended_at, table.place
    table.refresh_from_db()
    assert (table.began_at, table.ended_at, table.place) == before, "submitting the form unchanged changes nothing"


@pytest.mark.parametrize(
    "wrong",
    [{"day": ""}, {"day": "2026-02-30"}, {"day": "1776-07-04"}, {"day": "2999-01-01"}, {"time": "25:00"},
     {"minutes": "-1"}, {"minutes": "99999"}, {"minutes": "x"}, {"new_place": "x" * 41}, {"note": "x" * 501}],
)  # fmt: skip
def test_invalid_details_are_rejected_and_stay_in_the_form(alice, table, wrong):
    alice.enter(table, kind="close")
    before = dump_database()
    response = edit_details(alice, table, **wrong)
    assert response.status_code == 422
    page = read(response.content.decode())
    ((name, word),) = wrong.items()
    assert page.one("div", role="alert").text
    value = page.one("textarea").text if name == "note" else page.one("input", id=name.replace("_", "-")).attrs["value"]
    assert value == word
    assert dump_database() == before


def test_closing_a_table_records_when_it_ended(alice, table):
    assert table.ended_at is None
    alice.enter(table, kind="close")
    table.refresh_from_db()
    ended = table.ended_at
    assert ended > table.began_at
    alice.enter(table, kind="reopen")
    table.refresh_from_db()
    assert table.ended_at is None
    alice.enter(table, kind="close")
    table.refresh_from_db()
    assert table.ended_at > ended


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
    address = reverse("table", args=[table.public_id])
    assert address in [link.attrs["href"] for link in alice.page("home").all("a")]
    alice.enter(table, kind="close")
    assert address not in [link.attrs["href"] for link in alice.page("home").all("a")]


def read_log_phones(person, table) -> list[str]:
    """Return the summary of phones on the log page, and the time of each entry with its phone."""
    page = person.page("log", table.public_id)
    return [
        part.text for part in (*page.all("p", **{"class": "soft"}), *page.one("ol", **{"class": "log"}).all("time"))
    ]


def test_log_names_the_phones_that_made_its_entries(alice, mate, table):
    for phone in (alice, mate, mate):
        phone.enter(table, kind="close")
        phone.enter(table, kind="reopen")
    total, *times = read_log_phones(alice, table)
    assert total.startswith("Entered by:") and total.endswith(" (4), " + get_device_of(alice).label + " (2)")
    assert [time.partition(" · ")[2] for time in times] == [get_device_of(mate).label] * 4 + [""] * 2
    get_device_of(mate).delete()
    assert read_log_phones(alice, table)[0] == f"Entered by: unknown phones (4), {get_device_of(alice).label} (2)"
    assert score_sheet.count_entries_by_device(load_fresh_log(table), {}) == []


# The stored result


def compute_expected_row(table):
    """Return what the log says, as the row should have it."""
    folded = load_fresh_log(table)
    standing = folded.match.standing
    result = {
        "totals": list(standing.totals),
        "ranks": list(standing.ranks),
        "rounds": len(folded.match.finished_rounds),
    }
    return standing.is_over, folded.log.is_closed, result, folded.version


def get_stored_row(table):
    table.refresh_from_db()
    return table.is_over, table.is_closed, table.result, table.version


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.random
def test_stored_result_equals_the_log_after_every_random_entry(alice, seed):
    chance = random.Random(seed)
    table = alice.open(names=("Ann", "Bo", "Cleo"), rounds=str(chance.randint(1, 4)))
    for _turn in range(40):
        number = len(load_fresh_log(table).log.entries)
        kinds = ["count", "count", "count", "extend", "correct", "strike", "undo", "redo", "close"]
        kind = "reopen" if load_fresh_log(table).log.is_closed else chance.choice(kinds)
        counts = {
            "count.0.face_up": 2 * chance.randint(0, 9),
            "count.0.face_down": chance.randint(1, 9),
            "count.0.toads": chance.randint(0, 1),
        }
        insist = ["deal", "match", "turn", "extend-within-ten"]
        round_number, target = (
            chance.randint(1, load_fresh_log(table).match.last_number + 1),
            chance.randint(1, number + 1),
        )
        if kind == "count":
            seat = chance.randint(0, 2)
            alice.enter(
                table,
                round=round_number,
                insist=insist,
                **{name.replace(".0.", f".{seat}."): n for name, n in counts.items()},
            )
        elif kind == "extend":
            alice.enter(
                table,
                round=round_number,
                kind=kind,
                seat=chance.randint(0, 2),
                card=chance.randint(12, 98),
                insist=insist,
            )
        elif kind == "correct":
            alice.enter(table, amend=kind, target=target, round=round_number, insist=insist, **counts)
        else:
            log = load_fresh_log(table).log
            targets = {"undo": log.undoable[-1:], "redo": log.redoable[-1:]}.get(kind, (target,))
            alice.enter(table, kind=kind, target=targets[0] if targets else target)
        if load_fresh_log(table).log.entries:
            assert get_stored_row(table) == compute_expected_row(table)
    assert load_fresh_log(table).version > 12


def test_stored_result_of_a_refereed_game_waits_for_confirmation(alice):
    table = open_stuck_table(alice)
    assert get_stored_row(table) == compute_expected_row(table)
    assert not table.is_over
    alice.enter(table, kind="confirm")
    assert get_stored_row(table) == compute_expected_row(table)
    assert table.is_over
    alice.enter(table, kind="undo", target=load_fresh_log(table).log.undoable[-1])
    assert get_stored_row(table) == compute_expected_row(table)
    assert not table.is_over
