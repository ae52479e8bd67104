"""When the newest backup was made, and when one was last restored to try it; making them is left to others."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from companion.backups.folder import DAMAGED, TRIED
from companion.checkup.findings import Finding, fine, look

FOLDER = "backups"
ENDING = "*.sqlite3"
FRESH = timedelta(hours=48)


def newest(data: Path) -> datetime | None:
    """When the newest backup in the data folder was made."""
    found = (path for path in (data / FOLDER).glob(ENDING) if path.is_file() and DAMAGED not in path.name)
    made = [path.stat().st_mtime for path in found]
    return datetime.fromtimestamp(max(made), UTC) if made else None


def tried(data: Path) -> datetime | None:
    mark = data / FOLDER / TRIED
    return datetime.fromtimestamp(mark.stat().st_mtime, UTC) if mark.exists() else None


def is_fresh(made: datetime | None, now: datetime) -> bool:
    return made is not None and now - made < FRESH


def age(made: datetime | None, now: datetime) -> Finding:
    if made is None:
        return look("backup", "There is no backup in the data folder: one broken disk, and everything is gone.")
    words = f"The newest backup is of {made.astimezone():%Y-%m-%d %H:%M}"
    return fine("backup", f"{words}.") if is_fresh(made, now) else look("backup", f"{words}: over 48 hours old.")


def trial(tried: datetime | None) -> Finding:
    if tried is None:
        return look("restore", "As far as is known no backup has ever been restored to try it.")
    return fine("restore", f"A backup was restored to try it on {tried.astimezone():%Y-%m-%d}.")
