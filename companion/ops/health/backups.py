"""Checks of the age of backups and of the last restore."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from companion.ops.backup import retention
from companion.ops.health.findings import Finding

MAX_BACKUP_AGE = timedelta(hours=48)


def get_last_restore_time() -> datetime | None:
    """Return when a backup was last restored."""
    marker = retention.get_backup_folder() / retention.RESTORE_MARKER
    return datetime.fromtimestamp(marker.stat().st_mtime, UTC) if marker.exists() else None


def is_fresh(made: datetime | None, now: datetime) -> bool:
    return made is not None and now - made < MAX_BACKUP_AGE


def check_newest_backup(made: datetime | None, now: datetime) -> Finding:
    if made is None:
        return Finding.warning(
            "backup", "There is no backup in the data folder: if the disk breaks, everything is lost."
        )
    text = f"The newest backup is of {made.astimezone():%Y-%m-%d %H:%M}"
    return (
        Finding.ok("backup", f"{text}.")
        if is_fresh(made, now)
        else Finding.warning("backup", f"{text}: over 48 hours old.")
    )


def check_last_restore(restored_at: datetime | None) -> Finding:
    if restored_at is None:
        return Finding.warning("restore", "No backup has ever been restored as a test, as far as is known.")
    return Finding.ok("restore", f"A backup was last restored on {restored_at.astimezone():%Y-%m-%d}.")
