"""Backup of the running database while it is in use: a consistent snapshot, verified and synced to disk."""

from __future__ import annotations

import os
import secrets
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
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}.partial")
    try:
        if not retention.has_disk_space(path.parent, get_database_size()):
            raise BackupFailed(f"Not enough disk space for a backup in {path.parent}.")
        os.close(os.open(draft, os.O_CREAT | os.O_EXCL, 0o600))
        is_sqlite = connection.vendor == "sqlite"
        (_copy_sqlite if is_sqlite else postgres_copy.export_to_sqlite)(draft)
        check_integrity(draft, has_new_indexes=not is_sqlite)
        info = write_metadata(draft, timezone.now())
        draft.replace(path)
        retention.sync_folder(path)
    except NewerSchema as error:
        raise BackupFailed(f"The database belongs to a newer release (it has {error}). Update first.") from error
    except (BadBackup, DatabaseError, sqlite3.Error, OSError) as error:
        raise BackupFailed(f"The backup failed: {error}") from error
    finally:
        for leftover in path.parent.glob(f"{draft.name}*"):
            leftover.unlink()
    return info


def backup_before_update() -> Path | None:
    """Back up a database that the code is about to migrate; return the path, or None. Raises BackupFailed."""
    if not (has_schema() and list_missing_migrations(connection)):
        return None
    path = retention.get_free_path(retention.BEFORE_UPDATE)
    create_backup(path)
    return path


def has_schema() -> bool:
    """Return whether the database has been migrated at all, and so is worth keeping."""
    return bool(get_applied_migrations(connection))


def get_database_size() -> int:
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
