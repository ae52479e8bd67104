"""Writes that race with the removal or demotion of their device."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from django.apps import apps
from django.db import connection
from django.urls import reverse

from companion.history.models import Upload
from companion.people import auth as people_auth
from companion.people.auth import add_to_circle
from companion.people.models import Device, Invitation, Membership, Player
from companion.tables import auth as table_auth
from companion.tables.models import Attendance, Door, Table
from tests.exchange.upload_pages import pack_file
from tests.faults.phones import run_concurrently
from tests.web.people import Person, create_guest, create_mate, get_device, new_key
from tests.web.test_roles import PERMISSIONS

RACES = 20
"""Races for each write and each way of losing the right to it."""
MEMBER_ROUTES = (
    "invite", "change-device", "choose-circle", "change-player", "import", "import-match", "keys", "new-table",
    "door", "guest", "secrecy", "note", "details", "rematch", "bin-table", "unbin-table", "share", "seat", "record",
)  # fmt: skip
"""Routes that only members of the circle may post to."""
SCORER_ROUTES = ("seat", "record")
"""Routes that a scorer may post to."""
PUBLIC_ROUTES = {"change-settings", "join", "preview"}
"""Routes that need no membership."""
FILE = b"game take-that\nseats 2\nextend seat=1 card=34\n"


def test_every_posting_route_is_tested_for_races():
    posted = {name for name, method, _statuses in PERMISSIONS if method == "post"}
    assert posted - PUBLIC_ROUTES == set(MEMBER_ROUTES) and set(SCORER_ROUTES) < set(MEMBER_ROUTES)


def post_form(person: Person, name: str, table: Table) -> int:
    """Post a form that would change something, and return the status of the response."""
    ann, viewer = Player.objects.get(name="Ann"), Device.objects.filter(label="A viewer’s phone").first()
    device = get_device(person)
    forms: dict[str, dict[str, object]] = {
        "record": {"key": new_key(), "round": 1, "count.0.face_up": 2, "count.0.face_down": 1, "count.0.toads": 0},
        "new-table": {"way": "pad", "seat": [f"p{ann.pk}", "n:Fay"], "action": "open", "key": new_key()},
        "change-device": {"device": device.pk, "action": "rename", "label": "Mine"},
        "guest": {"device": viewer.pk if viewer else 0, "role": "scorer"},
        "door": {"role": "scorer"},
        "secrecy": {"hides": "yes"},
        "seat": {"seat": 1},
        "note": {"note": "a note"},
        "details": {"note": "a note", "new_place": "Home", "day": "2026-11-01", "time": "20:00"},
        "change-player": {"action": "look", "colour": (ann.colour + 1) % 4, "sign": ann.sign},
        "choose-circle": {"circle": table.circle_id},
        "rematch": {"key": new_key()},
        "keys": {"action": "make", "label": "A program"},
    }
    upload = Upload.objects.order_by("pk").last()
    args: dict[str, list[object]] = {
        "change-player": [ann.pk], "import-match": [upload.pk if upload else 0], "new-table": ["take-that"],
        "invite": [], "change-device": [], "choose-circle": [], "import": [], "keys": [],
    }  # fmt: skip
    url = reverse(name, args=args.get(name, [table.public_id]))
    if name == "import":
        from django.core.files.uploadedfile import SimpleUploadedFile

        return person.post(url, {"file": SimpleUploadedFile("match.txt", FILE)}).status_code
    return person.send(url, forms.get(name, {})).status_code


def remove_from_circle(alice: Person, person: Person, table: Table) -> None:
    response = alice.send(reverse("change-device"), {"device": get_device(person).pk, "action": "out"})
    assert response.status_code == 302


def remove_from_table(alice: Person, person: Person, table: Table) -> None:
    form = {"device": get_device(person).pk, "role": ""}
    assert alice.send(reverse("guest", args=[table.public_id]), form).status_code == 302


def demote(alice: Person, person: Person, table: Table) -> None:
    form = {"device": get_device(person).pk, "role": "viewer"}
    assert alice.send(reverse("guest", args=[table.public_id]), form).status_code == 302


CASES = [
    *((name, "circle", remove_from_circle) for name in MEMBER_ROUTES),
    *((name, "scorer", remove) for name in SCORER_ROUTES for remove in (remove_from_table, demote)),
]
IDS = [f"{name}-{role}-{revoke.__name__}" for name, role, revoke in CASES]
Revoke = Callable[[Person, Person, Table], None]


@pytest.fixture
def people(alice, table, request):
    """A teammate and a scorer at Alice's table, by role. There is a viewer and a pending upload as well."""
    create_guest(table, "viewer")
    if request.node.callspec.params["name"] == "share":  # only finished tables can be shared
        for seat in range(3):
            assert alice.count(table, seat, 4, 4, 1, insist="deal").status_code == 302
        assert alice.enter(table, kind="close").status_code == 302
    circle = table.circle
    Upload.objects.create(circle=circle, device=get_device(alice), content=pack_file(FILE), name="match.txt")
    return {"circle": create_mate(alice), "scorer": create_guest(table, "scorer")}


