"""Notes and the bin."""

import pytest
from django.urls import reverse

from companion.tables.models import Table
from tests.web.html import parse_html
from tests.web.people import list_kinds, load_fresh_log


def send_note(person, table, text):
    return person.send(reverse("note", args=[table.public_id]), {"note": text})


def test_a_note_is_kept_and_shown(alice, table):
    alice.enter(table, kind="close")
    assert send_note(alice, table, "Two lines\r\nof <b>snow</b>").status_code == 302
    assert Table.objects.get().note == "Two lines\nof <b>snow</b>"
    assert alice.page("table", table.public_id).one("textarea").content == ["Two lines\nof <b>snow</b>"]


def test_a_note_can_be_emptied(alice, table):
    send_note(alice, table, "x")
    send_note(alice, table, "")
    assert Table.objects.get().note == ""


@pytest.mark.parametrize("text", ["x" * 501, "a\x00b", "\ud800", "x" * 10_000])
def test_an_invalid_note_is_refused_and_stays_in_the_form(alice, table, text):
    send_note(alice, table, "before")
    alice.enter(table, kind="close")
    response = send_note(alice, table, text)
    page = parse_html(response.content.decode())
    assert response.status_code == 400
    assert page.one("div", id="notice").text
    assert Table.objects.get().note == "before"
    assert page.one("textarea").text[:1] == text[:1].encode(errors="surrogatepass").decode(errors="replace")[:1]


def test_a_binned_table_is_hidden_and_can_be_restored(alice, table):
    alice.count(table, 0, 2, 3, 1)
    log = list_kinds(table)
    bin_url, unbin_url = (reverse(name, args=[table.public_id]) for name in ("bin-table", "unbin-table"))
    address = reverse("table", args=[table.public_id])
    assert alice.send(bin_url, []).status_code == 302
    assert address not in [a.attrs["href"] for name in ("home", "history") for a in alice.page(name).all("a")]
    assert address in [a.attrs["href"] for a in alice.page("bin").all("a")]
    assert alice.send(unbin_url, []).status_code == 302
    assert address in [a.attrs["href"] for a in alice.page("history").all("a")]
    assert list_kinds(table) == log


def test_binning_a_table_twice_keeps_the_first_time(alice, table):
    url = reverse("bin-table", args=[table.public_id])
    alice.send(url, [])
    binned_at = Table.objects.get().binned_at
    alice.send(url, [])
    assert Table.objects.get().binned_at == binned_at


def test_notes_and_the_bin_do_not_touch_the_log(alice, table):
    alice.count(table, 0, 2, 3, 1)
    before = load_fresh_log(table)
    send_note(alice, table, "x")
    alice.send(reverse("bin-table", args=[table.public_id]), [])
    assert load_fresh_log(table).log.entries == before.log.entries
