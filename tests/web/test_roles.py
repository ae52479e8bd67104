"""Permissions: every URL and method for every role."""

from __future__ import annotations

import pytest
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from companion.history.models import Upload
from companion.people.models import Player
from companion.tables.models import Attendance, Entry
from tests.exchange.upload_pages import pack_file
from tests.scale import LONG
from tests.web.people import FIRST_PLAY, Person, create_guest, create_mate, dump_database, get_device, new_key

ROLES = ("nobody", "stranger", "viewer", "scorer", "circle")
METHODS = ("get", "post", "put", "patch", "delete")
# Status by role. Methods without a row get 405 for everybody.
ACCESS = """
#                        nobody stranger viewer scorer circle
home              get    200    200      200    200    200
healthz           get    200    200      200    200    200
readyz            get    200    200      200    200    200
settings          get    200    200      200    200    200
change-settings   post   302    302      302    302    302
new-table         get    200    200      200    200    200
new-table         post   302    302      302    302    302
calculator        get    200    200      200    200    200
prepare           get    200    200      200    200    200
history           get    200    200      200    200    200
bin               get    200    200      200    200    200
players           get    200    200      200    200    200
player            get    404    404      404    404    200
change-player     get    404    404      404    404    200
change-player     post   404    404      404    404    302
statistics        get    200    200      200    200    200
game-statistics   get    200    200      200    200    200
import            get    200    200      200    200    200
import            post   422    422      422    422    422
import-match      get    404    404      404    404    200
import-match      post   404    404      404    404    302
rules             get    200    200      200    200    200
could-i           get    200    200      200    200    200
words             get    200    200      200    200    200
doubts            get    200    200      200    200    200
papers            get    200    200      200    200    200
paper             get    200    200      200    200    200
paper-pdf         get    200    200      200    200    200
search            get    200    200      200    200    200
phone             get    200    200      200    200    200
manifest          get    200    200      200    200    200
service-worker    get    200    200      200    200    200
offline           get    200    200      200    200    200
join              get    200    200      200    200    200
join              post   404    404      404    404    404
circle            get    200    200      200    200    200
invite            post   404    200      404    404    200
change-device     post   404    404      404    404    302
choose-circle     post   404    302      404    404    302
table             get    404    404      200    200    200
log               get    404    404      200    200    200
news              get    404    404      200    200    200
help              get    404    404      200    200    200
table-paper       get    404    404      200    200    200
table-pdf         get    404    404      200    200    200
display           get    404    404      200    200    200
together          get    404    404      200    200    200
correct           get    404    404      403    200    200
record            post   404    404      403    302    302
preview           post   404    404      403    200    200
seat              post   404    404      403    302    302
guest             post   404    404      403    403    302
door              post   404    404      403    403    302
secrecy           post   404    404      403    403    302
note              post   404    404      403    403    302
details           get    404    404      403    403    200
details           post   404    404      403    403    302
rematch           post   404    404      403    403    302
bin-table         post   404    404      403    403    302
unbin-table       post   404    404      403    403    302
share             get    404    404      403    403    200
share             post   404    404      403    403    200
export-table      get    404    404      403    403    200
export            get    200    200      200    200    200
export-history    get    200    200      200    200    200
formats           get    200    200      200    200    200
short-link        get    404    404      404    404    404
# Only finished tables have a picture.
picture           get    404    404      404    404    404
keys              get    404    200      404    404    200
keys              post   404    200      404    404    200
programs          get    200    200      200    200    200
api               get    401    401      401    401    401
api-tables        get    401    401      401    401    401
api-table         get    401    401      401    401    401
api-players       get    401    401      401    401    401
api-player        get    401    401      401    401    401
api-rulebooks     get    401    401      401    401    401
api-rulebook      get    401    401      401    401    401
api-nothing       get    401    401      401    401    401
"""
PERMISSIONS = [
    (name, method, dict(zip(ROLES, map(int, statuses), strict=True)))
    for name, method, *statuses in (line.split() for line in ACCESS.splitlines() if line and line[0] != "#")
]
GAME_ROUTES = ("new-table", "calculator", "prepare", "rules", "could-i", "words", "doubts", "papers", "game-statistics")
PLAYER_ROUTES = ("player", "change-player")
URL_ARGUMENTS = {
    "correct": (1,),
    "export-table": ("json",),
    "export-history": ("json",),
    "short-link": ("abcdefgh",),
    "picture": ("abcDEF_-1234",),
    "api-table": ("abcDEF_-1234",),
    "api-player": ("f47ac10b-58cc-5372-8567-0e02b2c3d479",),
    "api-rulebook": ("take-that", "en"),
    "api-nothing": ("else",),
    "paper": ("take-that", "sheets"),
    "paper-pdf": ("take-that", "sheets"),
}
"""URL arguments other than the table."""
TABLE_ROUTES = [name for name, _method, statuses in PERMISSIONS if statuses["nobody"] == 404 != statuses["viewer"]]


def list_routes() -> list[str]:
    """Return the names of all routes of the URL configuration."""
    names, queue = [], list(get_resolver().url_patterns)
    while queue:
        pattern = queue.pop()
        if isinstance(pattern, URLResolver):
            queue += pattern.url_patterns
        elif isinstance(pattern, URLPattern):
            names.append(str(pattern.name))
    return names


def build_url(name: str, public_id: str) -> str:
    if name in TABLE_ROUTES:
        return reverse(name, args=[public_id, *URL_ARGUMENTS.get(name, ())])
    if name in GAME_ROUTES:
        return reverse(name, args=["take-that"])
    if name == "import-match":
        return reverse(name, args=[Upload.objects.get().pk])
    if name in PLAYER_ROUTES:
        return reverse(name, args=[Player.objects.get(name="Ann").pk])
    return reverse(name, args=URL_ARGUMENTS.get(name, ()))


