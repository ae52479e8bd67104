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
from companion.games.any_game.plays import MAX_POINTS
from companion.history.models import Upload
from companion.limits import Rate
from companion.ops import server
from companion.people import services
from companion.people.auth import COOKIE_NAME, hash_token
from companion.people.models import Device
from companion.tables.models import Attendance, Table
from companion.tables.services import guests
from tests.faults.phones import run_concurrently
from tests.web.people import Person, create_guest, get_device

FEW = 3
"""The reduced value of limits that would take long to reach."""
NEW_TABLE_URL = reverse("new-table", args=["take-that"])


def get_first_table():
    return Table.objects.order_by("pk")[0]


def open_table(person, *names):
    seats = [("seat", f"n:{name}") for name in names]
    return person.send(NEW_TABLE_URL, [("way", "pad"), *seats, ("action", "open")])


def join(person, code, **more):
    return person.send(reverse("join"), {"code": code}, **more)


def join_from(number, code):
    """Join from a separate browser and address, so that no other limit is reached."""
    guest = Person()
    guest.cookies[settings.CSRF_COOKIE_NAME] = str(number)
    return join(guest, code, REMOTE_ADDR=f"10.0.{number}.1")


def open_door(alice, table, role):
    alice.send(reverse("door", args=[table.public_id]), {"role": role})
    return guests.get_open_door(table).code


# Quotas: how many exist at the start, how to add one more, the status of a refusal and its message


def add_player(alice, table, number):
    return open_table(alice, "Ann", f"Player {number}")


def add_device(alice, table, number):
    return join(Person(), services.create_invitation(table.circle, by=None))


def add_round(alice, table, number):
    for seat in range(3):
        response = alice.count(table, seat, 12, 10, 1, round=min(number, FEW) + 1, insist="deal")
    return response


def add_entry(alice, table, number):
    return alice.enter(table, kind="close" if number in (0, 2) else "reopen")


