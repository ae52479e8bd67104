"""Log of outcomes of hostile input, for comparing SQLite and PostgreSQL."""

from __future__ import annotations

import hashlib
import os
from datetime import datetime
from pathlib import Path

from django.core.management.color import no_style
from django.db import connection

from companion.history.models import ApiKey
from companion.people.models import Circle, Device, Membership, Player
from companion.tables.models import Attendance, Door, Entry, Place, Seat, Table
from tests.web.people import STORED_MODELS

OUTCOME_FILE = os.environ.get("VERDICTS", "")
"""File with one line per case: its name, the status, and a hash of the stored data."""
COMPARED_FIELDS = (
    (Player, ("name", "colour", "sign", "left_at")),
    (Place, ("name",)),
    (Device, ("label",)),
    (Membership, ()),
    (ApiKey, ("label",)),
    (Table, ("game", "options", "mode", "version", "is_over", "is_closed", "result", "note", "hides_counts")),
    (Seat, ("number", "player__name")),
    (Attendance, ("role", "seat")),
    (Door, ("role",)),
    (Entry, ("number", "kind", "round", "words", "overruled")),
    (Circle, ()),
)
"""Fields that are the same on every database: no ids, times or random values."""


def record_outcome(case: str, status: int) -> None:
    if OUTCOME_FILE:
        with Path(OUTCOME_FILE).open("a", encoding="utf-8") as file:
            file.write(f"{case}\t{status}\t{_hash_database()}\n")


def reset_sequences() -> None:
    """Restart primary keys at 1, as SQLite does after a rollback."""
    with connection.cursor() as cursor:
        for line in connection.ops.sequence_reset_sql(no_style(), [*STORED_MODELS, ApiKey]):
            cursor.execute(line)


def _hash_database() -> str:
    tables = [
        sorted(map(_format_row, model.objects.values_list(*(names or ["pk"])))) for model, names in COMPARED_FIELDS
    ]
    compared = [rows if names else len(rows) for rows, (_model, names) in zip(tables, COMPARED_FIELDS, strict=True)]
    return hashlib.sha256(repr(compared).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _format_row(values: tuple[object, ...]) -> str:
    return repr(["then" if isinstance(value, datetime) else _sort_keys(value) for value in values])


def _sort_keys(value: object) -> object:
    """Sort the keys of JSON objects: PostgreSQL does not keep their order."""
    return sorted(value.items()) if isinstance(value, dict) else value
