"""Limits: the largest allowed value passes, anything beyond is rejected with a message."""

import ast
from io import BytesIO
from itertools import pairwise
from pathlib import Path

import pytest
from django.conf import settings
from django.urls import reverse
from waitress.adjustments import Adjustments
from waitress.parser import HTTPRequestParser

from companion import limits
from companion.api import keys
from companion.games import get_games
from companion.games.any_game.counts import MAX_POINTS
from companion.history.models import Upload
from companion.limits import Rate
from companion.ops import server
from companion.people import services
from companion.people.auth import COOKIE_NAME, hash_token
from companion.people.models import Device
from companion.tables.models import Attendance, Table
from companion.tables.services import guests
from tests.faults.phones import run_concurrently
from tests.web.people import Person, create_guest, get_device_of

FEW = 3
"""What a bound is lowered to where it would take long to reach."""
NEW = reverse("new-table", args=["take-that"])


def only_table():
    return Table.objects.order_by("pk")[0]


def opened(person, *names):
    seats = [("seat", f"n:{name}") for name in names]
    return person.send(NEW, [("way", "pad"), *seats, ("action", "open")])


def joined(person, code, **more):
    return person.send(reverse("join"), {"code": code}, **more)


def joined_from(number, code):
    """By a browser and an address of its own, so that no other bound is reached."""
    guest = Person()
    guest.cookies[settings.CSRF_COOKIE_NAME] = str(number)
    return joined(guest, code, REMOTE_ADDR=f"10.0.{number}.1")


def door(alice, table, role):
    alice.send(reverse("door", args=[table.public_id]), {"role": role})
    return guests.get_open_door(table).code


# What is counted: each time once more. How many there are before, how one more is tried, and what refuses it.


def a_player(alice, table, number):
    return opened(alice, "Ann", f"Player {number}")


def a_device(alice, table, number):
    return joined(Person(), services.create_invitation(table.circle, by=None))


def a_round(alice, table, number):
    for seat in range(3):
        response = alice.count(table, seat, 12, 10, 1, round=min(number, FEW) + 1, insist="deal")
    return response


def an_entry(alice, table, number):
    return alice.enter(table, kind="close" if number in (0, 2) else "reopen")


