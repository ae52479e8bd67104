"""The owner_link command."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from companion.people.models import Device
from tests.web.people import Person


def run_command(*args):
    out = StringIO()
    call_command("owner_link", *args, stdout=out)
    return out.getvalue()


def test_circles_are_listed_with_their_players(alice, stranger):
    lines = run_command().splitlines()
    assert len(lines) == 2
    assert "Ann" in lines[0] and "phones: 1" in lines[0] and "Xena" in lines[1]


def test_the_link_adds_one_phone_to_the_circle(alice, table):
    Device.objects.all().delete()
    link = next(word for word in run_command(str(table.circle_id)).split() if "#" in word)
    assert link.startswith("http://") and "/join/#" in link
    key = link.partition("#")[2]
    bob = Person()
    assert bob.send(reverse("join"), {"code": key}).status_code == 302
    assert bob.get(reverse("table", args=[table.public_id])).status_code == 200
    assert Person().send(reverse("join"), {"code": key}).status_code == 404


def test_an_unknown_circle_is_named(db):
    with pytest.raises(CommandError, match="no circle 77"):
        run_command("77")
