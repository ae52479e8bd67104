"""Entries made during an outage, and their comparison with the database."""

from __future__ import annotations

import json
import sqlite3
import urllib.error
import urllib.request
from contextlib import closing
from pathlib import Path

from tests.faults.phones import Phone

SEATS = 4
NOT_NOW = 503


def key(number: int) -> str:
    return f"count-number-{number}"


def enter(phone: Phone, url: str, number: int) -> int:
    """The status of the answer to a count: the same number is the same count, for ever."""
    turn, seat = divmod(number, SEATS)
    sent = [("key", key(number)), ("round", str(turn + 1)), (f"count.{seat}.points", str(number))]
    return phone.ask("POST", f"{url}entries/", sent)[0]


def kept(path: Path) -> list[str]:
    """The keys of all entries in the file, which is whole."""
    with closing(sqlite3.connect(path)) as file:
        assert file.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return [row[0].partition(".")[0] for row in file.execute("SELECT key FROM tables_entry ORDER BY id")]


def ready(port: int) -> tuple[int, dict[str, str]]:
    """What /readyz says."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=30) as response:
            return response.status, json.loads(response.read())["checks"]
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.loads(error.read())["checks"]
