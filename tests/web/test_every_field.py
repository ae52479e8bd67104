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
from tests.web.crawl import Crawl, FormRequest, crawl_pages, replace_numbers
from tests.web.hostile import VALUES
from tests.web.people import Person, create_guest, dump_database, get_device
from tests.web.test_pages import open_tables_in_every_stage
from tests.web.test_roles import PERMISSIONS
from tests.web.verdicts import OUTCOME_FILE, record_outcome, reset_sequences

pytestmark = pytest.mark.hostile

SHARE = 1 if OUTCOME_FILE else choose_count(30, 10)
"""Each field gets every SHARE-th hostile value; all of them if outcomes are logged."""
SLOW = {"paper-pdf", "table-pdf", "picture"}
"""Routes that take a second to render, and get fewer values."""
PARTS = 12 if OUTCOME_FILE else choose_count(2, 12)
LANDMARKS = ("home", "history", "players", "statistics", "circle", "keys")
"""Pages that show user input; long runs open all pages."""
UNLINKED_ROUTES = {
    "offline", "service-worker", "manifest",  # requested by the browser itself
    "news", "preview",  # by the table's script
    "healthz", "readyz",  # by probes
    "short-link",  # by people who got the link
    "api", "api-tables", "api-table", "api-players", "api-player", "api-rulebooks", "api-rulebook", "api-nothing",
}  # fmt: skip
"""Routes that no link leads to. Their fields are covered by test_bad_input, test_api and test_news."""
ROUTES_WITHOUT_FORM = {"preview"}
"""Routes without a form: a script posts the table's form there."""
GAME_FIELDS = ("option.", "count.")
"""Prefixes of fields that a game declares; test_every_game covers them."""


@pytest.fixture(autouse=True)
def restarted_sequences(db: None) -> None:
    reset_sequences()


@pytest.fixture
def scene(alice: Person, monkeypatch: pytest.MonkeyPatch) -> Crawl:
    """A crawl of all pages of a circle that has data of every kind."""
    monkeypatch.setattr(auth, "LAST_USED_PRECISION", timedelta(days=1))  # the test may take longer than the default
    tables = open_tables_in_every_stage(alice)
    create_guest(tables["fresh"], "scorer", seat=1)
    alice.send(reverse("door", args=[tables["fresh"].public_id]), {"role": "viewer"})
    alice.send(reverse("details", args=[tables["over"].public_id]), {"note": "n", "new_place": "Home"})
    alice.send(reverse("bin-table", args=[tables["closed"].public_id]), {})
    alice.send(reverse("keys"), {"action": "make", "label": "A program"})
    second_circle = Circle.objects.create()
    Membership.objects.create(circle=second_circle, device=get_device(alice))
    upload = Upload.objects.create(circle=tables["over"].circle, content=pack_file(build_shared_play()))
    seeds = [reverse("home"), *(reverse("table", args=[table.public_id]) for table in tables.values())]
    seeds += [
        reverse("import-match", args=[upload.pk]),
        reverse("log", args=[tables["played"].public_id]) + "?before=3",
    ]
    return crawl_pages(alice, seeds)


def group_by_field(scene: Crawl) -> dict[tuple[str, str, str], FormRequest]:
    """Return one request for each route, method and field."""
    requests: dict[tuple[str, str, str], FormRequest] = {}
    for request in sorted(scene.requests, key=lambda request: -len(request.values)):
        for name in sorted(request.names):
            if not name.startswith(GAME_FIELDS):
                requests.setdefault((request.route, request.method, replace_numbers(name)), request)
    return requests


def generate_bodies(form_request: FormRequest, field: str) -> Iterator[list[tuple[str, str]]]:
    name = next(candidate for candidate in sorted(form_request.names) if replace_numbers(candidate) == field)
    others = [pair for pair in form_request.values if pair[0] != name]
    share = max(SHARE, 50 if form_request.route in SLOW else 1)
    for value in VALUES[crc32(f"{form_request.route} {field}".encode()) % share :: share]:
        yield [*others, (name, value)]
    yield [*others, (name, "1"), (name, "2")]
    yield [*others, (f"{name}[]", "1"), (f"{name}[0]", "1")]
    yield others


def send_request(person: Person, form_request: FormRequest, body: list[tuple[str, str]]) -> object:
    if form_request.method == "post":
        return person.send(form_request.path, body)
    return person.get(f"{form_request.path}?{urlencode(body, errors='surrogatepass')}")


def send_hostile_values(person: Person, scene: Crawl, case: tuple[str, str, str], form_request: FormRequest) -> None:
    before = dump_database()
    changed = False
    for number, body in enumerate(generate_bodies(form_request, case[2])):
        AttemptCounter.objects.all().delete()
        response = send_request(person, form_request, body)
        details = f"{case} {ascii(body)[-300:]}"
        record_outcome(" ".join((*case, str(number))), response.status_code)
        assert response.status_code < 500 and response.status_code not in (403, 405), details
        if response.status_code >= 400:
            assert dump_database() == before, details
            assert len(response.content.decode().strip()) > 20, details
        elif form_request.method == "get":
            assert dump_database() == before, details
        else:
            changed = changed or dump_database() != before
            before = dump_database()
    if changed:
        assert_pages_and_exports_work(person, scene, form_request)


def assert_pages_and_exports_work(person: Person, scene: Crawl, form_request: FormRequest) -> None:
    """Assert that whatever was accepted can still be displayed and exported."""
    for url in scene.pages if LONG else {form_request.page, *map(reverse, LANDMARKS)}:
        assert person.get(url).status_code in (200, 302, 404), url
    tables = Table.objects.order_by("-pk")[: choose_count(1, 20)]
    for table in tables:
        for file_format in ("json", "csv", "notation", "bgstats"):
            assert person.get(reverse("export-table", args=[table.public_id, file_format])).status_code in (200, 404), (
                file_format
            )
    exported = person.get(reverse("export-history", args=["json"]))
    assert json.loads(b"".join(exported) if exported.streaming else exported.content)["format"]


@pytest.mark.parametrize("part", range(PARTS))
def test_hostile_values_of_any_field_break_no_page(alice, scene, part):
    """Send to a part of the fields, each starting from the same state."""
    for case, form_request in sorted(group_by_field(scene).items())[part::PARTS]:
        mark = transaction.savepoint()
        send_hostile_values(alice, scene, case, form_request)
        transaction.savepoint_rollback(mark)
        log_cache._CACHE._logs.clear()


def test_crawl_reaches_every_route_and_form(scene):
    routes = {name for name, _method, _statuses in PERMISSIONS}
    assert routes - scene.routes - {form_request.route for form_request in scene.requests} == UNLINKED_ROUTES
    posted = {name for name, method, _statuses in PERMISSIONS if method == "post"}
    assert (
        posted - {form_request.route for form_request in scene.requests if form_request.method == "post"}
        == ROUTES_WITHOUT_FORM
    )
    assert len(group_by_field(scene)) >= 90


def test_api_answers_with_hostile_names(alice, table):
    hostile = ("</script>\u2028", "{{ 7*7 }}", "🏴\U000e0067\U000e007f")
    for player, name in zip(Player.objects.order_by("pk"), hostile, strict=True):
        Player.objects.filter(pk=player.pk).update(name=name)
    program = Program(create_key(alice))
    for route in ("api", "api-tables", "api-players", "api-rulebooks"):
        program.ask(reverse(route))
    program.ask(reverse("api-table", args=[table.public_id]))
    names = [row["name"] for row in program.ask(reverse("api-players"))["players"]]
    assert sorted(names) == sorted(hostile)
