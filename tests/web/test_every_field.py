"""Hostile values for every field of every form and link that a crawl finds."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from urllib.parse import urlencode
from zlib import crc32

import pytest
from django.db import transaction
from django.urls import reverse

from companion.history.models import Upload
from companion.people import auth
from companion.people.models import AttemptCounter, Circle, Membership, Player
from companion.tables import log_cache
from companion.tables.models import Table
from tests.api.test_api import Program, create_key
from tests.exchange.backups import build_shared_play
from tests.exchange.upload_pages import pack_file
from tests.scale import LONG, choose_count
from tests.web.crawl import Crawl, FormRequest, crawl_pages, plain
from tests.web.hostile import VALUES
from tests.web.people import Person, create_guest, dump_database, get_device_of
from tests.web.test_pages import both_games
from tests.web.test_roles import ROWS
from tests.web.verdicts import FILE, record_outcome, reset_sequences

pytestmark = pytest.mark.hostile

SHARE = 1 if FILE else choose_count(30, 10)
"""One of so many hostile values is thrown at each field; all of them where verdicts are written down."""
SLOW = {"paper-pdf", "table-pdf", "picture"}
"""Routes that draw for a second: only few of the values."""
PARTS = 12 if FILE else choose_count(2, 12)
LANDMARKS = ("home", "history", "players", "statistics", "circle", "keys")
"""Pages that show what others have typed; in the long run all are opened."""
NO_PAGES = {
    "offline", "service-worker", "manifest",  # asked for by the phone itself
    "news", "preview",  # by the script of the table
    "healthz", "readyz",  # by probes
    "short-link",  # by those who are given the address
    "api", "api-tables", "api-table", "api-players", "api-player", "api-rulebooks", "api-rulebook", "api-nothing",
}  # fmt: skip
"""Routes that no link leads to. Their fields are thrown at in test_bad_input, test_api and test_news."""
NO_FORMS = {"preview"}
"""Routes that take what no form of theirs sends: the script sends the form of the table there."""
OF_A_GAME = ("option.", "count.")
"""Fields that a game declares; test_every_game throws at those of all games."""


@pytest.fixture(autouse=True)
def first_rows(db: None) -> None:
    """Before anybody is there."""
    reset_sequences()


@pytest.fixture
def scene(alice: Person, monkeypatch: pytest.MonkeyPatch) -> Crawl:
    """All pages of a circle in which everything has happened, and the fields of their forms."""
    monkeypatch.setattr(
        auth, "LAST_USED_PRECISION", timedelta(days=1)
    )  # it may all take longer than the usual five minutes
    tables = both_games(alice)
    create_guest(tables["fresh"], "scorer", seat=1)
    alice.send(reverse("door", args=[tables["fresh"].public_id]), {"role": "viewer"})
    alice.send(reverse("details", args=[tables["over"].public_id]), {"note": "n", "new_place": "Home"})
    alice.send(reverse("bin-table", args=[tables["closed"].public_id]), {})
    alice.send(reverse("keys"), {"action": "make", "label": "A program"})
    other = Circle.objects.create()
    Membership.objects.create(circle=other, device=get_device_of(alice))
    waits = Upload.objects.create(circle=tables["over"].circle, content=pack_file(build_shared_play()))
    seeds = [reverse("home"), *(reverse("table", args=[own.public_id]) for own in tables.values())]
    seeds += [reverse("import-match", args=[waits.pk]), reverse("log", args=[tables["played"].public_id]) + "?before=3"]
    return crawl_pages(alice, seeds)


def tried(scene: Crawl) -> dict[tuple[str, str, str], FormRequest]:
    """By route, method and field, one way of sending it."""
    found: dict[tuple[str, str, str], FormRequest] = {}
    for way in sorted(scene.ways, key=lambda way: -len(way.sent)):
        for name in sorted(way.names):
            if not name.startswith(OF_A_GAME):
                found.setdefault((way.route, way.method, plain(name)), way)
    return found


def bodies(way: FormRequest, field: str) -> Iterator[list[tuple[str, str]]]:
    name = next(own for own in sorted(way.names) if plain(own) == field)
    others = [pair for pair in way.sent if pair[0] != name]
    share = max(SHARE, 50 if way.route in SLOW else 1)
    for value in VALUES[crc32(f"{way.route} {field}".encode()) % share :: share]:
        yield [*others, (name, value)]
    yield [*others, (name, "1"), (name, "2")]
    yield [*others, (f"{name}[]", "1"), (f"{name}[0]", "1")]
    yield others


def sent(person: Person, way: FormRequest, body: list[tuple[str, str]]) -> object:
    if way.method == "post":
        return person.send(way.path, body)
    return person.get(f"{way.path}?{urlencode(body, errors='surrogatepass')}")


def throw(person: Person, scene: Crawl, case: tuple[str, str, str], way: FormRequest) -> None:
    before = dump_database()
    changed = False
    for number, body in enumerate(bodies(way, case[2])):
        AttemptCounter.objects.all().delete()
        response = sent(person, way, body)
        shown = f"{case} {ascii(body)[-300:]}"
        record_outcome(" ".join((*case, str(number))), response.status_code)
        assert response.status_code < 500 and response.status_code not in (403, 405), shown
        if response.status_code >= 400:
            assert dump_database() == before, shown
            assert len(response.content.decode().strip()) > 20, shown
        elif way.method == "get":
            assert dump_database() == before, shown
        else:
            changed = changed or dump_database() != before
            before = dump_database()
    if changed:
        assert_no_poison(person, scene, way)


def assert_no_poison(person: Person, scene: Crawl, way: FormRequest) -> None:
    """Whatever was taken in, all that shows it can still be drawn, exported and asked for by programs."""
    for url in scene.pages if LONG else {way.page, *map(reverse, LANDMARKS)}:
        assert person.get(url).status_code in (200, 302, 404), url
    tables = Table.objects.order_by("-pk")[: choose_count(1, 20)]
    for table in tables:
        for word in ("json", "csv", "notation", "bgstats"):
            assert person.get(reverse("export-table", args=[table.public_id, word])).status_code in (200, 404), word
    exported = person.get(reverse("export-history", args=["json"]))
    assert json.loads(b"".join(exported) if exported.streaming else exported.content)["format"]


@pytest.mark.parametrize("part", range(PARTS))
def test_hostile_values_of_any_field_break_no_page(alice, scene, part):
    """A part of the fields at a time, each from the same state on."""
    for case, way in sorted(tried(scene).items())[part::PARTS]:
        mark = transaction.savepoint()
        throw(alice, scene, case, way)
        transaction.savepoint_rollback(mark)
        log_cache._CACHE._logs.clear()


def test_crawl_reaches_every_route_and_form(scene):
    routes = {name for name, _method, _statuses in ROWS}
    assert routes - scene.routes - {way.route for way in scene.ways} == NO_PAGES
    posted = {name for name, method, _statuses in ROWS if method == "post"}
    assert posted - {way.route for way in scene.ways if way.method == "post"} == NO_FORMS
    assert len(tried(scene)) >= 90


def test_api_answers_with_hostile_names(alice, table):
    """The names that can be stored are the most hostile that there are."""
    hostile = ("</script>\u2028", "{{ 7*7 }}", "🏴\U000e0067\U000e007f")
    for player, name in zip(Player.objects.order_by("pk"), hostile, strict=True):
        Player.objects.filter(pk=player.pk).update(name=name)
    program = Program(create_key(alice))
    for route in ("api", "api-tables", "api-players", "api-rulebooks"):
        program.ask(reverse(route))
    program.ask(reverse("api-table", args=[table.public_id]))
    told = [own["name"] for own in program.ask(reverse("api-players"))["players"]]
    assert sorted(told) == sorted(hostile)
