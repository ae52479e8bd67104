"""Joining a table by code, and a circle by invitation."""

from __future__ import annotations

import hashlib
import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from companion.people.auth import COOKIE_NAME
from companion.people.models import AttemptCounter, Circle, Device, Invitation, Membership
from companion.tables.models import Attendance, Door
from companion.tables.services import guests
from tests.web.html import parse_html
from tests.web.people import FIRST_PLAY, Person, create_guest, dump_database, get_device


def open_door(alice, table, role="scorer"):
    """Open the door and return its code."""
    alice.send(reverse("door", args=[table.public_id]), {"role": role})
    return Door.objects.get(table=table).code


def join(person, code):
    return person.send(reverse("join"), {"code": code})


def build_table_url(table, name="table"):
    return reverse(name, args=[table.public_id])


# The door


@pytest.mark.parametrize(("role", "status"), [("scorer", 302), ("viewer", 403)])
def test_the_code_admits_a_guest_in_the_doors_role(alice, table, role, status):
    guest = Person()
    assert join(guest, open_door(alice, table, role)).status_code == 302
    assert guest.get(build_table_url(table)).status_code == 200
    assert guest.enter(table, **FIRST_PLAY).status_code == status


def test_the_code_is_shown_with_qr_code_and_spelling(alice, table):
    code = open_door(alice, table)
    page = alice.page("together", table.public_id)
    assert page.one("p", **{"class": "code"}).text.replace(" ", "") == code
    html = alice.get(build_table_url(table, "together")).content.decode()
    assert '<svg class="qr"' in html and "testserver/join/" in html
    assert f"#{code}" not in html.replace("href", "")  # only in the QR code


def test_the_door_closes_after_fifteen_minutes(alice, table):
    code = open_door(alice, table)
    door = Door.objects.get()
    assert timedelta(minutes=14) < door.closes_at - timezone.now() <= timedelta(minutes=15)
    Door.objects.update(closes_at=timezone.now())
    assert join(Person(), code).status_code == 404
    assert code not in alice.get(build_table_url(table, "together")).content.decode().replace("</span><span>", "")


def test_opening_the_door_again_replaces_the_code(alice, table):
    codes = [open_door(alice, table) for _attempt in range(5)]
    assert len(set(codes)) == 5
    assert [join(Person(), code).status_code for code in codes] == [404] * 4 + [302]


def test_closing_the_door_keeps_the_guests(alice, table):
    code, guest = open_door(alice, table), Person()
    join(guest, code)
    alice.send(build_table_url(table, "door"), {"role": ""})
    assert join(Person(), code).status_code == 404
    assert guest.get(build_table_url(table)).status_code == 200


def test_open_doors_never_share_a_code(alice, table, monkeypatch):
    second_table = alice.open(names=("Ann", "Bo"))
    codes = iter(["AAAAAA", "AAAAAA", "AAAAAA", "CCCCCC"])
    monkeypatch.setattr(guests, "generate_code", lambda: next(codes))
    assert open_door(alice, table) == "AAAAAA" and open_door(alice, second_table) == "CCCCCC"


def test_the_code_of_a_closed_door_can_be_reused(alice, table, monkeypatch):
    monkeypatch.setattr(guests, "generate_code", lambda: "AAAAAA")
    open_door(alice, table)
    Door.objects.update(closes_at=timezone.now() - timedelta(seconds=1))
    second_table = alice.open(names=("Ann", "Bo"))
    guest = Person()
    join(guest, open_door(alice, second_table))
    assert (
        guest.get(build_table_url(second_table)).status_code == 200
        and guest.get(build_table_url(table)).status_code == 404
    )


def test_joining_again_never_loses_a_role(alice, table):
    guest = Person()
    join(guest, open_door(alice, table, "scorer"))
    join(guest, open_door(alice, table, "viewer"))
    assert guest.enter(table, **FIRST_PLAY).status_code == 302
    join(alice, open_door(alice, table, "viewer"))
    assert not Attendance.objects.filter(device=get_device(alice)).exists()
    viewer = Person()
    join(viewer, open_door(alice, table, "viewer"))
    join(viewer, open_door(alice, table, "scorer"))
    assert viewer.enter(table, kind="extend", seat=2, card=41).status_code == 302


