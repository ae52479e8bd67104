"""Restore of a backup over the running database: all or nothing."""

import os
import shutil
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from django.db import DatabaseError, connection, connections

from companion.db.data_lock import exclusive_lock
from companion.ops.backup import create, postgres_copy, retention, verification
from companion.ops.backup.migrations import NewerSchema, check_known_migrations, migrate, open_as_default
from companion.ops.backup.verification import BackupInfo, BadBackup, check_integrity, verify_backup

SIDECAR_SUFFIXES = ("-journal", "-wal", "-shm")
"""Suffixes of the files that SQLite keeps beside a database."""


def restore_backup(path: Path) -> Path | None:
    """Replace the database with a backup; return the file that has the previous data, if there was any.

    Raises BadBackup, DataFolderInUse, and BackupFailed if the current data cannot be saved; then nothing has changed.
    """
    check_restorable(path)
    with exclusive_lock():
        try:
            if connection.vendor == "sqlite":
                previous = _restore_sqlite(path)
            else:
                previous = create.back_up_current(retention.BEFORE_RESTORE)
                postgres_copy.import_from_sqlite(path)
        except (DatabaseError, sqlite3.Error, OSError) as error:
            raise BadBackup(f"{path} could not be restored, and nothing has changed: {error}") from error
    (retention.get_backup_folder() / retention.RESTORE_MARKER).touch()
    return previous


def check_restorable(path: Path) -> BackupInfo:
    """Return the metadata of an intact backup that this release can read. Raises BadBackup."""
    info = verify_backup(path)
    try:
        check_known_migrations(info.migrations)
    except NewerSchema as error:
        raise BadBackup(f"{path} was made by a newer release ({error}). Update the companion first.") from error
    return info


def _restore_sqlite(path: Path) -> Path | None:
    """Prepare the database beside the running one, and rename it into place."""
    running = Path(connection.settings_dict["NAME"])
    for abandoned in running.parent.glob(f".{running.name}.*.partial*"):
        abandoned.unlink()
    if not retention.has_disk_space(running.parent, 2 * path.stat().st_size):
        raise BadBackup(f"Not enough disk space in {running.parent} to restore {path}.")
    with retention.draft_file(running) as draft:
        _prepare(path, draft)
        _copy_ownership(draft, running)
        previous = _save_current(running)
        connections.close_all()
        _remove_journals(running)
    return previous


def _prepare(path: Path, draft: Path) -> None:
    """Write the backup as a database: migrated, verified and synced to disk."""
    shutil.copyfile(path, draft)  # nobody writes to a backup
    verification.remove_metadata(draft)
    with open_as_default(draft) as database:
        migrate(database)
    check_integrity(draft)
    with draft.open("rb") as file:
        os.fsync(file.fileno())


def _copy_ownership(draft: Path, running: Path) -> None:
    """Give the file to the owner of the current database or its folder, whoever runs the restore."""
    owner = (running if running.exists() else running.parent).stat()
    if hasattr(os, "chown"):
        with suppress(OSError):
            os.chown(draft, owner.st_uid, owner.st_gid)
    if running.exists():
        draft.chmod(owner.st_mode & 0o777)


def _save_current(running: Path) -> Path | None:
    """Back up the current data, or copy the file if it is too damaged for a backup; return the path."""
    if not running.exists():
        return None
    try:
        return create.back_up_current(retention.BEFORE_RESTORE)
    except (create.BackupFailed, DatabaseError):
        target = retention.get_free_path(retention.DAMAGED)
        for suffix in ("", *SIDECAR_SUFFIXES):
            source = running.with_name(running.name + suffix)
            if source.exists():
                shutil.copyfile(source, target.with_name(target.name + suffix))
        return target


def _remove_journals(running: Path) -> None:
    """Remove the old database's journals, which SQLite would apply to the new one."""
    with suppress(sqlite3.Error), closing(sqlite3.connect(running)) as database:
        database.execute("PRAGMA journal_mode = DELETE")
    for suffix in SIDECAR_SUFFIXES:
        running.with_name(running.name + suffix).unlink(missing_ok=True)
