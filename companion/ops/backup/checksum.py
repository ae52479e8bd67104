"""What makes an SQLite file a backup: what it says of itself, and a seal that a single changed bit breaks."""

from __future__ import annotations

import hashlib
import json
import mmap
import os
import secrets
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

APPLICATION_ID = int.from_bytes(b"cmpn")
"""SQLite's application id of a backup."""
FORMAT_VERSION = 1
METADATA_TABLE = "companion_backup"
_MAGIC = b"SQLite format 3\0"


class BadBackup(Exception):
    """The file is no backup that can be put back; the text is a sentence."""


@dataclass(frozen=True)
class BackupInfo:
    """What a backup says of itself."""

    made_at: datetime
    migrations: frozenset[tuple[str, str]]
    """App and name of those that had been applied."""
    counts: Mapping[str, int]
    """Rows by the name of the table."""


def check_integrity(path: Path, *, has_new_indexes: bool = False) -> None:
    """Raises BadBackup where SQLite finds the file damaged, or a row that points to none.

    Whether each index has each row is not asked where they have just been made: it takes four fifths of the time.
    """
    check = "quick_check" if has_new_indexes else "integrity_check"
    try:
        with closing(sqlite3.connect(path)) as file:
            found = file.execute(f"PRAGMA {check}(1)").fetchone()[0]
            lost = file.execute("PRAGMA foreign_key_check").fetchone()
    except sqlite3.DatabaseError as error:
        raise BadBackup(f"The database is damaged: {error}.") from error
    if found != "ok":
        raise BadBackup(f"The database is damaged: {found}.")
    if lost:
        raise BadBackup(f"The database is damaged: a row of {lost[0]} belongs to one of {lost[2]} that is not there.")


def write_metadata(path: Path, made_at: datetime) -> BackupInfo:
    """Writes into a copy of the database what it is, and the seal over all of its bytes, down to the disk."""
    token = secrets.token_hex(32)
    with closing(sqlite3.connect(path, isolation_level=None)) as file:
        file.execute("PRAGMA journal_mode = DELETE")  # whatever the original had: one file
        described = BackupInfo(made_at, _migrations(file), _counts(file))
        file.execute("BEGIN")
        file.execute(f"CREATE TABLE {METADATA_TABLE} (content TEXT NOT NULL, seal TEXT NOT NULL)")
        file.execute(f"INSERT INTO {METADATA_TABLE} VALUES (?, ?)", [_content(described), token])
        file.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        file.execute("COMMIT")
    with open(path, "r+b") as written:
        digest, place = _digest(written.fileno(), token)
        written.seek(place)
        written.write(digest.encode())
        written.flush()
        os.fsync(written.fileno())
    return described


def remove_metadata(path: Path) -> None:
    """Makes a copy of a backup a database again."""
    with closing(sqlite3.connect(path)) as file:
        file.execute(f"DROP TABLE {METADATA_TABLE}")
        file.execute("PRAGMA application_id = 0")
        file.commit()


def verify_backup(path: Path) -> BackupInfo:
    """What the backup says of itself. Raises BadBackup for a file that is damaged, or none of ours."""
    try:
        with path.open("rb") as file:
            head = file.read(100)
    except OSError as error:
        raise BadBackup(f"{path} cannot be read: {error.strerror}.") from error
    if not head.startswith(_MAGIC) or head[68:72] != APPLICATION_ID.to_bytes(4):
        raise BadBackup(f"{path} is no backup of the companion, or its beginning is damaged.")
    try:
        content, token = _own_words(path)
        with path.open("rb") as file:
            digest, _place = _digest(file.fileno(), token)
        if digest != token:
            raise ValueError("the seal is broken")
        said = json.loads(content)
        if said["format"] > FORMAT_VERSION:
            raise BadBackup(f"{path} was made by a newer release of the companion. Update it first.")
        migrations = frozenset((app, name) for app, name in said["migrations"])
        return BackupInfo(datetime.fromisoformat(said["made_at"]), migrations, said["counts"])
    except (sqlite3.DatabaseError, ValueError, TypeError, KeyError, OSError) as error:
        raise BadBackup(f"{path} is damaged: it is not as it was written.") from error


def _own_words(path: Path) -> tuple[str, str]:
    """What the backup holds of itself, and its seal."""
    with open_readonly(path) as file:
        content, token = file.execute(f"SELECT content, seal FROM {METADATA_TABLE}").fetchone()
    return str(content), str(token)


@contextmanager
def open_readonly(path: Path) -> Iterator[sqlite3.Connection]:
    """The file, which nobody else writes to, and which is not written to."""
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as file:
        yield file


def _digest(descriptor: int, token: str) -> tuple[str, int]:
    """The hash of all bytes but the seal, and where that lies. Raises ValueError where it is not there just once."""
    word = token.encode("ascii")
    with mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ) as content:
        place = content.find(word)
        if len(word) != 64 or place < 0 or content.find(word, place + 1) >= 0:
            raise ValueError("no seal")
        digest = hashlib.sha256()
        with memoryview(content) as view, view[:place] as before, view[place + 64 :] as after:
            digest.update(before)
            digest.update(bytes(64))
            digest.update(after)
    return digest.hexdigest(), place


def _content(described: BackupInfo) -> str:
    said: dict[str, Any] = {
        "app": "companion",
        "format": FORMAT_VERSION,
        "made_at": described.made_at.isoformat(),
        "migrations": sorted(described.migrations),
        "counts": dict(described.counts),
    }
    return json.dumps(said)


def _migrations(file: sqlite3.Connection) -> frozenset[tuple[str, str]]:
    return frozenset(file.execute("SELECT app, name FROM django_migrations"))


def _counts(file: sqlite3.Connection) -> dict[str, int]:
    names = file.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite~_%' ESCAPE '~'")
    return {name: file.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0] for (name,) in names.fetchall()}
