"""Encoding of JSON and times in exported files."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

from django.utils.timezone import localtime


def dump_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def iter_json_rows(values: Iterable[object]) -> Iterator[str]:
    """Yield the items of a JSON list, each on its own line."""
    for index, value in enumerate(values):
        yield (",\n" if index else "\n") + dump_json(value)


def format_utc(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat()


def format_local(moment: datetime) -> str:
    """Format a time in the server's time zone, without an offset."""
    return f"{localtime(moment):%Y-%m-%d %H:%M:%S}"