def add_guest_entry(alice, table, number):
    guest = create_guest(table) if number == 0 else Person()
    guest.cookies[COOKIE_NAME] = f"{'scorer':-<43}"
    return guest.count(table, number % 3, 4, 4, 0, round=1 + number // 3, insist="deal")


def add_guest(alice, table, number):
    return join_from(number, open_door(alice, table, "viewer"))


def add_scorer(alice, table, number):
    return join_from(number, open_door(alice, table, "scorer"))


def add_table(alice, table, number):
    return open_table(alice, "Ann", "Bo")


def add_circle(alice, table, number):
    return open_table(Person(), "Ann", "Bo")


def enter_wrong_code(alice, table, number):
    return join(alice, "ACDEFG", REMOTE_ADDR=f"10.0.{number}.1")


def enter_wrong_code_from_same_address(alice, table, number):
    return join(Person(), "ACDEFG")


def enter_wrong_code_from_new_address(alice, table, number):
    return join(Person(), "ACDEFG", REMOTE_ADDR=f"10.0.{number}.1")


def enter_wrong_key(alice, table, number):
    return join(Person(), "k" * 27)


def create_api_key(alice, table, number):
    return alice.send(reverse("keys"), {"label": "A program"})


def call_api(alice, table, number):
    if not hasattr(alice, "program"):
        alice.program = keys.create_key(get_device(alice), table.circle, label="A program")
    return alice.get(reverse("api"), headers={"authorization": f"Bearer {alice.program}"})


def upload_file(alice, table, number, size=0):
    text = b"game take-that\nseats 3\n"
    return alice.post(reverse("import"), {"file": BytesIO(text.ljust(size, b"#"))})


QUOTAS = {
    "MAX_PLAYERS": (3, add_player, 422, "can have at most"),
    "MAX_DEVICES": (1, add_device, 422, "phones. Remove one first"),
    "MAX_ROUNDS": (0, add_round, 400, "can have at most"),
    "MAX_ENTRIES": (0, add_entry, 400, "log is full"),
    "MAX_GUESTS": (0, add_guest, 404, "or the table is full"),
    "MAX_SCORERS": (0, add_scorer, 404, "or the table is full"),
    "GUEST_ENTRY_RATE": (0, add_guest_entry, 429, "Too many entries from this phone"),
    "NEW_TABLE_RATE": (0, add_table, 429, "Too many tables opened"),
    "NEW_CIRCLE_RATE": (0, add_circle, 429, "Too many tables opened"),
    "WRONG_CODE_RATE_PER_DEVICE": (0, enter_wrong_code, 429, "Too many wrong codes"),
    "WRONG_CODE_RATE_PER_ADDRESS": (0, enter_wrong_code_from_same_address, 429, "Too many wrong codes"),
    "WRONG_CODE_RATE_PER_SERVER": (0, enter_wrong_code_from_new_address, 429, "Too many wrong codes"),
    "WRONG_KEY_RATE": (0, enter_wrong_key, 429, "Too many wrong codes"),
    "MAX_API_KEYS": (0, create_api_key, 422, "Revoke one first."),
    "API_REQUEST_RATE": (0, call_api, 429, "too many requests"),
    "UPLOAD_RATE": (0, upload_file, 429, "Too many files uploaded"),
}


@pytest.mark.parametrize("name", QUOTAS)
def test_exceeding_a_quota_is_rejected_with_a_message(alice, name, monkeypatch):
    initial, attempt, status, message = QUOTAS[name]
    limit = getattr(limits, name)
    monkeypatch.setattr(limits, name, Rate(FEW, limit.seconds) if isinstance(limit, Rate) else FEW + initial)
    table = alice.open(rounds="99") if name == "MAX_ROUNDS" else get_first_table()
    room = FEW if not isinstance(limit, Rate) else FEW - initial
    for number in range(10 * FEW):
        response = attempt(alice, table, number)
        if number < room:
            assert response.status_code in (200, 302, 404), (number, response.content.decode()[-400:])
            assert message not in response.content.decode() or status == 404
        else:
            assert response.status_code == status, number
            assert message in response.content.decode()
            assert status != 429 or int(response["Retry-After"]) > 0
    table.refresh_from_db()
    assert table.version == {"MAX_ROUNDS": 3 * FEW, "MAX_ENTRIES": FEW, "GUEST_ENTRY_RATE": FEW}.get(name, 0)


# Sizes: at the limit, one more, and ten times as much


def send_name(alice, size):
    return alice.send(NEW_TABLE_URL, {"action": "add", "new": "x" * size})


def send_note(alice, size):
    return alice.send(reverse("note", args=[get_first_table().public_id]), {"note": "x" * size})


def send_seats(alice, size):
    url = reverse("new-table", args=["any-game"])
    return alice.send(url, [*(("seat", f"n:P{n}") for n in range(size)), ("option.name", "Skat"), ("action", "open")])


def send_points(alice, size):
    return alice.count(get_first_table(), 0, size, 1, 1, insist=["deal", "cards"])


def send_file(alice, size):
    return upload_file(alice, None, 0, size)


def send_form(alice, size):
    path = reverse("record", args=[get_first_table().public_id])
    return alice.post(path, "key=".ljust(size, "x"), content_type="application/x-www-form-urlencoded")


def send_fields(alice, size):
    return alice.send(reverse("record", args=[get_first_table().public_id]), [("x", "1")] * size)


SIZE_LIMITS = {
    "MAX_NAME_LENGTH": (send_name, 200, 422, "at most 40 characters"),
    "MAX_NOTE_LENGTH": (send_note, 302, 400, "at most 500 characters"),
    "MAX_SEATS": (send_seats, 302, 422, "between 1 and 12|12 players"),
    "MAX_POINTS": (send_points, 422, 400, "too much for the sheet"),
    "MAX_FILE_BYTES": (send_file, 302, 422, "The file is too large"),
    "MAX_FORM_BYTES": (send_form, 400, 413, "That’s too much at once"),
    "MAX_FORM_FIELDS": (send_fields, 400, 413, "That’s too much at once"),
}


@pytest.mark.parametrize("name", SIZE_LIMITS)
def test_exceeding_a_size_limit_is_rejected_with_a_message(alice, name, monkeypatch):
    send, accepted_status, refused_status, messages = SIZE_LIMITS[name]
    if name == "MAX_FILE_BYTES":
        monkeypatch.setattr(limits, name, 1_000)
    maximum = getattr(limits, name)
    assert send(alice, maximum).status_code == accepted_status
    for size in (maximum + 1, 10 * maximum):
        response = send(alice, size)
        assert response.status_code == refused_status
        assert any(text in response.content.decode() for text in messages.split("|")), response.content.decode()


# Other limits: the newest replaces the oldest, or the server itself refuses


def test_only_the_newest_pending_uploads_are_kept(alice, monkeypatch):
    def list_uploads():
        return list(Upload.objects.order_by("pk").values_list("pk", flat=True))

    for number in range(limits.MAX_PENDING_IMPORTS + 1):
        assert upload_file(alice, None, number).status_code == 302
    assert len(list_uploads()) == limits.MAX_PENDING_IMPORTS and list_uploads()[0] > 1
    monkeypatch.setattr(limits, "MAX_PENDING_IMPORTS_TOTAL", limits.MAX_PENDING_IMPORTS)
    oldest = list_uploads()[0]
    assert upload_file(Person(), None, 0).status_code == 302
    assert len(list_uploads()) == limits.MAX_PENDING_IMPORTS and oldest not in list_uploads()


def test_server_limits_the_request_size():
    maximum = limits.MAX_REQUEST_BYTES

    def parse_request(size):
        parser = HTTPRequestParser(Adjustments(**server.WAITRESS_OPTIONS))
        parser.received(f"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: {size}\r\n\r\n".encode())
        parser.close()
        return parser.error and parser.error.code

    assert [parse_request(size) for size in (maximum, maximum + 1, 10 * maximum)] == [None, 413, 413]
    assert maximum == settings.FILE_UPLOAD_MAX_MEMORY_SIZE > limits.MAX_FILE_BYTES


OTHER_LIMITS = {"MAX_PENDING_IMPORTS", "MAX_PENDING_IMPORTS_TOTAL", "MAX_REQUEST_BYTES", "REFUSAL_PAGE_RATE"}
"""Tested above; the last one in tests/people/test_rate_limits.py."""


def read_limit_docstrings():
    """Return the docstring of each limit in the module."""
    docstrings, body = {}, ast.parse(Path(limits.__file__).read_text(encoding="utf-8")).body
    for statement, following in pairwise(body):
        if isinstance(statement, ast.Assign):
            docstrings[statement.targets[0].id] = following.value.value
    return docstrings


def test_every_limit_has_a_test():
    assert (
        {*QUOTAS, *SIZE_LIMITS, *OTHER_LIMITS}
        == read_limit_docstrings().keys()
        == {name for name in vars(limits) if name.isupper()}
    )


def format_limit(value):
    if not isinstance(value, Rate):
        return f"{value:,}"
    periods = ((24 * 3600, "a day"), (3600, "an hour"), (60, "a minute"))
    period = next(
        (period for seconds, period in periods if seconds == value.seconds), f"in {value.seconds // 60} minutes"
    )
    return f"{value.limit:,} {period}"


def test_every_limit_is_documented():
    documentation = (settings.ROOT / "docs/operating.md").read_text(encoding="utf-8")
    for name, docstring in read_limit_docstrings().items():
        assert f"| {docstring} | {format_limit(getattr(limits, name))} |\n" in documentation


def test_games_stay_within_the_limits():
    assert max(max(game.about.seats) for game in get_games().values()) == limits.MAX_SEATS
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
    code = open_door(alice, table, "viewer")
    monkeypatch.setattr(limits, "WRONG_CODE_RATE_PER_ADDRESS", Rate(1_000, 60))

    def join_as_guest(number):
        guest = Person()
        token = f"{number:g>43}"
        Device.objects.create(token_hash=hash_token(token), label="A phone")
        guest.cookies[COOKIE_NAME] = token
        return join(guest, code).status_code

    assert sorted(run_concurrently(join_as_guest, range(3 * FEW))) == [302] * FEW + [404] * 2 * FEW
    assert table.attendances.count() == FEW
