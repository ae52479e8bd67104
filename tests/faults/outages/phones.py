"""Entries sent during an outage, and the stored ones."""

from __future__ import annotations

import json
import sqlite3
import urllib.error
import urllib.request
from contextlib import closing
from pathlib import Path

from tests.faults.phones import Phone

SEATS = 4
UNAVAILABLE = 503


def entry_key(number: int) -> str:
    return f"count-number-{number}"


def enter_count(phone: Phone, url: str, number: int) -> int:
    """Send a count; return the status. The number determines key, seat, round and points."""
    index, seat = divmod(number, SEATS)
    fields = [("key", entry_key(number)), ("round", str(index + 1)), (f"count.{seat}.points", str(number))]
    return phone.request("POST", f"{url}entries/", fields)[0]


def read_entry_keys(path: Path) -> list[str]:
    """Return the keys of all entries in the file; assert that it is intact."""
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return [row[0].partition(".")[0] for row in connection.execute("SELECT key FROM tables_entry ORDER BY id")]


def get_readiness(port: int) -> tuple[int, dict[str, str]]:
    """Return the status and checks of /readyz."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=30) as response:
            return response.status, json.loads(response.read())["checks"]
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.loads(error.read())["checks"]
