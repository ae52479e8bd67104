"""Request log, security events and redaction."""

import json
import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO, StringIO

import pytest
from django.db import OperationalError
from django.test import Client
from django.urls import reverse

from companion.api import keys
from companion.db import errors
from companion.history.players import erase
from companion.ops.health.readiness import run_checks
from companion.ops.health.startup import log_database_settings
from companion.people import services
from companion.people.auth import COOKIE_NAME
from companion.people.models import Player
from companion.people.rate_limits import build_limit_error
from companion.tables.services import guests
from companion.web.logging import Event, JsonFormatter, TextFormatter, describe_exception, sanitize_text
from tests.web.people import Person, create_guest, get_device

HOSTILE = ["\r\n{}", "\x1b[2J", "\u2028", "\u202e", "\x00", "\x85", '"}\n{"level": "x']


@contextmanager
def capture_log(formatter=JsonFormatter, level=logging.INFO) -> Iterator[StringIO]:
    stream = StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(formatter())
    root, app_logger = logging.getLogger(), logging.getLogger("companion")
    root.addHandler(handler)
    app_logger.setLevel(level)
    try:
        yield stream
    finally:
        root.removeHandler(handler)
        app_logger.setLevel(logging.NOTSET)


def parse_lines(stream):
    """Return the lines, parsed as JSON, after asserting that they are printable ASCII."""
    text = stream.getvalue()
    assert re.fullmatch("(?:[ -~]+\n)*", text), ascii(text)
    records = [json.loads(line) for line in text.splitlines()]
    assert sanitize_text(str(records)[:500]) == str(records)[:500]
    return records


def test_request_is_logged_with_route_status_and_role(alice, table):
    with capture_log() as stream:
        response = alice.get(reverse("table", args=[table.public_id]))
    [line] = parse_lines(stream)
    assert line["request"] == response["X-Request-ID"]
    assert (line["route"], line["method"], line["status"], line["role"]) == ("table", "GET", 200, "circle")
    assert re.fullmatch("[0-9a-f]{10}", line["device"]) and line["ms"] > 0
    assert line["network"] == "127.0.0.0/24"


@pytest.mark.parametrize("odd", HOSTILE, ids=ascii)
def test_log_lines_contain_no_control_characters(alice, table, odd):
    evil = f"evil{odd}evil"
    agent = evil.encode("latin-1", "replace").decode("latin-1")
    body = {"action": "add", "new": evil, "way": "pad"}
    requests = [
        lambda: alice.get(f"/tables/{evil}/".encode(errors="replace").decode(), headers={"user-agent": agent}),
        lambda: alice.generic(f"EVIL{odd}", "/", headers={"x-request-id": agent, "host": "localhost"}),
        lambda: alice.send(reverse("new-table", args=["take-that"]), body),
        lambda: alice.enter(table, kind=evil, evil=evil),
        lambda: alice.send(reverse("import"), body, REMOTE_ADDR=evil),
    ]
    for send_request in requests:
        with capture_log() as stream:
            send_request()
        records = parse_lines(stream)
        assert [line["logger"] for line in records].count("companion.request") == 1
        assert "evil" not in stream.getvalue().lower()


def test_uploaded_file_names_are_not_logged(alice):
    for odd in HOSTILE[:4]:
        file = BytesIO(b"no file of tables")
        file.name = f"evil{odd}evil.txt"
        with capture_log() as stream:
            alice.post(reverse("import"), {"file": file})
        assert [line.get("event") for line in parse_lines(stream)] == ["import refused", None]
        assert "evil" not in stream.getvalue()


def test_names_and_keys_are_never_logged(db):
    alice = Person(REMOTE_ADDR="203.0.113.77")
    with capture_log(level=logging.DEBUG) as stream:
        table = alice.open(names=("Annabel", "Bobby", "Cleopatra"))
        alice.enter(table, kind="extend", seat=1, card=34)
        alice.send(reverse("note", args=[table.public_id]), {"note": "A secret note"})
        alice.send(reverse("door", args=[table.public_id]), {"role": "scorer"})
        code, key = guests.get_open_door(table).code, services.create_invitation(table.circle, by=None)
        program = keys.create_key(get_device(alice), table.circle, label="Kettle")
        for secret in (code, key, "WRONG9"):
            Person(REMOTE_ADDR="2001:db8:77:2::7").send(reverse("join"), {"code": secret})
        alice.get(reverse("api-tables"), {"q": "Annabel"}, headers={"authorization": f"Bearer {program}"})
        alice.get(reverse("history"), {"q": "Annabel"})
        Player.objects.get(name="Bobby")
        alice.get(f"/nowhere/{code}")
    secrets = ["Annabel", "Bobby", "Cleopatra", "secret", "Kettle", code, key, program, "WRONG9", table.public_id]
    secrets += [alice.cookies[name].value for name in (COOKIE_NAME, "csrftoken")]
    secrets += [get_device(alice).token_hash, "203.0.113.77", "2001:db8:77:2"]
    assert [secret for secret in secrets if secret in stream.getvalue()] == []
    assert {line["network"] for line in parse_lines(stream)} == {"203.0.113.0/24", "2001:db8:77::/48"}


def enter_wrong_code(alice, table):
    Person().send(reverse("join"), {"code": "ACDEFG"})


def enter_wrong_invitation(alice, table):
    Person().send(reverse("join"), {"code": "k" * 27})


def use_wrong_api_key(alice, table):
    Person().get(reverse("api"), headers={"authorization": "Bearer " + "k" * 27})


