"""Makes a backup of the running database while it is in use: whole, of one moment, checked, and on the disk."""

from __future__ import annotations

import os
import secrets
import sqlite3
from contextlib import closing
from pathlib import Path

from django.db import DatabaseError, connection
from django.utils import timezone

from companion.db.settings import BUSY_TIMEOUT
from companion.ops.backup import postgres_copy, retention
from companion.ops.backup.checksum import BadBackup, Described, check_sound, seal
from companion.ops.backup.migrations import NewerSchema, applied, pending


class BackupFailed(Exception):
    """No backup was made, and nothing else was changed; the text is a sentence."""


def make(path: Path) -> Described:
    """Writes a backup to a file that is not there yet; it bears its name only when it is whole. Raises BackupFailed."""
    if path.exists():
        raise BackupFailed(f"There is a file {path} already.")
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}.partial")
    try:
        if not retention.has_room(path.parent, size()):
            raise BackupFailed(f"The disk of {path.parent} is too full for a backup.")
        os.close(os.open(draft, os.O_CREAT | os.O_EXCL, 0o600))
        is_file = connection.vendor == "sqlite"
        (_from_sqlite if is_file else postgres_copy.to_file)(draft)
        check_sound(draft, has_new_indexes=not is_file)
        described = seal(draft, timezone.now())
        draft.replace(path)
        retention.settle(path)
    except NewerSchema as error:
        raise BackupFailed(f"The database belongs to a newer release: it has had {error}. Update first.") from error
    except (BadBackup, DatabaseError, sqlite3.Error, OSError) as error:
        raise BackupFailed(f"No backup could be made: {error}") from error
    finally:
        for rest in path.parent.glob(f"{draft.name}*"):
            rest.unlink()
    return described


def before_update() -> Path | None:
    """A backup, where the code is newer than a database that has been in use; where it is. Raises BackupFailed."""
    if not pending(connection):
        return None
    path = retention.new_path(retention.UPDATE)
    make(path)
    return path


def is_in_use() -> bool:
    """Whether there is a database worth keeping."""
    return bool(applied(connection))


def size() -> int:
    """Bytes of the running database, roughly."""
    if connection.vendor == "sqlite":
        return Path(connection.settings_dict["NAME"]).stat().st_size
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_database_size(current_database())")
        return int(cursor.fetchone()[0])


def _from_sqlite(draft: Path) -> None:
    """All pages in one step, behind a read transaction: nobody's write comes between."""
    running = Path(connection.settings_dict["NAME"]).absolute().as_uri()
    with closing(sqlite3.connect(f"{running}?mode=rw", uri=True, timeout=BUSY_TIMEOUT, isolation_level=None)) as source:
        source.execute("BEGIN")
        source.execute("SELECT count(*) FROM sqlite_master").fetchone()  # now it holds, or says that it is locked
        with closing(sqlite3.connect(draft)) as copy:
            copy.execute("PRAGMA synchronous = OFF")  # it is synced when it is sealed
            source.backup(copy)
        source.execute("ROLLBACK")
