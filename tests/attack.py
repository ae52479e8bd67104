"""The costliest requests a stranger can send, for the load test: the worst import and the worst PDF."""

from __future__ import annotations

import asyncio
import http.client
import json
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from companion.core.entry import Entry
from companion.core.log import Log
from companion.core.notation import build_options
from companion.exchange.formats import companion_json
from companion.games import get_generic_game

if TYPE_CHECKING:
    from tests.load import KeepAliveConnection, Observations

IMPORT_ENTRIES = 2_800
"""Counts in one round: the most work that an import may cause."""
SEATS, ROUNDS = 10, 490
"""Size of the table with 4,900 entries."""
PAUSE = 0.25
"""Seconds between a response and the next request."""
BOUNDARY = "a-part-of-the-form"


def build_table_file(public_id: str, counts: list[tuple[int, int, int]], seats: int, **options: str) -> bytes:
    """Return a file with one table of Any Game with these counts: round, seat and points."""
    game = get_generic_game()
    rows = [
        {
            "number": number, "key": f"key-{number:08d}", "kind": "count", "round": round_,
            "words": {"seat": str(seat), "points": str(points)}, "overruled": [], "game_version": game.about.version,
            "who": None, "at": "2025-11-20T20:00:00+00:00",
        }
        for number, (round_, seat, points) in enumerate(counts, 1)
    ]  # fmt: skip
    log = Log.empty(game, build_options(game, seats, options), seats)
    match = log.extend([_build_entry(row) for row in rows]).match
    table = {
        "id": public_id, "game": game.slug, "game_version": game.about.version, "options": options, "way": "pad",
        "note": "", "place": "", "began_at": "2025-11-20T20:00:00+00:00", "ended_at": None, "hides_counts": False,
        "seats": [f"p-{seat}" for seat in range(seats)], "devices": [], "entries": rows,
        "result": {
            "game_version": game.about.version,
            "totals": list(match.standing.totals), "ranks": list(match.standing.ranks),
            "rounds": len(match.finished_rounds),
        },
    }  # fmt: skip
    people = [{"id": f"p-{seat}", "name": f"Person {seat}", "colour": 0, "sign": "star"} for seat in range(seats)]
    file = {
        "format": companion_json.FORMAT,
        "version": companion_json.VERSION,
        "written_at": "2025-11-20T23:00:00+00:00",
    }
    return json.dumps({**file, "tables": [table], "players": people}).encode()


def _build_entry(row: dict[str, Any]) -> Entry:
    return Entry(row["number"], row["kind"], row["words"], row["round"])


def build_worst_import() -> bytes:
    """Return a file of less than 600 kB that takes seconds to replay."""
    counts = [(1, number % 4, number % 1_000) for number in range(IMPORT_ENTRIES)]
    return build_table_file("worst-import", counts, 4, name="Farm")


def build_long_table() -> bytes:
    counts = [(round_, seat, seat + round_) for round_ in range(1, ROUNDS + 1) for seat in range(SEATS)]
    return build_table_file("long-table-1", counts, SEATS, name="Farm")


def encode_upload_form(content: bytes, csrf: str) -> bytes:
    """Return the multipart body of an upload."""
    head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="csrfmiddlewaretoken"\r\n\r\n{csrf}\r\n'
    head += f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="plays.json"\r\n'
    head += "Content-Type: application/json\r\n\r\n"
    return head.encode() + content + f"\r\n--{BOUNDARY}--\r\n".encode()


def import_file(port: int, content: bytes, cookie: str, csrf: str) -> str:
    """Import a file over HTTP as the device of the cookie; return the URL of the matching page."""
    headers = {
        "Cookie": f"csrftoken={csrf}; device={cookie}",
        "Content-Type": f"multipart/form-data; boundary={BOUNDARY}",
        "X-Forwarded-For": "10.9.9.9",
        "X-Forwarded-Proto": "http",
    }
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("POST", "/history/import/", encode_upload_form(content, csrf), headers)
    response = connection.getresponse()
    response.read()
    assert response.status == 302, response.status
    url = str(response.headers["Location"])
    headers["Content-Type"] = "application/x-www-form-urlencoded"
    connection.request("POST", url, f"csrfmiddlewaretoken={csrf}".encode(), headers)
    response = connection.getresponse()
    response.read()
    assert response.status == 302, response.status
    connection.close()
    return url


async def request_repeatedly(
    observations: Observations, name: str, connection: KeepAliveConnection, path: str, until: float
) -> None:
    """Request a costly page over and over."""
    while time.monotonic() < until:
        began, status = time.perf_counter(), 0
        with suppress(OSError, EOFError, TimeoutError):
            status, _body = await connection.request("GET", path)
        if not status:
            connection.streams = None
        observations.record(name, status, time.perf_counter() - began, (0, 200, 503))
        await asyncio.sleep(PAUSE)


async def upload_repeatedly(
    observations: Observations, connection: KeepAliveConnection, content: bytes, csrf: str, number: int, until: float
) -> None:
    """Upload the worst file over and over, and load its matching page."""
    body = encode_upload_form(content, csrf)
    accepted, head = 0, connection.head
    while time.monotonic() < until:
        address = f"10.{number}.0.{accepted // 25 + 1}"  # changes before the upload limit
        connection.head = head + f"X-Forwarded-For: {address}\r\nX-Forwarded-Proto: http\r\n"
        began, status, url = time.perf_counter(), 0, ""
        with suppress(OSError, EOFError, TimeoutError):
            status, url = await connection.post("/history/import/", body, f"multipart/form-data; boundary={BOUNDARY}")
        if not status:
            connection.streams = None
        accepted += status == 302
        observations.record("import", status, time.perf_counter() - began, (0, 302, 503))
        for _ in range(3 if url else 0):
            began, status = time.perf_counter(), 0
            with suppress(OSError, EOFError, TimeoutError):
                status, _body = await connection.request("GET", url)
            if not status:
                connection.streams = None
            observations.record("match page", status, time.perf_counter() - began, (0, 200, 404, 503))
        await asyncio.sleep(PAUSE)