def an_entry_of_a_guest(alice, table, number):
    guest = create_guest(table) if number == 0 else Person()
    guest.cookies[COOKIE_NAME] = f"{'scorer':-<43}"
    return guest.count(table, number % 3, 4, 4, 0, round=1 + number // 3, insist="deal")


def a_guest(alice, table, number):
    return joined_from(number, door(alice, table, "viewer"))


def a_scorer(alice, table, number):
    return joined_from(number, door(alice, table, "scorer"))


def a_table(alice, table, number):
    return opened(alice, "Ann", "Bo")


def a_circle(alice, table, number):
    return opened(Person(), "Ann", "Bo")


def a_wrong_code(alice, table, number):
    return joined(alice, "ACDEFG", REMOTE_ADDR=f"10.0.{number}.1")


def a_wrong_code_from_here(alice, table, number):
    return joined(Person(), "ACDEFG")


def a_wrong_code_from_elsewhere(alice, table, number):
    return joined(Person(), "ACDEFG", REMOTE_ADDR=f"10.0.{number}.1")


def a_wrong_key(alice, table, number):
    return joined(Person(), "k" * 27)


def a_key(alice, table, number):
    return alice.send(reverse("keys"), {"label": "A program"})


def a_question(alice, table, number):
    if not hasattr(alice, "program"):
        alice.program = keys.create_key(get_device_of(alice), table.circle, label="A program")
    return alice.get(reverse("api"), headers={"authorization": f"Bearer {alice.program}"})


def a_file(alice, table, number, size=0):
    text = b"game take-that\nseats 3\n"
    return alice.post(reverse("import"), {"file": BytesIO(text.ljust(size, b"#"))})


COUNTED = {
    "MAX_PLAYERS": (3, a_player, 422, "can have at most"),
    "MAX_DEVICES": (1, a_device, 422, "phones. Remove one first"),
    "MAX_ROUNDS": (0, a_round, 400, "can have at most"),
    "MAX_ENTRIES": (0, an_entry, 400, "log is full"),
    "MAX_GUESTS": (0, a_guest, 404, "or the table is full"),
    "MAX_SCORERS": (0, a_scorer, 404, "or the table is full"),
    "GUEST_ENTRY_RATE": (0, an_entry_of_a_guest, 429, "Too many entries from this phone"),
    "NEW_TABLE_RATE": (0, a_table, 429, "Too many tables opened"),
    "NEW_CIRCLE_RATE": (0, a_circle, 429, "Too many tables opened"),
    "WRONG_CODE_RATE_PER_DEVICE": (0, a_wrong_code, 429, "Too many wrong codes"),
    "WRONG_CODE_RATE_PER_ADDRESS": (0, a_wrong_code_from_here, 429, "Too many wrong codes"),
    "WRONG_CODE_RATE_PER_SERVER": (0, a_wrong_code_from_elsewhere, 429, "Too many wrong codes"),
    "WRONG_KEY_RATE": (0, a_wrong_key, 429, "Too many wrong codes"),
    "MAX_API_KEYS": (0, a_key, 422, "Revoke one first."),
    "API_REQUEST_RATE": (0, a_question, 429, "too many requests"),
    "UPLOAD_RATE": (0, a_file, 429, "Too many files uploaded"),
}


@pytest.mark.parametrize("name", COUNTED)
def test_exceeding_a_quota_is_rejected_with_a_message(alice, name, monkeypatch):
    before, attempt, status, sentence = COUNTED[name]
    usual = getattr(limits, name)
    monkeypatch.setattr(limits, name, Rate(FEW, usual.seconds) if isinstance(usual, Rate) else FEW + before)
    table = alice.open(rounds="99") if name == "MAX_ROUNDS" else only_table()
    room = FEW if not isinstance(usual, Rate) else FEW - before
    for number in range(10 * FEW):
        response = attempt(alice, table, number)
        if number < room:
            assert response.status_code in (200, 302, 404), (number, response.content.decode()[-400:])
            assert sentence not in response.content.decode() or status == 404
        else:
            assert response.status_code == status, number
            assert sentence in response.content.decode()
            assert status != 429 or int(response["Retry-After"]) > 0
    table.refresh_from_db()
    assert table.version == {"MAX_ROUNDS": 3 * FEW, "MAX_ENTRIES": FEW, "GUEST_ENTRY_RATE": FEW}.get(name, 0)


# What is measured: at the bound, one more, and ten times as much.


def of_name(alice, size):
    return alice.send(NEW, {"action": "add", "new": "x" * size})


def of_note(alice, size):
    return alice.send(reverse("note", args=[only_table().public_id]), {"note": "x" * size})


def of_seats(alice, size):
    url = reverse("new-table", args=["any-game"])
    return alice.send(url, [*(("seat", f"n:P{n}") for n in range(size)), ("option.name", "Skat"), ("action", "open")])


def of_points(alice, size):
    return alice.count(only_table(), 0, size, 1, 1, insist=["deal", "cards"])


def of_file(alice, size):
    return a_file(alice, None, 0, size)


def of_form(alice, size):
    path = reverse("record", args=[only_table().public_id])
    return alice.post(path, "key=".ljust(size, "x"), content_type="application/x-www-form-urlencoded")


def of_fields(alice, size):
    return alice.send(reverse("record", args=[only_table().public_id]), [("x", "1")] * size)


MEASURED = {
    "MAX_NAME_LENGTH": (of_name, 200, 422, "at most 40 characters"),
    "MAX_NOTE_LENGTH": (of_note, 302, 400, "at most 500 characters"),
    "MAX_SEATS": (of_seats, 302, 422, "between 1 and 12|12 players"),
    "MAX_POINTS": (of_points, 422, 400, "too much for the sheet"),
    "MAX_FILE_BYTES": (of_file, 302, 422, "The file is too large"),
    "MAX_FORM_BYTES": (of_form, 400, 413, "That’s too much at once"),
    "MAX_FORM_FIELDS": (of_fields, 400, 413, "That’s too much at once"),
}


@pytest.mark.parametrize("name", MEASURED)
def test_exceeding_a_size_limit_is_rejected_with_a_message(alice, name, monkeypatch):
    send, taken, refused, sentence = MEASURED[name]
    if name == "MAX_FILE_BYTES":
        monkeypatch.setattr(limits, name, 1_000)
    most = getattr(limits, name)
    assert send(alice, most).status_code == taken
    for size in (most + 1, 10 * most):
        response = send(alice, size)
        assert response.status_code == refused
        assert any(words in response.content.decode() for words in sentence.split("|")), response.content.decode()


# What is neither: the newest takes the place of the oldest, or the server itself refuses.


def test_only_the_newest_pending_uploads_are_kept(alice, monkeypatch):
    def waiting():
        return list(Upload.objects.order_by("pk").values_list("pk", flat=True))

    for number in range(limits.MAX_PENDING_IMPORTS + 1):
        assert a_file(alice, None, number).status_code == 302
    assert len(waiting()) == limits.MAX_PENDING_IMPORTS and waiting()[0] > 1
    monkeypatch.setattr(limits, "MAX_PENDING_IMPORTS_TOTAL", limits.MAX_PENDING_IMPORTS)
    first = waiting()[0]
    assert a_file(Person(), None, 0).status_code == 302
    assert len(waiting()) == limits.MAX_PENDING_IMPORTS and first not in waiting()


def test_server_limits_the_request_size():
    most = limits.MAX_REQUEST_BYTES

    def sent(size):
        parser = HTTPRequestParser(Adjustments(**server.WAITRESS_OPTIONS))
        parser.received(f"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: {size}\r\n\r\n".encode())
        parser.close()
        return parser.error and parser.error.code

    assert [sent(size) for size in (most, most + 1, 10 * most)] == [None, 413, 413]
    assert most == settings.FILE_UPLOAD_MAX_MEMORY_SIZE > limits.MAX_FILE_BYTES


OTHERS = {"MAX_PENDING_IMPORTS", "MAX_PENDING_IMPORTS_TOTAL", "MAX_REQUEST_BYTES", "REFUSAL_PAGE_RATE"}
"""Tried above, and the last where tries are counted (tests/people/test_rate_limits.py)."""


def named():
    """The bounds with their sentences, as the module has them."""
    found, body = {}, ast.parse(Path(limits.__file__).read_text(encoding="utf-8")).body
    for line, after in pairwise(body):
        if isinstance(line, ast.Assign):
            found[line.targets[0].id] = after.value.value
    return found


def test_every_limit_has_a_test():
    assert {*COUNTED, *MEASURED, *OTHERS} == named().keys() == {name for name in vars(limits) if name.isupper()}


def spelt(value):
    if not isinstance(value, Rate):
        return f"{value:,}"
    ways = ((24 * 3600, "a day"), (3600, "an hour"), (60, "a minute"))
    way = next((way for seconds, way in ways if seconds == value.seconds), f"in {value.seconds // 60} minutes")
    return f"{value.limit:,} {way}"


def test_every_limit_is_documented():
    told = (settings.ROOT / "docs/operating.md").read_text(encoding="utf-8")
    for name, sentence in named().items():
        assert f"| {sentence} | {spelt(getattr(limits, name))} |\n" in told


def test_games_stay_within_the_limits():
    assert max(max(game.seats) for game in get_games().values()) == limits.MAX_SEATS
    assert MAX_POINTS == limits.MAX_POINTS


def test_viewer_cannot_become_scorer_beyond_the_limit(alice, table, monkeypatch):
    monkeypatch.setattr(limits, "MAX_SCORERS", 0)
    device = Device.objects.create(token_hash="v", label="A phone")
    guest = Attendance.objects.create(table=table, device=device, role="viewer")
    response = alice.send(reverse("guest", args=[table.public_id]), {"device": device.pk, "role": "scorer"})
    assert response.status_code == 422 and "others can watch" in response.content.decode()
    guest.refresh_from_db()
    assert guest.role == "viewer"


@pytest.mark.django_db(transaction=True)
def test_simultaneous_joins_do_not_exceed_the_limit(monkeypatch):
    monkeypatch.setattr(limits, "MAX_GUESTS", FEW)
    alice = Person()
    table = alice.open()
    code = door(alice, table, "viewer")
    monkeypatch.setattr(limits, "WRONG_CODE_RATE_PER_ADDRESS", Rate(1_000, 60))

    def come(number):
        guest = Person()
        token = f"{number:g>43}"
        Device.objects.create(token_hash=hash_token(token), label="A phone")
        guest.cookies[COOKIE_NAME] = token
        return joined(guest, code).status_code

    assert sorted(run_concurrently(come, range(3 * FEW))) == [302] * FEW + [404] * 2 * FEW
    assert table.attendances.count() == FEW
