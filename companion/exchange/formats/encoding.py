"""Encoding of exported files: JSON, times and zip archives."""

import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from tempfile import TemporaryFile
from typing import IO
from zipfile import ZIP_DEFLATED, ZipFile

from django.utils.timezone import localtime

CHUNK_SIZE = 64 * 1024


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


def stream_zip(files: Iterable[tuple[str, Iterable[bytes]]]) -> Iterator[bytes]:
    """Yield the zip of (name, chunks of content) in chunks."""
    with TemporaryFile() as buffer:
        with ZipFile(buffer, "w", ZIP_DEFLATED) as archive:
            for name, chunks in files:
                with archive.open(name, "w") as file:
                    file.writelines(chunks)
        yield from iter_chunks(buffer)


def iter_chunks(file: IO[bytes]) -> Iterator[bytes]:
    """Yield a file from its start in chunks."""
    file.seek(0)
    while chunk := file.read(CHUNK_SIZE):
        yield chunk