def build_form(name: str, table: object, device: int) -> dict[str, object]:
    """Return the data of a form that would change something."""
    card = 34 + Entry.objects.count()
    forms: dict[str, dict[str, object]] = {
        "record": {"key": new_key(), "round": 1, "kind": "extend", "seat": 2, "card": card, "insist": "turn"},
        "preview": {"key": new_key(), "round": 1, "count.0.face_up": 3},
        "new-table": {"way": "pad", "seat": ["n:Eve", "n:Fay"], "action": "open"},
        "change-settings": {"language": "el", "next": "/"},
        "change-device": {"device": device, "action": "rename", "label": "Mine"},
        "guest": {"device": device, "role": "viewer"},
        "door": {"role": "scorer"},
        "secrecy": {"hides": "yes"},
        "seat": {"seat": 1},
        "note": {"note": "a note"},
        "details": {"note": "a note", "new_place": "Home", "day": "2026-11-01", "time": "20:00"},
        "change-player": {"action": "leave"},
        "join": {"code": "ACDEFG"},
        "choose-circle": {"circle": 1},
        "rematch": {"key": new_key()},
        "keys": {"action": "make", "label": "A program"},
    }
    return forms.get(name, {})


@pytest.fixture
def people(alice, table, stranger):
    """A person for each role at Alice's table, which has one play. There is a pending upload in her circle."""
    alice.enter(table, **FIRST_PLAY)
    Upload.objects.create(circle=table.circle, content=pack_file(b"game take-that\nseats 2\nextend seat=1 card=34\n"))
    guests = {role: create_guest(table, role) for role in ("viewer", "scorer")}
    return {"nobody": Person(), "stranger": stranger, **guests, "circle": create_mate(alice)}


def test_every_route_is_in_the_permission_table():
    assert sorted(set(list_routes())) == sorted({name for name, _method, _statuses in PERMISSIONS})


@pytest.mark.parametrize(
    ("name", "method", "statuses"), PERMISSIONS, ids=[f"{name}-{method}" for name, method, _ in PERMISSIONS]
)
def test_responses_match_the_permission_table(people, alice, table, name, method, statuses):
    device = get_device(alice).pk
    for role, status in statuses.items():
        before = dump_database()
        url, form = build_url(name, table.public_id), build_form(name, table, device)
        person = people[role]
        response = person.send(url, form) if method == "post" else person.get(url)
        assert response.status_code == status, role
        if method == "get" or status in (403, 404):
            assert dump_database() == before, role


@pytest.mark.parametrize("name", sorted({name for name, _method, _statuses in PERMISSIONS}))
def test_routes_reject_other_methods(people, table, name):
    methods = {method for route, method, _statuses in PERMISSIONS if route == name}
    before = dump_database()
    for person in people.values() if LONG else (people["nobody"], people["circle"]):
        for method in set(METHODS) - methods:
            assert getattr(person, method)(build_url(name, table.public_id)).status_code == 405, method
    assert dump_database() == before


def test_rejected_entry_of_a_viewer_has_a_reason(people, table):
    answer = people["viewer"].enter(table, htmx=True, kind="extend", seat=2, card=41)
    assert answer.status_code == 403 and "can watch" in answer.content.decode()


def test_viewer_page_has_no_forms(people, table):
    for url in ("", "?way=referee", "?way=pad", "log/"):
        html = people["viewer"].get(build_url("table", table.public_id) + url).content.decode()
        assert build_url("record", table.public_id) not in html and "/entries/" not in html, url


def test_guest_page_has_no_member_actions(people, table):
    alice = people["circle"]
    alice.enter(table, kind="close")
    page = people["scorer"].get(build_url("table", table.public_id)).content.decode()
    assert "reopen" not in page
    for name in ("note", "rematch", "bin-table"):
        assert build_url(name, table.public_id) not in page
        assert build_url(name, table.public_id) in alice.get(build_url("table", table.public_id)).content.decode()


def test_guest_cannot_see_other_tables_of_the_circle(people, alice, table):
    other = alice.open(names=("Ann", "Bo"))
    for role in ("viewer", "scorer"):
        assert people[role].get(build_url("table", other.public_id)).status_code == 404
        for name in ("history", "bin", "new-table", "circle"):
            assert "Ann" not in people[role].get(build_url(name, "")).content.decode(), name


def test_guest_finds_the_table_on_the_home_page(people, table):
    for role in ("viewer", "scorer"):
        assert build_url("table", table.public_id) in people[role].get("/").content.decode()


def test_entries_of_a_removed_guest_stay(people, alice, table):
    guest = people["scorer"]
    assert guest.enter(table, kind="extend", seat=2, card=41).status_code == 302
    alice.send(build_url("guest", table.public_id), {"device": get_device(guest).pk, "role": ""})
    assert guest.get(build_url("table", table.public_id)).status_code == 404
    assert guest.enter(table, kind="extend", seat=0, card=45).status_code == 404
    assert "A scorer’s phone" in alice.get(build_url("log", table.public_id)).content.decode()


def test_guest_who_opens_a_table_gets_a_circle_and_stays_a_guest(people, table):
    guest = people["scorer"]
    own_table = guest.open_by_form(names=("Xena", "Yannis"))
    assert own_table.circle_id != table.circle_id
    assert guest.get(build_url("table", own_table.public_id)).status_code == 200
    assert guest.get(build_url("table", table.public_id)).status_code == 200
    assert Attendance.objects.get(device=get_device(guest)).role == "scorer"