def test_a_table_in_the_bin_has_no_door(alice, table):
    code = open_door(alice, table)
    alice.send(build_table_url(table, "bin-table"), {})
    assert join(Person(), code).status_code == 404


def add_guests(table, role, count):
    devices = [Device(token_hash=f"{table.pk}-{number}", label="x") for number in range(count)]
    rows = [Attendance(table=table, device=device, role=role) for device in Device.objects.bulk_create(devices)]
    Attendance.objects.bulk_create(rows)


def test_a_table_admits_thirty_guests_and_twelve_scorers(alice, table):
    add_guests(table, "scorer", 12)
    assert join(Person(), open_door(alice, table, "scorer")).status_code == 404
    assert join(Person(), open_door(alice, table, "viewer")).status_code == 302
    add_guests(alice.open(names=("Ann", "Bo")), "viewer", 30)
    full_table = alice.open(names=("Ann", "Bo"))
    add_guests(full_table, "viewer", 30)
    assert join(Person(), open_door(alice, full_table, "viewer")).status_code == 404


@pytest.fixture
def wrong_codes(alice, table):
    """Codes that admit nobody, by reason."""
    tables = {reason: alice.open(names=("Ann", "Bo")) for reason in ("expired", "closed", "full", "binned")}
    codes = {reason: open_door(alice, door_table) for reason, door_table in tables.items()}
    Door.objects.filter(table=tables["expired"]).update(closes_at=timezone.now() - timedelta(seconds=1))
    guests.close_door(tables["closed"], by=None)
    add_guests(tables["full"], "viewer", 30)
    alice.send(build_table_url(tables["binned"], "bin-table"), {})
    return {"unknown": "ACDEFG", "no code at all": "?", **codes}


def test_all_invalid_codes_get_the_same_response(wrong_codes):
    answers = set()
    for code in wrong_codes.values():
        AttemptCounter.objects.all().delete()
        response = join(Person(), code)
        html = re.sub(r'name="csrfmiddlewaretoken" value="[^"]*"|value="[^"]{0,12}"', "", response.content.decode())
        answers.add((response.status_code, html, tuple(sorted(response.cookies))))
    assert len(answers) == 1 and answers.pop()[0] == 404


def test_all_invalid_codes_run_the_same_queries(wrong_codes):
    """The same queries, so that response times reveal nothing."""
    statements = {}
    for reason, code in wrong_codes.items():
        AttemptCounter.objects.all().delete()
        with CaptureQueriesContext(connection) as queries:
            join(Person(), code)
        statements[reason] = [re.sub(r"'[^']*'|\bs\d+_x\d+|\b\d+\b", "?", query["sql"]) for query in queries]
    assert all(reason_statements == statements["unknown"] for reason_statements in statements.values()), statements


# Guests


def test_removing_a_guest_voids_the_code(alice, table):
    code, guest = open_door(alice, table), Person()
    join(guest, code)
    alice.send(build_table_url(table, "guest"), {"device": get_device(guest).pk, "role": ""})
    assert guest.get(build_table_url(table)).status_code == 404
    assert join(guest, code).status_code == 404


def test_a_guest_can_become_a_viewer_and_a_scorer_again(alice, table):
    guest = create_guest(table, "scorer", seat=1)
    device = get_device(guest).pk
    alice.send(build_table_url(table, "guest"), {"device": device, "role": "viewer"})
    assert guest.enter(table, **FIRST_PLAY).status_code == 403
    assert Attendance.objects.get(device=device).seat is None
    alice.send(build_table_url(table, "guest"), {"device": device, "role": "scorer"})
    assert guest.enter(table, **FIRST_PLAY).status_code == 302


def test_a_guest_can_leave_and_remove_nobody_else(alice, table):
    code, guest, other = open_door(alice, table), create_guest(table), create_guest(table, "viewer")
    assert guest.send(build_table_url(table, "guest"), {"device": get_device(other).pk, "role": ""}).status_code == 403
    assert (
        guest.send(build_table_url(table, "guest"), {"device": get_device(guest).pk, "role": "scorer"}).status_code
        == 403
    )
    assert guest.send(build_table_url(table, "guest"), {"device": get_device(guest).pk, "role": ""}).status_code == 302
    assert guest.get(build_table_url(table)).status_code == 404 and other.get(build_table_url(table)).status_code == 200
    assert Door.objects.get().code == code  # leaving does not close the door


