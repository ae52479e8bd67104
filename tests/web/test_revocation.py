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
from tests.web.people import Person, create_guest, create_mate, get_device_of, new_key
from tests.web.test_roles import ROWS

RACES = 20
"""Of each write against each way of losing the right to it."""
OF_MEMBER = (
    "invite", "change-device", "choose-circle", "change-player", "import", "import-match", "keys", "new-table",
    "door", "guest", "secrecy", "note", "details", "rematch", "bin-table", "unbin-table", "share", "seat", "record",
)  # fmt: skip
"""The writes of a phone of the circle, by the names of their routes."""
OF_SCORER = ("seat", "record")
"""Those of a guest who keeps score."""
WRITES_NOTHING_OF_OTHERS = {"change-settings", "join", "preview"}
"""Routes that take a form and write nothing for which somebody must belong to something."""
FILE = b"game take-that\nseats 2\nextend seat=1 card=34\n"


def test_every_posting_route_is_tested_for_races():
    posted = {name for name, method, _statuses in ROWS if method == "post"}
    assert posted - WRITES_NOTHING_OF_OTHERS == set(OF_MEMBER) and set(OF_SCORER) < set(OF_MEMBER)


def send(person: Person, name: str, table: Table) -> int:
    """The form of a route that would change something, sent by the person; the status of the answer."""
    ann, other = Player.objects.get(name="Ann"), Device.objects.filter(label="A viewer’s phone").first()
    own = get_device_of(person)
    forms: dict[str, dict[str, object]] = {
        "record": {"key": new_key(), "round": 1, "count.0.face_up": 2, "count.0.face_down": 1, "count.0.toads": 0},
        "new-table": {"way": "pad", "seat": [f"p{ann.pk}", "n:Fay"], "action": "open", "key": new_key()},
        "change-device": {"device": own.pk, "action": "rename", "label": "Mine"},
        "guest": {"device": other.pk if other else 0, "role": "scorer"},
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
    response = alice.send(reverse("change-device"), {"device": get_device_of(person).pk, "action": "out"})
    assert response.status_code == 302


def remove_from_table(alice: Person, person: Person, table: Table) -> None:
    sent = {"device": get_device_of(person).pk, "role": ""}
    assert alice.send(reverse("guest", args=[table.public_id]), sent).status_code == 302


def demote(alice: Person, person: Person, table: Table) -> None:
    sent = {"device": get_device_of(person).pk, "role": "viewer"}
    assert alice.send(reverse("guest", args=[table.public_id]), sent).status_code == 302


CASES = [
    *((name, "circle", remove_from_circle) for name in OF_MEMBER),
    *((name, "scorer", remove) for name in OF_SCORER for remove in (remove_from_table, demote)),
]
IDS = [f"{name}-{role}-{revoke.__name__}" for name, role, revoke in CASES]
Revoke = Callable[[Person, Person, Table], None]


@pytest.fixture
def everybody(alice, table, request):
    """A phone of each kind at Alice's table; a viewer besides, and a file of her circle waits."""
    create_guest(table, "viewer")
    if request.node.callspec.params["name"] == "share":  # only what has ended is shared
        for seat in range(3):
            assert alice.count(table, seat, 4, 4, 1, insist="deal").status_code == 302
        assert alice.enter(table, kind="close").status_code == 302
    circle = table.circle
    Upload.objects.create(circle=circle, device=get_device_of(alice), content=pack_file(FILE), name="match.txt")
    return {"circle": create_mate(alice), "scorer": create_guest(table, "scorer")}


def rows() -> dict[str, list[tuple[object, ...]]]:
    """All that the app has stored, but counters and when a device was last seen."""
    found = {}
    models = [model for label in ("people", "tables", "history") for model in apps.get_app_config(label).get_models()]
    for model in (model for model in models if model._meta.model_name != "attemptcounter"):
        columns = [field.column for field in model._meta.concrete_fields if field.name != "used_at"]
        with connection.cursor() as cursor:
            quoted = ", ".join(f'"{column}"' for column in columns)
            cursor.execute(f'SELECT {quoted} FROM {model._meta.db_table} ORDER BY "{model._meta.pk.column}"')
            found[model._meta.label] = cursor.fetchall()
    return found


@contextmanager
def just_after_looking(monkeypatch: pytest.MonkeyPatch, person: Person, act: Callable[[], None]) -> Iterator[list[str]]:
    """Something happens once the server has read who asks, and before it goes on."""
    own, done = get_device_of(person).pk, list[str]()
    seen = people_auth.record_use

    def look(device: Device, token_hash: str) -> None:
        seen(device, token_hash)
        if device.pk == own and not done:
            done.append("revoked")
            act()

    for module in (people_auth, table_auth):
        monkeypatch.setattr(module, "record_use", look)
    yield done
    monkeypatch.undo()


@pytest.mark.parametrize(("name", "role", "revoke"), CASES, ids=IDS)
def test_write_after_revocation_is_rejected(everybody, alice, table, monkeypatch, name, role, revoke):
    person, before = everybody[role], dict[str, object]()

    def act() -> None:
        revoke(alice, person, table)
        before.update(rows())

    with just_after_looking(monkeypatch, person, act) as done:
        status = send(person, name, table)
    assert done == ["revoked"]
    if name == "new-table":  # whoever belongs to no circle may begin one: of this circle nothing is in it
        assert status == 422 and Table.objects.count() == 1
    assert status in (403, 404, 422) or (name, status) == ("choose-circle", 302)
    assert rows() == before


@pytest.mark.parametrize(("name", "role", "revoke"), CASES, ids=IDS)
@pytest.mark.slow
def test_revocation_survives_every_race(everybody, alice, table, transactional_db, name, role, revoke):
    person = everybody[role]
    device = get_device_of(person)
    statuses = set()
    for _again in range(RACES):
        if role == "circle":
            add_to_circle(device, table.circle)
            Upload.objects.create(circle=table.circle, device=device, content=pack_file(FILE), name="match.txt")
        else:
            Attendance.objects.update_or_create(table=table, device=device, defaults={"role": "scorer", "seat": None})
        one, _none = run_concurrently(
            lambda job: job(), [lambda: send(person, name, table), lambda: revoke(alice, person, table)]
        )
        statuses.add(one)
        assert not Membership.objects.filter(device=device, circle=table.circle).exists()
        assert not Invitation.objects.filter(circle=table.circle).exists()
        left = Attendance.objects.filter(table=table, device=device).values_list("role", "seat")
        assert list(left) == ([("viewer", None)] if revoke is demote else [])
        if role == "circle":
            assert not Door.objects.filter(table__circle=table.circle, code__isnull=False).exists()
        assert send(person, "seat", table) == (403 if revoke is demote else 404)
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
    for back in (mate, Person()):
        if way_in == "form":
            back.send(reverse("new-table", args=["take-that"]), form)
        else:
            sent = {"code": code if way_in == "code" else invitation}
            assert back.send(join, sent).status_code == 404
        assert back.get(reverse("table", args=[table.public_id])).status_code == 404
        assert not Membership.objects.filter(circle=table.circle).exclude(device=get_device_of(alice)).exists()


def test_demoted_scorer_does_not_rejoin_as_scorer(alice, table):
    guest = create_guest(table, "scorer")
    alice.send(reverse("door", args=[table.public_id]), {"role": "scorer"})
    code = Door.objects.get().code
    demote(alice, guest, table)
    guest.send(reverse("join"), {"code": code})
    assert Attendance.objects.get(device=get_device_of(guest)).role == "viewer"
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
