"""Backup folder: file names, and which backups are kept for how long."""

import os
import re
import secrets
import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import chain, count
from pathlib import Path

from django.conf import settings
from django.utils import timezone

DAYS_KEPT, WEEKS_KEPT = 7, 4
"""Days and weeks whose last backup is kept."""
MAX_AGE = timedelta(days=35)
"""No backup is kept longer once there is a newer one, so that an erased player is gone from all of them."""
MIN_FREE_BYTES = 64 * 1024 * 1024
"""Free disk space to leave beside a backup."""
REGULAR, BEFORE_UPDATE, BEFORE_RESTORE, DAMAGED = "", "before-update-", "before-restore-", "damaged-"
RESTORE_MARKER = "restored"
"""Name of a file in the folder that is touched after each restore; `doctor` reads its time."""
_NAME = re.compile(
    rf"companion-({BEFORE_UPDATE}|{BEFORE_RESTORE}|{DAMAGED}|)(\d{{4}}-\d\d-\d\d-\d{{6}})(?:-(\d+))?\.sqlite3.*"
)
_STAMP = "%Y-%m-%d-%H%M%S"
_DRAFT_SECONDS = 24 * 3600
"""Age after which an unfinished backup is deleted."""


@dataclass(frozen=True)
class BackupFile:
    """A file in the folder, as described by its name."""

    path: Path
    kind: str
    made_at: datetime
    """Local time, naive."""
    number: int = 1
    """Distinguishes backups made in the same second."""


def get_backup_folder() -> Path:
    path = Path(settings.DATA) / "backups"
    path.mkdir(mode=0o700, exist_ok=True)
    return path


def get_free_path(kind: str = REGULAR) -> Path:
    """Return an unused path for a new backup."""
    stem = f"companion-{kind}{timezone.localtime():{_STAMP}}"
    names = chain([stem], (f"{stem}-{number}" for number in count(2)))
    paths = (get_backup_folder() / f"{name}.sqlite3" for name in names)
    return next(path for path in paths if not path.exists())


def get_newest_backup_time() -> datetime | None:
    """Return the aware time of the newest backup in the folder, if there is one."""
    times = [backup.made_at for backup in list_backups() if backup.kind != DAMAGED]
    return timezone.make_aware(max(times)) if times else None


def list_backups() -> list[BackupFile]:
    """Return the backups in the folder, newest first."""
    backups = [
        BackupFile(path, match[1], datetime.strptime(match[2], _STAMP), int(match[3] or 1))  # noqa: DTZ007
        for path in get_backup_folder().iterdir()
        if (match := _NAME.fullmatch(path.name))
    ]
    return sorted(backups, key=lambda backup: (backup.made_at, backup.number, backup.path.name), reverse=True)


def select_kept(backups: Sequence[BackupFile], now: datetime) -> set[Path]:
    """Return the paths to keep, given all backups, newest first.

    These are the last backup of each of 7 days and 4 weeks, and those made before updates and restores. The newest is
    kept at any age, and so are backups from the future, as a clock may have been wrong.
    """
    regular = [backup for backup in backups if backup.kind == REGULAR]
    paths = {backup.path for backup in backups if backup.kind != REGULAR and backup.made_at > now - MAX_AGE}
    days, weeks = set[str](), set[str]()
    for backup in regular:
        day, week = f"{backup.made_at:%Y-%m-%d}", f"{backup.made_at:%G-%V}"
        is_daily = day not in days and len(days) < DAYS_KEPT
        is_weekly = week not in weeks and len(weeks) < WEEKS_KEPT
        if (backup.made_at > now - MAX_AGE and (is_daily or is_weekly)) or backup.made_at > now:
            paths.add(backup.path)
        days, weeks = days | {day}, weeks | {week}
    return paths | {backup.path for backup in regular[:1]}


def rotate_backups(new_backup: Path, now: datetime) -> list[Path]:
    """Delete backups that a new one makes superfluous, and abandoned drafts; return the deleted paths."""
    backups = list_backups()
    kept = select_kept(backups, now) | {new_backup}
    superfluous = [backup.path for backup in backups if backup.path not in kept]
    draft_cutoff = time.time() - _DRAFT_SECONDS
    superfluous += [path for path in get_backup_folder().glob(".*.partial*") if path.stat().st_mtime < draft_cutoff]
    for path in superfluous:
        path.unlink(missing_ok=True)
    return superfluous


def has_disk_space(folder: Path, size: int) -> bool:
    """Return whether the disk has room for a file of that many bytes in the folder."""
    return shutil.disk_usage(folder).free >= size + MIN_FREE_BYTES


@contextmanager
def draft_file(path: Path) -> Iterator[Path]:
    """Yield an empty, private file that takes the place of `path` at the end; deleted if the block fails."""
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}.partial")
    try:
        os.close(os.open(draft, os.O_CREAT | os.O_EXCL, 0o600))
        yield draft
        draft.replace(path)
        _sync_folder(path.parent)
    finally:
        for leftover in path.parent.glob(f"{draft.name}*"):
            leftover.unlink()


def _sync_folder(folder: Path) -> None:
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
