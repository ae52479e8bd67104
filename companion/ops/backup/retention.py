"""The folder of backups: how they are called, which are kept for how long, and the newest. None is opened here."""

from __future__ import annotations

import os
import re
import shutil
import time
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.utils import timezone

DAYS_KEPT, WEEKS_KEPT = 7, 4
"""Days and weeks of which the last backup is kept."""
MAX_AGE = timedelta(days=35)
"""No backup is kept for longer, once a newer one has been made: who was erased is then gone from all of them."""
MIN_FREE_BYTES = 64 * 1024 * 1024
"""Bytes that stay free on the disk beside a backup."""
REGULAR, BEFORE_UPDATE, BEFORE_RESTORE, DAMAGED = "", "before-update-", "before-restore-", "damaged-"
RESTORE_MARKER = "restored"
"""The file in the folder that is touched whenever a backup has been restored, so that it is known that one could be."""
_NAME = re.compile(
    rf"companion-({BEFORE_UPDATE}|{BEFORE_RESTORE}|{DAMAGED}|)(\d{{4}}-\d\d-\d\d-\d{{6}})(?:-(\d+))?\.sqlite3.*"
)
_STAMP = "%Y-%m-%d-%H%M%S"
_ABANDONED = 24 * 3600
"""Seconds after which an unfinished backup is nobody's any more."""


@dataclass(frozen=True)
class BackupFile:
    """A file of the folder, by what its name says."""

    path: Path
    kind: str
    made_at: datetime
    """In the machine's own time."""
    number: int = 1
    """Of those that were made in the same second."""


def get_backup_folder() -> Path:
    path = Path(settings.DATA) / "backups"
    path.mkdir(mode=0o700, exist_ok=True)
    return path


def get_free_path(kind: str = REGULAR) -> Path:
    """Where the next backup goes: a name that is free."""
    stem = f"companion-{kind}{timezone.localtime():{_STAMP}}"
    names = (f"{stem}{end}.sqlite3" for end in ("", *(f"-{number}" for number in range(2, 1_000))))
    return next(path for path in map(get_backup_folder().joinpath, names) if not path.exists())


def get_newest_backup_time() -> datetime | None:
    """When the newest backup of the folder was made; aware, for readiness and the doctor."""
    made = [own.made_at for own in list_backups() if own.kind != DAMAGED]
    return timezone.make_aware(max(made)) if made else None


def list_backups() -> list[BackupFile]:
    """The backups in the folder, the newest first."""
    names = [(path, _NAME.fullmatch(path.name)) for path in get_backup_folder().iterdir()]
    rows = [
        BackupFile(path, name[1], datetime.strptime(name[2], _STAMP), int(name[3] or 1))  # noqa: DTZ007
        for path, name in names
        if name
    ]
    return sorted(rows, key=lambda own: (own.made_at, own.number, own.path.name), reverse=True)


def select_kept(backups: Iterable[BackupFile], now: datetime) -> set[Path]:
    """Of those found, the newest first: the last of each of 7 days and of 4 weeks, and what was kept before a change.

    The newest is kept however old it is, and so are those from days to come, for a clock may have been wrong.
    """
    rows = list(backups)
    usual = [own for own in rows if own.kind == REGULAR]
    paths = {own.path for own in rows if own.kind != REGULAR and own.made_at > now - MAX_AGE}
    days, weeks = set[str](), set[str]()
    for own in usual:
        day, week = f"{own.made_at:%Y-%m-%d}", f"{own.made_at:%G-%V}"
        is_daily = day not in days and len(days) < DAYS_KEPT
        is_weekly = week not in weeks and len(weeks) < WEEKS_KEPT
        if (own.made_at > now - MAX_AGE and (is_daily or is_weekly)) or own.made_at > now:
            paths.add(own.path)
        days, weeks = days | {day}, weeks | {week}
    return paths | {own.path for own in usual[:1]}


def rotate_backups(made: Path, now: datetime) -> list[Path]:
    """Deletes what need not be kept now that a good backup has been made; what was deleted."""
    rows = list_backups()
    gone = [own.path for own in rows if own.path not in select_kept(rows, now) | {made}]
    abandoned = time.time() - _ABANDONED
    gone += [path for path in get_backup_folder().glob(".*.partial*") if path.stat().st_mtime < abandoned]
    for path in gone:
        path.unlink(missing_ok=True)
    return gone


def has_disk_space(place: Path, size: int) -> bool:
    """Whether the disk that the folder is on has room for a file of that many bytes."""
    return shutil.disk_usage(place).free >= size + MIN_FREE_BYTES


def sync_folder(path: Path) -> None:
    """Makes sure that a name just given is on the disk as well."""
    if os.name == "posix":
        descriptor = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