@pytest.mark.parametrize("device", ["", "x", "-1", "99999999", "٣", "1e3"])
def test_an_unknown_guest_is_ignored(alice, table, device):
    create_guest(table)
    before = dump_database()
    for role in ("", "viewer", "circle", "owner"):
        assert alice.send(build_table_url(table, "guest"), {"device": device, "role": role}).status_code == 302
    assert dump_database() == before


def test_members_cannot_be_removed_as_guests(alice, mate, table):
    mate.send(build_table_url(table, "seat"), {"seat": 1})
    alice.send(build_table_url(table, "guest"), {"device": get_device(mate).pk, "role": "viewer"})
    alice.send(build_table_url(table, "guest"), {"device": get_device(mate).pk, "role": ""})
    assert mate.enter(table, **FIRST_PLAY).status_code == 302


# Invitations


def create_invitation_key(person):
    """Return a new invitation key."""
    page = parse_html(person.send(reverse("invite"), {}).content.decode())
    address, _hash, key = page.one("input", id="key").attrs["value"].partition("#")
    assert address == "http://testserver/join/"
    return key


def test_an_invitation_adds_one_phone_to_the_circle(alice, table):
    key, bob = create_invitation_key(alice), Person()
    assert len(key) == 27  # 160 bits
    assert join(bob, key)["Location"] == reverse("circle")
    assert bob.get(build_table_url(table)).status_code == 200
    assert bob.send(build_table_url(table, "bin-table"), {}).status_code == 302
    assert join(Person(), key).status_code == 404


def test_only_the_hash_of_an_invitation_is_stored(alice, table):
    key = create_invitation_key(alice)
    assert Invitation.objects.get().key_hash == hashlib.sha256(key.encode()).hexdigest()
    assert key not in str(dump_database())
    for page in (reverse("circle"), reverse("home"), build_table_url(table), build_table_url(table, "together")):
        assert key not in alice.get(page).content.decode()


def test_an_invitation_expires_after_ten_minutes(alice):
    key = create_invitation_key(alice)
    remaining = Invitation.objects.get().expires_at - timezone.now()
    assert timedelta(minutes=9) < remaining <= timedelta(minutes=10)
    Invitation.objects.update(expires_at=timezone.now())
    assert join(Person(), key).status_code == 404
    assert Membership.objects.count() == 1


@pytest.mark.pages
def test_opening_a_link_does_not_redeem_it(alice):
    key = create_invitation_key(alice)
    before = dump_database()
    for number in range(50):
        method = ("get", "head", "options")[number % 3]
        headers = {"purpose": "prefetch", "user-agent": "WhatsApp/2"}
        getattr(Person(), method)(f"{reverse('join')}?code={key}", headers=headers)
    assert dump_database() == before
    assert join(Person(), key).status_code == 302


def test_a_phone_can_belong_to_two_circles(alice, table, stranger):
    history = stranger.get(reverse("history")).content.decode()
    join(stranger, create_invitation_key(alice))
    assert stranger.get(build_table_url(table)).status_code == 200
    assert "Ann" in stranger.get(reverse("history")).content.decode()
    first_circle = Circle.objects.get(players__name="Xena")
    stranger.send(reverse("choose-circle"), {"circle": first_circle.pk})
    assert re.findall("Xena|Ann", stranger.get(reverse("history")).content.decode()) == re.findall("Xena|Ann", history)
    assert stranger.get(build_table_url(table)).status_code == 200
    foreign_circle = Circle.objects.create()
    stranger.send(reverse("choose-circle"), {"circle": foreign_circle.pk})
    assert get_device(stranger).circle_id == first_circle.pk