def request_wrong_host(alice, table):
    Person().get("/", headers={"host": "evil.example"})


def post_without_csrf_token(alice, table):
    Client(enforce_csrf_checks=True).post(reverse("join"), {"code": "ACDEFG"})


def reach_limit(alice, table):
    build_limit_error("MAX_API_KEYS", None)


def import_invalid_file(alice, table):
    alice.post(reverse("import"), {"file": BytesIO(b"x")})


def remove_guest(alice, table):
    guest = create_guest(table)
    alice.send(reverse("guest", args=[table.public_id]), {"device": get_device(guest).pk})


def erase_player(alice, table):
    erase.erase_player(Player.objects.get(name="Bo"), by=None)


EVENTS = {
    Event.WRONG_CODE: enter_wrong_code, Event.REFUSED_GRANT: enter_wrong_invitation, Event.WRONG_KEY: use_wrong_api_key,
    Event.WRONG_HOST: request_wrong_host, Event.CSRF_FAILURE: post_without_csrf_token, Event.LIMIT_REACHED: reach_limit,
    Event.IMPORT_REFUSED: import_invalid_file, Event.DEVICE_REMOVED: remove_guest, Event.PLAYER_ERASED: erase_player,
}  # fmt: skip


@pytest.mark.parametrize("event", Event)
def test_security_events_are_logged(alice, table, event, monkeypatch):
    monkeypatch.setattr(erase, "truncate_wal", lambda: None)  # impossible inside the transaction of a test
    with capture_log() as stream:
        EVENTS[event](alice, table)
    events = [line["event"] for line in parse_lines(stream) if line["logger"] == "companion.security"]
    assert events == [event]


def raise_value_error():
    try:
        raise KeyError("Annabel")
    except KeyError:
        raise ValueError("Bobby said\n\x1b so") from None


def catch_value_error():
    try:
        raise_value_error()
    except ValueError as error:
        return error


def test_errors_are_logged_without_message_unless_configured(settings):
    [description] = describe_exception(catch_value_error())
    assert description.keys() == {"type", "at"} and description["type"] == "ValueError"
    assert re.fullmatch(r"tests/web/test_logging\.py:[0-9]+", description["at"][-1])
    settings.LOG_LEVEL = "DEBUG"
    assert describe_exception(catch_value_error())[0]["message"] == "Bobby said·· so"


def test_failed_request_is_one_line_with_its_location(alice, monkeypatch):
    monkeypatch.setattr("companion.site.views.list_past_tables", lambda *_: raise_value_error())
    alice.raise_request_exception = False
    with capture_log() as stream:
        assert alice.get("/").status_code == 500
    [line] = parse_lines(stream)
    assert line["level"] == "ERROR" and line["failure"][0]["type"] == "ValueError" and "Bobby" not in stream.getvalue()


def test_library_messages_are_logged_without_values():
    with capture_log() as stream:
        logging.getLogger("waitress").warning("Client disconnected while serving " + "/tables/Annabel or so/")
        logging.getLogger("waitress").warning("Exception from %s", "Annabel")
    assert [line["message"] for line in parse_lines(stream)] == [
        "Client disconnected while serving …",
        "Exception from %s",
    ]


def test_settings_and_database_errors_are_logged_in_full(transactional_db):
    def fail_check():
        raise OperationalError("disk I/O\nerror")

    with capture_log() as stream:
        log_database_settings()
        errors.log_transient_error(OperationalError("database is\nlocked"))
        run_checks({"write": fail_check})
    database_settings, *messages = (line["message"] for line in parse_lines(stream))
    assert database_settings.startswith("Database: ") and (
        "synchronous FULL" in database_settings or "PostgreSQL 1" in database_settings
    )
    assert messages[-2:] == [
        "The database is unavailable; answered a request with 503: database is locked",
        "Not ready: disk I/O error",
    ]


def test_terminal_format_is_readable(alice):
    with capture_log(TextFormatter) as stream:
        alice.get("/nowhere/\r\n\x1b")
    assert re.fullmatch(r"[0-9:]{8} INFO companion\.request request=\w+ method=GET status=404 .*\n", stream.getvalue())


@pytest.mark.parametrize(
    ("given", "proxy", "is_taken"),
    [
        ("0123456789abcdef0123456789abcdef", "127.0.0.1", True),
        ("01234567-89ab-cdef-0123-456789abcdef", "127.0.0.1", True),
        ("01234567-89ab-cdef-0123-456789abcdef", "", False),
        ("Annabel", "127.0.0.1", False),
        ("0123456789abcdef0123456789abcdef\n", "127.0.0.1", False),
    ],
)
def test_request_id_is_accepted_from_a_trusted_proxy_only(settings, given, proxy, is_taken):
    settings.TRUSTED_PROXY = proxy
    headers = {"x-request-id": given, "x-forwarded-for": "203.0.113.7"}
    assert (Client().get("/nowhere/", headers=headers)["X-Request-ID"] == given) == is_taken
    del headers["x-forwarded-for"]
    assert Client().get("/nowhere/", headers=headers)["X-Request-ID"] != given


def test_static_files_and_polls_are_logged_only_if_configured(alice, table):
    def ask():
        alice.head("/static/icons/icon.svg")
        alice.get(reverse("news", args=[table.public_id]), headers={"if-none-match": '"0"'})

    with capture_log() as stream:
        ask()
    assert parse_lines(stream) == []
    with capture_log(level=logging.DEBUG) as stream:
        ask()
    assert [line["route"] for line in parse_lines(stream)] == ["static", "news"]
