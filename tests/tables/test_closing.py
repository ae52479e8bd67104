"""Closing and binning tables: permissions, notices and undo."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from companion.tables import auth
from companion.tables.models import Entry, Table
from tests.web.people import FIRST_PLAY, create_guest, find_buttons, find_form, list_kinds, load_fresh_log


def build_url(table, name="table"):
    return reverse(name, args=[table.public_id])


def is_shown(person, table, *texts):
    """Return whether the table page contains all of the texts."""
    page_text = person.page("table", table.public_id).one("main", id="table").text
    return all(part in page_text for part in texts)


@pytest.mark.parametrize("kind", ["close", "reopen"])
def test_a_guest_cannot_close_or_reopen_a_table(alice, table, kind):
    guest = create_guest(table)
    if kind == "reopen":
        alice.enter(table, kind="close")
    before = list_kinds(table)
    response = guest.enter(table, kind=kind, htmx=True)
    assert response.status_code == 403 and "Only a phone of the table’s circle" in response.content.decode()
    assert list_kinds(table) == before
    assert f'value="{kind}"' not in guest.get(build_url(table)).content.decode()


def test_a_guest_cannot_write_into_a_table_in_the_bin(alice, table):
    guest = create_guest(table)
    assert alice.send(build_url(table, "bin-table"), {}).status_code == 302
    response = guest.enter(table, **FIRST_PLAY, htmx=True)
    assert response.status_code == 403 and "This table is in the bin" in response.content.decode()
    assert list_kinds(table) == []
    assert alice.enter(table, **FIRST_PLAY).status_code == 302


def test_a_guest_cannot_write_into_a_table_being_binned(alice, table, monkeypatch):
    guest, record_use = create_guest(table), auth.record_use

    def bin_table(*args):
        Table.objects.filter(pk=table.pk).update(binned_at=timezone.now())
        record_use(*args)

    monkeypatch.setattr(auth, "record_use", bin_table)
    assert guest.enter(table, **FIRST_PLAY).status_code == 403
    assert list_kinds(table) == []


def test_the_button_that_closes_shares_the_form_of_undo(alice, table):
    alice.enter(table, **FIRST_PLAY)
    page = alice.page("table", table.public_id)
    ((form, button),) = find_buttons(page, "close")
    assert form.attrs["id"] == "acts"
    assert alice.submit(page, form, button).status_code == 302
    assert Entry.objects.values_list("kind", "words").last() == ("close", {})  # without the target of undo


def test_closing_a_table_can_be_undone_by_its_author(alice, table):
    alice.enter(table, kind="close")
    page = alice.page("table", table.public_id)
    assert page.all("div", **{"class": "acts fleeting"})
    assert alice.submit(page, find_form(page, kind="reopen")).status_code == 302
    assert list_kinds(table) == ["close", "reopen"]
    assert not is_shown(alice, table, "Closed by")


def test_the_undo_of_closing_is_offered_for_ten_seconds(alice, table):
    alice.enter(table, kind="close")
    Entry.objects.update(at=timezone.now() - timedelta(seconds=11))
    load_fresh_log(table)
    page = alice.page("table", table.public_id)
    assert not page.all("div", **{"class": "acts fleeting"})
    assert is_shown(alice, table, "Closed by this phone")


def test_others_see_who_closed_the_table(alice, mate, table):
    mate.enter(table, kind="close")
    for person in (alice, create_guest(table), create_guest(table, "viewer")):
        assert is_shown(person, table, "Closed by Mate’s phone at")
        assert "fleeting" not in person.get(build_url(table)).content.decode()
    assert "Mate’s phone" in alice.get(build_url(table, "log")).content.decode()


def test_binning_can_be_undone_and_others_see_who_did_it(alice, mate, table):
    response = mate.send(build_url(table, "bin-table"), {})
    assert response["Location"] == build_url(table)
    assert is_shown(alice, table, "Mate’s phone moved this table to the bin at")
    assert "Mate’s phone moved this table to the bin" in alice.page("log", table.public_id).text
    page = mate.page("table", table.public_id)
    assert is_shown(mate, table, "Moved to the bin by this phone", "Undo")
    form = next(form for form in page.all("form") if form.attrs["action"] == build_url(table, "unbin-table"))
    assert mate.submit(page, form).status_code == 302
    table.refresh_from_db()
    assert table.binned_at is None and table.binned_by is None
    assert not is_shown(alice, table, "to the bin at")
