"""Join links, which rate limits of codes do not affect."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from companion import limits
from companion.people import services
from companion.people.models import AttemptCounter
from companion.tables.models import Attendance, Door
from companion.tables.services.guests import build_link_secret
from companion.web.qr import build_join_qr
from tests.tables.test_joining import build_table_url, join, open_door
from tests.web.people import FIRST_PLAY, Person, get_device


@pytest.fixture
def link(alice, table) -> str:
    open_door(alice, table)
    return build_link_secret(Door.objects.get(table=table))


@pytest.fixture
def blocked_codes(monkeypatch):
    """All codes are rate limited, as after a flood of wrong ones."""
    for name in ("DEVICE", "ADDRESS", "SERVER"):
        monkeypatch.setattr(limits, f"WRONG_CODE_RATE_PER_{name}", limits.Rate(0, 60))


def test_the_qr_code_carries_a_160_bit_key(alice, table, link, rf):
    assert len(link) == 6 + 27
    html = alice.get(build_table_url(table, "together")).content.decode()
    assert build_join_qr(rf.get("/", SERVER_NAME="testserver"), link).path in html
    assert link[6:] not in html


@pytest.mark.parametrize(("role", "status"), [("scorer", 302), ("viewer", 403)])
def test_the_link_admits_a_guest_in_the_doors_role(alice, table, role, status):
    open_door(alice, table, role)
    guest = Person()
    assert join(guest, build_link_secret(Door.objects.get()))["Location"] == build_table_url(table, "together")
    assert guest.enter(table, **FIRST_PLAY).status_code == status
    assert Attendance.objects.get(device=get_device(guest)).role == role


def test_links_work_while_codes_are_rate_limited(alice, table, link, blocked_codes):
    assert join(Person(), link[:6]).status_code == 429
    assert join(Person(), link).status_code == 302
    assert join(Person(), services.create_invitation(table.circle, by=None))["Location"] == reverse("circle")


def test_a_valid_link_works_after_many_wrong_ones_from_its_address(alice, table, link):
    answers = [join(Person(), link[:6] + "k" * 27).status_code for _attempt in range(32)]
    assert answers == [404] * 30 + [429] * 2
    assert join(Person(), link).status_code == 302
    assert join(Person(), services.create_invitation(table.circle, by=None)).status_code == 302
    assert join(Person(), link[:6]).status_code == 302  # wrong keys do not count as wrong codes


def test_wrong_keys_and_wrong_codes_are_counted_separately(alice, table, link):
    AttemptCounter.objects.all().delete()
    nobody = Person()
    nobody.get("/api/v1/", headers={"Authorization": "Bearer wrong"})
    join(nobody, "k" * 27)
    join(nobody, link[:6] + "k" * 27)
    assert list(AttemptCounter.objects.values_list("count", flat=True)) == [3]


@pytest.mark.parametrize("change", ["closed", "expired", "opened again", "binned", "another code", "another key"])
def test_a_link_is_void_as_soon_as_its_code_is(alice, table, link, change):
    match change:
        case "closed":
            alice.send(reverse("door", args=[table.public_id]), {"role": ""})
        case "expired":
            Door.objects.update(closes_at=timezone.now() - timedelta(seconds=1))
        case "opened again":
            open_door(alice, table)
        case "binned":
            alice.send(reverse("bin-table", args=[table.public_id]), {})
        case "another code":
            link = "ACDEFG" + link[6:]
        case "another key":
            link = link[:-1] + ("A" if link[-1] != "A" else "B")
    assert join(Person(), link).status_code == 404
    assert not Attendance.objects.exists()


def test_a_link_to_a_full_table_admits_nobody(alice, table, link, monkeypatch):
    monkeypatch.setattr(limits, "MAX_GUESTS", 0)
    assert join(Person(), link).status_code == 404
