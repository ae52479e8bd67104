"""Backup of the running database while it is in use: a consistent snapshot, verified and synced to disk."""

import sqlite3
from contextlib import closing
from pathlib import Path

from django.core.management.base import CommandError
from django.db import DatabaseError, connection
from django.utils import timezone

from companion.db.settings import BUSY_TIMEOUT
from companion.ops.backup import postgres_copy, retention
from companion.ops.backup.migrations import NewerSchema, get_applied_migrations, list_missing_migrations
from companion.ops.backup.verification import BackupInfo, BadBackup, check_integrity, write_metadata


class BackupFailed(CommandError):
    """No backup was made, and nothing else changed."""


def create_backup(path: Path) -> BackupInfo:
    """Write a backup to a new file, which gets its name only once it is complete. Raises BackupFailed."""
    if path.exists():
        raise BackupFailed(f"{path} already exists.")
    is_sqlite = connection.vendor == "sqlite"
    try:
        if not retention.has_disk_space(path.parent, _get_database_size()):
            raise BackupFailed(f"Not enough disk space for a backup in {path.parent}.")
        with retention.draft_file(path) as draft:
            (_copy_sqlite if is_sqlite else postgres_copy.export_to_sqlite)(draft)
            check_integrity(draft, has_new_indexes=not is_sqlite)
            return write_metadata(draft, timezone.now())
    except NewerSchema as error:
        raise BackupFailed(f"The database belongs to a newer release (it has {error}). Update first.") from error
    except (BadBackup, DatabaseError, sqlite3.Error, OSError) as error:
        raise BackupFailed(f"The backup failed: {error}") from error


def back_up_before_update() -> Path | None:
    """Back up a database that the code is about to migrate; return the path, or None. Raises BackupFailed."""
    return back_up_current(retention.BEFORE_UPDATE) if list_missing_migrations(connection) else None


def back_up_current(kind: str) -> Path | None:
    """Back up the database to the folder unless it is empty; return the path, or None. Raises BackupFailed."""
    if not get_applied_migrations(connection):
        return None
    path = retention.get_free_path(kind)
    create_backup(path)
    return path


def _get_database_size() -> int:
    """Return the approximate size of the running database in bytes."""
    if connection.vendor == "sqlite":
        return Path(connection.settings_dict["NAME"]).stat().st_size
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_database_size(current_database())")
        return int(cursor.fetchone()[0])


def _copy_sqlite(draft: Path) -> None:
    """Copy all pages in one step, inside a read transaction that keeps out writes."""
    uri = Path(connection.settings_dict["NAME"]).absolute().as_uri()
    with closing(sqlite3.connect(f"{uri}?mode=rw", uri=True, timeout=BUSY_TIMEOUT, isolation_level=None)) as source:
        source.execute("BEGIN")
        source.execute("SELECT count(*) FROM sqlite_master").fetchone()  # takes the lock, or fails because it is held
        with closing(sqlite3.connect(draft)) as copy:
            copy.execute("PRAGMA synchronous = OFF")  # synced with the checksum
            source.backup(copy)
        source.execute("ROLLBACK")
