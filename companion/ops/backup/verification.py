"""Metadata and checksum of a backup file."""

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

from django.core.management.base import CommandError

APPLICATION_ID = int.from_bytes(b"cmpn")
"""SQLite application id of a backup."""
FORMAT_VERSION = 1
METADATA_TABLE = "companion_backup"
_MAGIC = b"SQLite format 3\0"


class BadBackup(CommandError):
    """The file is not a backup that can be restored."""


@dataclass(frozen=True)
class BackupInfo:
    """Metadata of a backup."""

    made_at: datetime
    migrations: frozenset[tuple[str, str]]
    """App and name of the applied migrations."""
    counts: Mapping[str, int]
    """Rows by table name."""


def check_integrity(path: Path, *, has_new_indexes: bool = False) -> None:
    """Raise BadBackup if SQLite finds the file damaged, or a foreign key that points nowhere.

    `has_new_indexes` skips the comparison of indexes with rows, which takes four fifths of the time.
    """
    check = "quick_check" if has_new_indexes else "integrity_check"
    try:
        with closing(sqlite3.connect(path)) as file:
            result = file.execute(f"PRAGMA {check}(1)").fetchone()[0]
            orphan = file.execute("PRAGMA foreign_key_check").fetchone()
    except sqlite3.DatabaseError as error:
        raise BadBackup(f"The database is damaged: {error}.") from error
    if result != "ok":
        raise BadBackup(f"The database is damaged: {result}.")
    if orphan:
        raise BadBackup(
            f"The database is damaged: a row of {orphan[0]} refers to a row of {orphan[2]} that is missing."
        )


def write_metadata(path: Path, made_at: datetime) -> BackupInfo:
    """Turn a copy of the database into a backup: add metadata and a checksum of all bytes, and sync it to disk."""
    token = secrets.token_hex(32)
    with closing(sqlite3.connect(path, isolation_level=None)) as file:
        file.execute("PRAGMA journal_mode = DELETE")  # a single file, whatever the original used
        migrations = frozenset(file.execute("SELECT app, name FROM django_migrations"))
        info = BackupInfo(made_at, migrations, _count_rows(file))
        fields = {"app": "companion", "format": FORMAT_VERSION, "made_at": made_at.isoformat()}
        content = json.dumps({**fields, "migrations": sorted(migrations), "counts": info.counts})
        file.execute("BEGIN")
        file.execute(f"CREATE TABLE {METADATA_TABLE} (content TEXT NOT NULL, seal TEXT NOT NULL)")
        file.execute(f"INSERT INTO {METADATA_TABLE} VALUES (?, ?)", [content, token])
        file.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        file.execute("COMMIT")
    with open(path, "r+b") as backup:
        digest, offset = _compute_digest(backup.fileno(), token)
        backup.seek(offset)
        backup.write(digest.encode())
        backup.flush()
        os.fsync(backup.fileno())
    return info


def remove_metadata(path: Path) -> None:
    """Turn a copy of a backup into a database again."""
    with closing(sqlite3.connect(path)) as file:
        file.execute(f"DROP TABLE {METADATA_TABLE}")
        file.execute("PRAGMA application_id = 0")
        file.commit()


def verify_backup(path: Path) -> BackupInfo:
    """Return the metadata of a backup. Raises BadBackup for a file that is damaged or not a backup."""
    try:
        with path.open("rb") as file:
            head = file.read(100)
    except OSError as error:
        raise BadBackup(f"{path} cannot be read: {error.strerror}.") from error
    if not head.startswith(_MAGIC) or head[68:72] != APPLICATION_ID.to_bytes(4):
        raise BadBackup(f"{path} is not a backup of the companion, or its beginning is damaged.")
    try:
        with open_readonly(path) as backup:
            content, checksum = backup.execute(f"SELECT content, seal FROM {METADATA_TABLE}").fetchone()
        with path.open("rb") as file:
            digest, _offset = _compute_digest(file.fileno(), checksum)
        if digest != checksum:
            raise ValueError("the checksum does not match")
        fields = json.loads(content)
        if fields["format"] > FORMAT_VERSION:
            raise BadBackup(f"{path} was made by a newer release of the companion. Update it first.")
        migrations = frozenset((app, name) for app, name in fields["migrations"])
        return BackupInfo(datetime.fromisoformat(fields["made_at"]), migrations, fields["counts"])
    except (sqlite3.DatabaseError, ValueError, TypeError, KeyError, OSError) as error:
        raise BadBackup(f"{path} is damaged: its content has changed since it was written.") from error


@contextmanager
def open_readonly(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a file that nobody writes to."""
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as file:
        yield file


def _compute_digest(descriptor: int, token: str) -> tuple[str, int]:
    """Return the hash of all bytes except the checksum, and the offset of that.

    Raises ValueError unless the token occurs exactly once.
    """
    needle = token.encode("ascii")
    with mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ) as content:
        offset = content.find(needle)
        if len(needle) != 64 or offset < 0 or content.find(needle, offset + 1) >= 0:
            raise ValueError("no checksum")
        digest = hashlib.sha256()
        with memoryview(content) as view, view[:offset] as before, view[offset + 64 :] as after:
            digest.update(before)
            digest.update(bytes(64))
            digest.update(after)
    return digest.hexdigest(), offset


def _count_rows(file: sqlite3.Connection) -> dict[str, int]:
    names = file.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite~_%' ESCAPE '~'")
    return {name: file.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0] for (name,) in names.fetchall()}