@pytest.mark.parametrize("way", ["code", "key"])
def test_joining_replaces_a_planted_cookie(alice, table, way):
    """Whether the token is unknown or belongs to somebody else."""
    create_secret = (lambda: open_door(alice, table)) if way == "code" else (lambda: create_invitation_key(alice))
    made_up, planted = Person(), Person()
    made_up.cookies[COOKIE_NAME] = "p" * 43
    join(made_up, create_secret())
    assert made_up.cookies[COOKIE_NAME].value != "p" * 43
    evil = Person()
    evil.open(names=("Eve", "Mallory"))
    planted.cookies[COOKIE_NAME] = evil.cookies[COOKIE_NAME].value
    join(planted, create_secret())
    assert planted.cookies[COOKIE_NAME].value != evil.cookies[COOKIE_NAME].value
    assert planted.get(build_table_url(table)).status_code == 200
    assert evil.get(build_table_url(table)).status_code == 404


def test_the_former_token_works_if_the_response_was_lost(alice, table):
    bob, lost = Person(), Person()
    own_table = bob.open(names=("Bob", "Cid"))
    lost.cookies[COOKIE_NAME] = bob.cookies[COOKIE_NAME].value
    join(bob, open_door(alice, table))  # whose answer is lost
    assert lost.get(build_table_url(own_table)).status_code == 200
    assert lost.get(build_table_url(table)).status_code == 200


# Phones of the circle


def test_phones_are_listed_and_renamed(alice, mate, table):
    device = get_device(mate)
    assert mate.send(reverse("change-device"), {"device": device.pk, "label": " Bea’s  phone "}).status_code == 302
    html = alice.get(reverse("circle")).content.decode()
    assert "Bea’s phone" in html or "Bea’s  phone" in html
    assert "last used" in html
    mate.enter(table, **FIRST_PLAY)
    assert "Bea’s" in alice.get(build_table_url(table)).content.decode()


@pytest.mark.parametrize("label", ["", "   ", "\u202e", "x" * 300, "\ud800"])
def test_an_invalid_phone_name_is_refused_and_stays_in_its_field(alice, label):
    device = get_device(alice)
    before = dump_database()
    answer = alice.send(reverse("change-device"), {"device": device.pk, "label": label})
    assert answer.status_code in (400, 422)
    assert dump_database() == before


def test_a_removed_phone_loses_all_access(alice, mate, table):
    assert mate.enter(table, **FIRST_PLAY).status_code == 302
    key = create_invitation_key(mate)
    alice.send(reverse("change-device"), {"device": get_device(mate).pk, "action": "out"})
    assert mate.get(build_table_url(table)).status_code == 404
    assert mate.enter(table, kind="extend", seat=2, card=41).status_code == 404
    assert table.public_id not in mate.get(reverse("history")).content.decode()
    assert join(mate, key).status_code == 404  # the invitation it created is void
    assert "Mate’s phone" in alice.get(build_table_url(table)).content.decode()


def test_a_removed_phone_with_a_seat_can_return_as_a_guest(alice, mate, table):
    mate.send(build_table_url(table, "seat"), {"seat": "1"})
    alice.send(reverse("change-device"), {"device": get_device(mate).pk, "action": "out"})
    assert mate.get(build_table_url(table)).status_code == 404
    assert join(mate, open_door(alice, table)).status_code == 302
    assert mate.enter(table, **FIRST_PLAY).status_code == 302


def test_the_last_phone_cannot_be_removed(alice):
    before = dump_database()
    answer = alice.send(reverse("change-device"), {"device": get_device(alice).pk, "action": "out"})
    assert answer.status_code == 422 and "only phone" in answer.content.decode()
    assert dump_database() == before


def test_phones_of_another_circle_cannot_be_changed(alice, stranger):
    before = dump_database()
    for action in ("out", "rename"):
        form = {"device": get_device(alice).pk, "action": action, "label": "x"}
        assert stranger.send(reverse("change-device"), form).status_code == 404
    assert dump_database() == before


def test_last_use_is_not_written_on_every_request(alice, table):
    Device.objects.update(used_at=timezone.now() - timedelta(hours=1))
    alice.get(build_table_url(table))
    used_at = get_device(alice).used_at
    assert timezone.now() - used_at < timedelta(minutes=1)
    alice.get(build_table_url(table))
    assert get_device(alice).used_at == used_at
