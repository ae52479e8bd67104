"""Puts a backup in the place of the running database: all of it or nothing, whatever happens meanwhile."""

from __future__ import annotations

import os
import secrets
import shutil
import sqlite3
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from django.db import DatabaseError, connection, connections

from companion.db.data_lock import exclusive_lock
from companion.ops.backup import checksum, create, postgres_copy, retention
from companion.ops.backup.checksum import BackupInfo, BadBackup, check_integrity, verify_backup
from companion.ops.backup.migrations import NewerSchema, check_known_migrations, migrate, open_as_default

SIDECAR_SUFFIXES = ("-journal", "-wal", "-shm")
"""Endings of what SQLite keeps beside a file."""


@dataclass(frozen=True)
class RestoreResult:
    """What was put back, and where that lies which was there before, if there was anything."""

    described: BackupInfo
    former: Path | None


def restore_backup(path: Path) -> RestoreResult:
    """Raises BadBackup, BackupFailed where what is there cannot be kept, and InUse; then nothing has changed."""
    described = check_restorable(path)
    with exclusive_lock():
        try:
            former = _into_sqlite(path) if connection.vendor == "sqlite" else _into_postgresql(path)
        except (DatabaseError, sqlite3.Error, OSError, postgres_copy.RowCountMismatch) as error:
            raise BadBackup(f"{path} could not be put back, and nothing has changed: {error}") from error
    (retention.get_backup_folder() / retention.RESTORE_MARKER).touch()
    return RestoreResult(described, former)


def check_restorable(path: Path) -> BackupInfo:
    """What a whole backup says of itself, if this release can read it. Raises BadBackup."""
    described = verify_backup(path)
    try:
        check_known_migrations(described.migrations)
    except NewerSchema as error:
        raise BadBackup(f"{path} was made by a newer release ({error}). Update the companion first.") from error
    return described


def _into_postgresql(path: Path) -> Path | None:
    former = _kept() if create.has_schema() else None
    postgres_copy.import_from_sqlite(path)
    return former


def _kept() -> Path:
    """A backup of what is there now."""
    path = retention.get_free_path(retention.BEFORE_RESTORE)
    create.create_backup(path)
    return path


def _into_sqlite(path: Path) -> Path | None:
    """Everything is done beside the running database; then one rename puts it into its place."""
    running = Path(connection.settings_dict["NAME"])
    for abandoned in running.parent.glob(f".{running.name}.*.partial*"):
        abandoned.unlink()
    draft = running.with_name(f".{running.name}.{secrets.token_hex(4)}.partial")
    try:
        if not retention.has_disk_space(running.parent, 2 * path.stat().st_size):
            raise BadBackup(f"The disk of {running.parent} is too full to put {path} back.")
        _prepare(path, draft)
        _belong(draft, running)
        former = _kept_or_copied(running)
        connections.close_all()
        _without_journals(running)
        draft.replace(running)
        retention.sync_folder(running)
    finally:
        for rest in running.parent.glob(f"{draft.name}*"):
            rest.unlink()
    return former


def _prepare(path: Path, draft: Path) -> None:
    """A database out of the backup, as new as the code, sound and on the disk."""
    os.close(os.open(draft, os.O_CREAT | os.O_EXCL, 0o600))
    shutil.copyfile(path, draft)  # nobody writes to a backup
    checksum.remove_metadata(draft)
    with open_as_default(draft) as database:
        migrate(database)
    check_integrity(draft)
    with draft.open("rb") as file:
        os.fsync(file.fileno())


def _belong(draft: Path, running: Path) -> None:
    """Whoever puts it back, the file belongs to whom the former one, or the folder, belongs to."""
    owner = (running if running.exists() else running.parent).stat()
    if hasattr(os, "chown"):
        with suppress(OSError):
            os.chown(draft, owner.st_uid, owner.st_gid)
    if running.exists():
        draft.chmod(owner.st_mode & 0o777)


def _kept_or_copied(running: Path) -> Path | None:
    """What is there now as a backup; where it is too damaged for one, a copy of the very file."""
    if not running.exists():
        return None
    try:
        return _kept() if create.has_schema() else None
    except (create.BackupFailed, DatabaseError):
        aside = retention.get_free_path(retention.DAMAGED)
        for ending in ("", *SIDECAR_SUFFIXES):
            own = running.with_name(running.name + ending)
            if own.exists():
                shutil.copyfile(own, aside.with_name(aside.name + ending))
        return aside


def _without_journals(running: Path) -> None:
    """What lies beside the former file must not be taken for the new one's."""
    with suppress(sqlite3.Error), closing(sqlite3.connect(running)) as former:
        former.execute("PRAGMA journal_mode = DELETE")
    for ending in SIDECAR_SUFFIXES:
        running.with_name(running.name + ending).unlink(missing_ok=True)
