"""What is thought of the newest backup, and of when one was last put back; how they are made is left to others."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from companion.ops.backup import retention
from companion.ops.health.findings import Finding

MAX_BACKUP_AGE = timedelta(hours=48)


def get_last_restore_time() -> datetime | None:
    """When a backup was last put back."""
    mark = retention.get_backup_folder() / retention.RESTORE_MARKER
    return datetime.fromtimestamp(mark.stat().st_mtime, UTC) if mark.exists() else None


def is_fresh(made: datetime | None, now: datetime) -> bool:
    return made is not None and now - made < MAX_BACKUP_AGE


def check_newest_backup(made: datetime | None, now: datetime) -> Finding:
    if made is None:
        return Finding.warning(
            "backup", "There is no backup in the data folder: one broken disk, and everything is gone."
        )
    words = f"The newest backup is of {made.astimezone():%Y-%m-%d %H:%M}"
    return (
        Finding.ok("backup", f"{words}.")
        if is_fresh(made, now)
        else Finding.warning("backup", f"{words}: over 48 hours old.")
    )


def check_last_restore(tried: datetime | None) -> Finding:
    if tried is None:
        return Finding.warning("restore", "As far as is known no backup has ever been restored to try it.")
    return Finding.ok("restore", f"A backup was restored to try it on {tried.astimezone():%Y-%m-%d}.")
