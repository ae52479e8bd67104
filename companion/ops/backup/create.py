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
from companion.ops.backup.checksum import BackupInfo, BadBackup, check_integrity, write_metadata
from companion.ops.backup.migrations import NewerSchema, get_applied_migrations, has_pending_migrations


class BackupFailed(Exception):
    """No backup was made, and nothing else was changed; the text is a sentence."""


def create_backup(path: Path) -> BackupInfo:
    """Writes a backup to a file that is not there yet; it bears its name only when it is whole. Raises BackupFailed."""
    if path.exists():
        raise BackupFailed(f"There is a file {path} already.")
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}.partial")
    try:
        if not retention.has_disk_space(path.parent, get_database_size()):
            raise BackupFailed(f"The disk of {path.parent} is too full for a backup.")
        os.close(os.open(draft, os.O_CREAT | os.O_EXCL, 0o600))
        is_file = connection.vendor == "sqlite"
        (_from_sqlite if is_file else postgres_copy.export_to_sqlite)(draft)
        check_integrity(draft, has_new_indexes=not is_file)
        described = write_metadata(draft, timezone.now())
        draft.replace(path)
        retention.sync_folder(path)
    except NewerSchema as error:
        raise BackupFailed(f"The database belongs to a newer release: it has had {error}. Update first.") from error
    except (BadBackup, DatabaseError, sqlite3.Error, OSError) as error:
        raise BackupFailed(f"No backup could be made: {error}") from error
    finally:
        for rest in path.parent.glob(f"{draft.name}*"):
            rest.unlink()
    return described


def backup_before_update() -> Path | None:
    """A backup, where the code is newer than a database that has been in use; where it is. Raises BackupFailed."""
    if not has_pending_migrations(connection):
        return None
    path = retention.get_free_path(retention.BEFORE_UPDATE)
    create_backup(path)
    return path


def has_schema() -> bool:
    """Whether there is a database worth keeping."""
    return bool(get_applied_migrations(connection))


def get_database_size() -> int:
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
