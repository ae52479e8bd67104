"""Record of the outcomes of hostile input, to compare databases."""

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

FILE = os.environ.get("VERDICTS", "")
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
    if FILE:
        with Path(FILE).open("a", encoding="utf-8") as file:
            file.write(f"{case}\t{status}\t{_told()}\n")


def reset_sequences() -> None:
    """Rows are numbered from 1 again, as they are on SQLite after every test that was rolled back."""
    with connection.cursor() as cursor:
        for line in connection.ops.sequence_reset_sql(no_style(), [*STORED_MODELS, ApiKey]):
            cursor.execute(line)


def _told() -> str:
    told = [sorted(map(_row, model.objects.values_list(*(names or ["pk"])))) for model, names in COMPARED_FIELDS]
    counted = [rows if names else len(rows) for rows, (_model, names) in zip(told, COMPARED_FIELDS, strict=True)]
    return hashlib.sha256(repr(counted).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _row(values: tuple[object, ...]) -> str:
    return repr(["then" if isinstance(value, datetime) else _sorted(value) for value in values])


def _sorted(value: object) -> object:
    """JSON without an order of its own: PostgreSQL keeps none."""
    return sorted(value.items()) if isinstance(value, dict) else value
