"""Polling a table for news since the version on the page."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from companion.tables.log_cache import _CACHE
from companion.tables.models import Table
from companion.web.static_files import get_release_id
from tests.web.html import parse_html
from tests.web.people import FIRST_PLAY

HOSTILE = [
    "",
    "*",
    '"1',
    '1"',
    '"-1"',
    '"1.0"',
    '"٣"',
    '"1","2"',
    '"' + "9" * 400 + '"',
    "W/",
    '"\u202e1"',
    '"1"\x00',
    "é",
]


def poll(person, table, version=None, **headers):
    if version is not None:
        headers["If-None-Match"] = f'"{version}"'
    return person.get(reverse("news", args=[table.public_id]), headers=headers)


def test_an_up_to_date_phone_gets_304(alice, table):
    assert poll(alice, table, 0).status_code == 304
    alice.enter(table, **FIRST_PLAY)
    answer = poll(alice, table, 1)
    assert (answer.status_code, answer.content, answer["ETag"]) == (304, b"", '"1"')
    assert poll(alice, table, **{"If-None-Match": 'W/"1"'}).status_code == 304  # proxies may weaken the ETag


def test_a_poll_returns_the_newest_entry_and_how_many_more(alice, mate, table):
    alice.enter(table, **FIRST_PLAY)
    answer = poll(mate, table, 0)
    assert answer.json() == {"version": 1, "text": "\u2068Bo\u2069 lays 34", "more": 0}
    assert answer["ETag"] == '"1"'
    alice.enter(table, kind="extend", seat=2, card=41)
    alice.enter(table, kind="undo", target=2)
    assert poll(mate, table, 1).json() == {"version": 3, "text": "Undone, no. 2: \u2068Cleo\u2069 lays 41", "more": 1}
    assert poll(mate, table).json()["more"] == 2
    assert poll(mate, table, 3).status_code == 304


def test_a_phone_ahead_of_the_server_gets_its_version(alice, table):
    """A backup was restored in between."""
    alice.enter(table, **FIRST_PLAY)
    assert poll(alice, table, 7).json() == {"version": 1, "text": "\u2068Bo\u2069 lays 34", "more": 0}


def test_an_empty_table_has_no_newest_entry(alice, table):
    assert poll(alice, table).json() == {"version": 0, "text": "", "more": 0}


def test_news_are_translated_plain_text(alice):
    table = alice.open(names=("Ann", "<b>Bo", "Cleo"))
    alice.enter(table, **FIRST_PLAY)
    assert poll(alice, table).json()["text"] == "\u2068<b>Bo\u2069 lays 34"
    alice.cookies["django_language"] = "el"
    text = poll(alice, table).json()["text"]
    assert "<b>Bo" in text and "lays" not in text


@pytest.mark.parametrize("header", HOSTILE)
def test_an_invalid_version_is_ignored(alice, table, header):
    alice.enter(table, **FIRST_PLAY)
    answer = poll(alice, table, **{"If-None-Match": header})
    assert answer.status_code == 200
    assert answer.json()["version"] == 1


@pytest.mark.parametrize("person", ["stranger", "nobody"])
def test_outsiders_get_404_for_news(request, alice, table, person):
    assert poll(request.getfixturevalue(person), table, 0).status_code == 404


def test_news_are_not_cached_and_name_the_release(alice, table):
    for answer in (poll(alice, table, 0), poll(alice, table)):
        assert "no-store" in answer["Cache-Control"]
        assert answer["X-Release"] == get_release_id()


def test_a_poll_uses_one_query_and_two_for_news(alice, mate, table):
    for number in range(2):
        for seat in range(3):
            alice.count(table, seat, 2, 3, 1, round=number + 1, insist="deal")
    version = Table.objects.get().version
    for seen, maximum in ((version, 1), (0, 1)):
        with CaptureQueriesContext(connection) as captured:
            poll(mate, table, seen)
        assert len(captured) <= maximum
    _CACHE._logs.clear()
    with CaptureQueriesContext(connection) as captured:
        assert poll(mate, table, 0).status_code == 200
    assert len(captured) <= 2


def test_page_and_htmx_part_carry_the_version(alice, table):
    alice.enter(table, **FIRST_PLAY)
    url = reverse("table", args=[table.public_id])
    page = parse_html(alice.get(url).content.decode())
    part = parse_html(alice.get(url, {"way": "referee"}, headers={"HX-Request": "true"}).content.decode())
    assert (
        page.one("main", id="table").attrs["data-version"] == "1" == part.one("main", id="table").attrs["data-version"]
    )
    assert page.all("header") and not part.all("header")
    assert part.one("form", id="board").one("input", name="way").attrs["value"] == "referee"
