"""Forty inputs that are known to break a naive Django view on some database."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from django.urls import reverse

from companion.people.models import Player
from tests.web.people import FIRST_PLAY, assert_all_pages_open, dump_database, new_key
from tests.web.verdicts import record_outcome

pytestmark = pytest.mark.hostile

FORM_TYPE = "application/x-www-form-urlencoded"
MULTIPART_TYPE = "multipart/form-data; boundary=b"
NUMBERS = [
    str(2**31), str(2**40), str(2**63), str(-(2**63) - 1), "1" + "0" * 30, "9" * 5_000, "NaN", "Infinity", "1e999",
    "1.9", "-0", "1_000", "٣", "²", "0x10",
]  # fmt: skip
TEXTS = ["\x00", "Bo\x00", "\ud800", "x" * 300, "\u202e", "\u200b", "\x85", "\u0378", "Z" + "\u0301" * 40]
TIMES = [("day", "2026-02-30"), ("day", "0000-00-00"), ("day", "9999-12-31"), ("time", "25:61"), ("minutes", "9" * 400)]
PATHS = ["tables/\x00/", "players/9223372036854775808/", "history/import/1e3/", "tables/\udcff/", "b/" + "A" * 5_000]
BODIES = [
    (b"note=\xe9", FORM_TYPE),
    (b"note=x", f"{FORM_TYPE}; charset=utf-7"),
    (b'--b\r\nContent-Disposition: form-data; name="note', MULTIPART_TYPE),
    (b"note%00=x&note=%ED%A0%80", FORM_TYPE),
    (b'{"note": NaN}', "application/json"),
    (b'{"note": ' * 100_000, "application/json"),
]
CASES = [
    *(("number", value) for value in NUMBERS),
    *(("text", value) for value in TEXTS),
    *(("time", value) for value in TIMES),
    *(("path", value) for value in PATHS),
    *(("body", value) for value in BODIES),
]


def send_everywhere(alice, table, kind, value):
    """Send the input to every field or URL that takes this kind, and yield the responses."""
    table_args = [table.public_id]
    if kind == "number":
        yield alice.send(reverse("record", args=table_args), {**FIRST_PLAY, "card": value, "key": new_key()})
        yield alice.count(table, 0, value, 1, 1)
        yield alice.send(reverse("record", args=table_args), {"kind": "undo", "target": value, "key": new_key()})
        for name, field in (("history", "before"), ("history", "player"), ("table", "round"), ("calculator", "seats")):
            args = {"table": table_args, "calculator": ["take-that"]}.get(name, [])
            yield alice.get(reverse(name, args=args), {field: value})
    elif kind == "text":
        yield alice.send(reverse("note", args=table_args), {"note": value})
        yield alice.send(
            reverse("details", args=table_args), {"new_place": value, "day": "2026-11-01", "time": "20:00"}
        )
        yield alice.send(reverse("new-table", args=["take-that"]), {"way": "pad", "new": value, "action": "open"})
        yield alice.send(
            reverse("change-player", args=[Player.objects.get(name="Bo").pk]), {"action": "rename", "name": value}
        )
        yield alice.send(reverse("keys"), {"action": "make", "label": value})
        yield alice.get("/history/?q=" + quote(value, errors="surrogatepass"))
    elif kind == "time":
        yield alice.send(
            reverse("details", args=table_args), {"day": "2026-11-01", "time": "20:00", value[0]: value[1]}
        )
    elif kind == "path":
        yield alice.get("/" + quote(value, errors="surrogatepass"))
    else:
        for name in ("note", "record", "details"):
            yield alice.generic("POST", reverse(name, args=table_args), value[0], content_type=value[1])


def test_there_are_forty_reported_inputs():
    assert len(CASES) == 40


@pytest.mark.parametrize(("kind", "value"), CASES, ids=[f"{kind}-{ascii(value)[:24]}" for kind, value in CASES])
def test_reported_inputs_break_nothing(alice, table, kind, value):
    before = dump_database()
    for number, response in enumerate(send_everywhere(alice, table, kind, value)):
        record_outcome(f"reported {CASES.index((kind, value))} {number}", response.status_code)
        assert response.status_code in (200, 302, 400, 404, 409, 422), number
        if response.status_code >= 400:
            assert dump_database() == before
        before = dump_database()
    assert_all_pages_open(alice, table)