def dump_rows() -> dict[str, list[tuple[object, ...]]]:
    """Return all rows of the app, except attempt counters and when a device was last used."""
    rows = {}
    models = [model for label in ("people", "tables", "history") for model in apps.get_app_config(label).get_models()]
    for model in (model for model in models if model._meta.model_name != "attemptcounter"):
        columns = [field.column for field in model._meta.concrete_fields if field.name != "used_at"]
        with connection.cursor() as cursor:
            quoted = ", ".join(f'"{column}"' for column in columns)
            cursor.execute(f'SELECT {quoted} FROM {model._meta.db_table} ORDER BY "{model._meta.pk.column}"')
            rows[model._meta.label] = cursor.fetchall()
    return rows


@contextmanager
def act_after_authentication(
    monkeypatch: pytest.MonkeyPatch, person: Person, act: Callable[[], None]
) -> Iterator[list[str]]:
    """Call `act` once, after the server has identified the person and before it goes on."""
    person_device, calls = get_device(person), list[str]()
    record_use = people_auth.record_use

    def record_and_act(device: Device, token_hash: str) -> None:
        record_use(device, token_hash)
        if device == person_device and not calls:
            calls.append("revoked")
            act()

    for module in (people_auth, table_auth):
        monkeypatch.setattr(module, "record_use", record_and_act)
    yield calls
    monkeypatch.undo()


@pytest.mark.parametrize(("name", "role", "revoke"), CASES, ids=IDS)
def test_write_after_revocation_is_rejected(people, alice, table, monkeypatch, name, role, revoke):
    person, before = people[role], dict[str, object]()

    def act() -> None:
        revoke(alice, person, table)
        before.update(dump_rows())

    with act_after_authentication(monkeypatch, person, act) as calls:
        status = post_form(person, name, table)
    assert calls == ["revoked"]
    if name == "new-table":  # people without a circle may start one, with nothing of this circle in it
        assert status == 422 and Table.objects.count() == 1
    assert status in (403, 404, 422) or (name, status) == ("choose-circle", 302)
    assert dump_rows() == before


@pytest.mark.parametrize(("name", "role", "revoke"), CASES, ids=IDS)
@pytest.mark.slow
def test_revocation_survives_every_race(people, alice, table, transactional_db, name, role, revoke):
    person = people[role]
    device = get_device(person)
    statuses = set()
    for _race in range(RACES):
        if role == "circle":
            add_to_circle(device, table.circle)
            Upload.objects.create(circle=table.circle, device=device, content=pack_file(FILE), name="match.txt")
        else:
            Attendance.objects.update_or_create(table=table, device=device, defaults={"role": "scorer", "seat": None})
        status, _none = run_concurrently(
            lambda job: job(), [lambda: post_form(person, name, table), lambda: revoke(alice, person, table)]
        )
        statuses.add(status)
        assert not Membership.objects.filter(device=device, circle=table.circle).exists()
        assert not Invitation.objects.filter(circle=table.circle).exists()
        remaining = Attendance.objects.filter(table=table, device=device).values_list("role", "seat")
        assert list(remaining) == ([("viewer", None)] if revoke is demote else [])
        if role == "circle":
            assert not Door.objects.filter(table__circle=table.circle, code__isnull=False).exists()
        assert post_form(person, "seat", table) == (403 if revoke is demote else 404)
    assert statuses <= {200, 302, 403, 404, 409, 422}, statuses


@pytest.mark.parametrize("way_in", ["code", "invitation", "form"])
def test_removed_device_cannot_rejoin(alice, table, way_in):
    mate = create_mate(alice)
    join, key = reverse("join"), new_key()
    alice.send(reverse("door", args=[table.public_id]), {"role": "scorer"})
    code = Door.objects.get().code
    html = mate.send(reverse("invite"), {}).content.decode()
    invitation = html.partition(f"{join}#")[2][:27]
    form = {"way": "pad", "seat": ["n:Eve", "n:Fay"], "action": "open", "key": key}
    assert mate.send(reverse("new-table", args=["take-that"]), form).status_code == 302
    remove_from_circle(alice, mate, table)
    for person in (mate, Person()):
        if way_in == "form":
            person.send(reverse("new-table", args=["take-that"]), form)
        else:
            join_form = {"code": code if way_in == "code" else invitation}
            assert person.send(join, join_form).status_code == 404
        assert person.get(reverse("table", args=[table.public_id])).status_code == 404
        assert not Membership.objects.filter(circle=table.circle).exclude(device=get_device(alice)).exists()


def test_demoted_scorer_does_not_rejoin_as_scorer(alice, table):
    guest = create_guest(table, "scorer")
    alice.send(reverse("door", args=[table.public_id]), {"role": "scorer"})
    code = Door.objects.get().code
    demote(alice, guest, table)
    guest.send(reverse("join"), {"code": code})
    assert Attendance.objects.get(device=get_device(guest)).role == "viewer"
    assert guest.enter(table, kind="extend", seat=1, card=34).status_code == 403


def test_revoked_code_does_not_admit(alice, table, monkeypatch):
    from companion.tables.services import guests

    alice.send(reverse("door", args=[table.public_id]), {"role": "scorer"})
    code, lock = Door.objects.get().code, guests.lock_circle

    def wait_for_lock(circle: int) -> None:
        Door.objects.update(code=None)
        lock(circle)

    monkeypatch.setattr(guests, "lock_circle", wait_for_lock)
    assert Person().send(reverse("join"), {"code": code}).status_code == 404
