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


def check_newest_backup(made: datetime | None, now: datetime) -> Finding:
    if made is None:
        return Finding.warning(
            "backup", "There is no backup in the data folder: if the disk breaks, everything is lost."
        )
    text = f"The newest backup is of {made.astimezone():%Y-%m-%d %H:%M}"
    if now - made >= MAX_BACKUP_AGE:
        return Finding.warning("backup", f"{text}: over 48 hours old.")
    return Finding.ok("backup", f"{text}.")


def check_last_restore(restored_at: datetime | None) -> Finding:
    if restored_at is None:
        return Finding.warning("restore", "No backup has ever been restored as a test, as far as is known.")
    return Finding.ok("restore", f"A backup was last restored on {restored_at.astimezone():%Y-%m-%d}.")
