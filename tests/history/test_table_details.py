"""Tests of editing a table's place, date, duration and note, and of its log page."""

from datetime import timedelta

import pytest
from django.utils import timezone

from companion.people.models import Device
from companion.tables.auth import VIEWER, TableAccess
from companion.tables.models import Place, Table
from companion.tables.presenters import base_page
from tests.web.html import parse_html
from tests.web.people import dump_database, find_form, get_device, load_fresh_log


def edit_details(person, table, **fields):
    """Change details of a table with its form."""
    page = person.page("details", table.public_id)
    form = find_form(page, new_place="")
    return person.submit(page, form, **fields)


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
    response = alice.submit(page, find_form(page, new_place=""))
    assert response.status_code == 302
    before = table.began_at, table.ended_at, table.place
    table.refresh_from_db()
    assert (table.began_at, table.ended_at, table.place) == before, "submitting the unchanged form changed something"


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
    page = parse_html(response.content.decode())
    ((name, submitted),) = wrong.items()
    assert page.one("div", role="alert").text
    value = page.one("textarea").text if name == "note" else page.one("input", id=name.replace("_", "-")).attrs["value"]
    assert value == submitted
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


def read_log_phones(person, table) -> list[str]:
    """Return the log page’s summary of phones, and the time and phone of each entry."""
    page = person.page("log", table.public_id)
    return [
        part.text for part in (*page.all("p", **{"class": "soft"}), *page.one("ol", **{"class": "log"}).all("time"))
    ]


def test_log_names_the_phones_that_made_its_entries(alice, mate, table):
    for phone in (alice, mate, mate):
        phone.enter(table, kind="close")
        phone.enter(table, kind="reopen")
    total, *times = read_log_phones(alice, table)
    assert total.startswith("Entered by:") and total.endswith(" (4), " + get_device(alice).label + " (2)")
    assert [time.partition(" · ")[2] for time in times] == [get_device(mate).label] * 4 + [""] * 2
    get_device(mate).delete()
    assert read_log_phones(alice, table)[0] == f"Entered by: unknown phones (4), {get_device(alice).label} (2)"
    table.entries.update(device=None)
    access = TableAccess(table, Device(), VIEWER, None, (), load_fresh_log(table))
    assert base_page.BasePage(access).entry_counts == ()
