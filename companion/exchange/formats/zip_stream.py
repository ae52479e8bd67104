"""Several files in one: written to the disk one after the other, so that no archive is ever whole in memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from tempfile import TemporaryFile
from typing import IO
from zipfile import ZIP_DEFLATED, ZipFile

CHUNK_SIZE = 64 * 1024


def stream_zip(files: Iterable[tuple[str, Iterable[bytes]]]) -> Iterator[bytes]:
    """The archive of files, each a name and what is in it, in pieces."""
    with TemporaryFile() as kept:
        with ZipFile(kept, "w", ZIP_DEFLATED) as archive:
            for name, pieces in files:
                with archive.open(name, "w") as file:
                    for piece in pieces:
                        file.write(piece)
        yield from iter_chunks(kept)


def iter_chunks(kept: IO[bytes]) -> Iterator[bytes]:
    """A file on the disk from its beginning."""
    kept.seek(0)
    while piece := kept.read(CHUNK_SIZE):
        yield piece
