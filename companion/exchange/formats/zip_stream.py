"""Zip archives written to disk and streamed from there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from tempfile import TemporaryFile
from typing import IO
from zipfile import ZIP_DEFLATED, ZipFile

CHUNK_SIZE = 64 * 1024


def stream_zip(files: Iterable[tuple[str, Iterable[bytes]]]) -> Iterator[bytes]:
    """Yield the zip of (name, chunks of content) in chunks."""
    with TemporaryFile() as buffer:
        with ZipFile(buffer, "w", ZIP_DEFLATED) as archive:
            for name, chunks in files:
                with archive.open(name, "w") as file:
                    for chunk in chunks:
                        file.write(chunk)
        yield from iter_chunks(buffer)


def iter_chunks(file: IO[bytes]) -> Iterator[bytes]:
    """Yield a file from its start in chunks."""
    file.seek(0)
    while chunk := file.read(CHUNK_SIZE):
        yield chunk
