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
from companion.ops.backup.checksum import BadBackup, Described, check_sound, checked
from companion.ops.backup.migrations import NewerSchema, check_known, migrate, opened

BESIDE = ("-journal", "-wal", "-shm")
"""Endings of what SQLite keeps beside a file."""


@dataclass(frozen=True)
class Restored:
    """What was put back, and where that lies which was there before, if there was anything."""

    described: Described
    former: Path | None


def restore(path: Path) -> Restored:
    """Raises BadBackup, BackupFailed where what is there cannot be kept, and InUse; then nothing has changed."""
    described = understood(path)
    with exclusive_lock():
        try:
            former = _into_sqlite(path) if connection.vendor == "sqlite" else _into_postgresql(path)
        except (DatabaseError, sqlite3.Error, OSError, postgres_copy.WrongCount) as error:
            raise BadBackup(f"{path} could not be put back, and nothing has changed: {error}") from error
    (retention.folder() / retention.TRIED).touch()
    return Restored(described, former)


def understood(path: Path) -> Described:
    """What a whole backup says of itself, if this release can read it. Raises BadBackup."""
    described = checked(path)
    try:
        check_known(described.migrations)
    except NewerSchema as error:
        raise BadBackup(f"{path} was made by a newer release ({error}). Update the companion first.") from error
    return described


def _into_postgresql(path: Path) -> Path | None:
    former = _kept() if create.is_in_use() else None
    postgres_copy.from_file(path)
    return former


def _kept() -> Path:
    """A backup of what is there now."""
    path = retention.new_path(retention.RESTORE)
    create.make(path)
    return path


def _into_sqlite(path: Path) -> Path | None:
    """Everything is done beside the running database; then one rename puts it into its place."""
    running = Path(connection.settings_dict["NAME"])
    for abandoned in running.parent.glob(f".{running.name}.*.partial*"):
        abandoned.unlink()
    draft = running.with_name(f".{running.name}.{secrets.token_hex(4)}.partial")
    try:
        if not retention.has_room(running.parent, 2 * path.stat().st_size):
            raise BadBackup(f"The disk of {running.parent} is too full to put {path} back.")
        _prepare(path, draft)
        _belong(draft, running)
        former = _kept_or_copied(running)
        connections.close_all()
        _without_journals(running)
        draft.replace(running)
        retention.settle(running)
    finally:
        for rest in running.parent.glob(f"{draft.name}*"):
            rest.unlink()
    return former


def _prepare(path: Path, draft: Path) -> None:
    """A database out of the backup, as new as the code, sound and on the disk."""
    os.close(os.open(draft, os.O_CREAT | os.O_EXCL, 0o600))
    shutil.copyfile(path, draft)  # nobody writes to a backup
    checksum.unseal(draft)
    with opened(draft) as database:
        migrate(database)
    check_sound(draft)
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
        return _kept() if create.is_in_use() else None
    except (create.BackupFailed, DatabaseError):
        aside = retention.new_path(retention.DAMAGED)
        for ending in ("", *BESIDE):
            own = running.with_name(running.name + ending)
            if own.exists():
                shutil.copyfile(own, aside.with_name(aside.name + ending))
        return aside


def _without_journals(running: Path) -> None:
    """What lies beside the former file must not be taken for the new one's."""
    with suppress(sqlite3.Error), closing(sqlite3.connect(running)) as former:
        former.execute("PRAGMA journal_mode = DELETE")
    for ending in BESIDE:
        running.with_name(running.name + ending).unlink(missing_ok=True)
