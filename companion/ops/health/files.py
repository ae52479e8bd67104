"""Checks of folders and files: file system, free space, owner, backups, and whether writes reach the disk."""

import os
import re
import shutil
import statistics
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryFile

from django.conf import settings
from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.utils import timezone

from companion.ops.backup import retention
from companion.ops.backup.restore import SIDECAR_SUFFIXES
from companion.ops.health.findings import Finding, error, ok, warning

MOUNTS = Path("/proc/self/mounts")
"""Device, folder, file system type and options of each mount, one a line; Linux only."""
NETWORK_FILE_SYSTEMS = frozenset(
    {"9p", "afs", "beegfs", "ceph", "cifs", "coda", "gfs2", "gpfs", "lustre", "ncpfs", "nfs", "nfs4", "ocfs2"}
    | {"prl_fs", "smb", "smb2", "smb3", "smbfs", "virtiofs", "vboxsf", "vmhgfs"}
)
LOCAL_FUSE_FILE_SYSTEMS = frozenset({"fuse.encfs", "fuse.fuse-overlayfs", "fuse.gocryptfs", "fuse.mergerfs"})
"""FUSE file systems that store data on a local disk."""
MEGABYTE = 1_000_000
MIN_FREE_BYTES, LOW_FREE_BYTES = 200 * MEGABYTE, 1_000 * MEGABYTE
FASTEST_PLAUSIBLE_SYNC, SLOW_SYNC = 50e-6, 0.1
"""Seconds of a synced write: faster than any disk, and slow enough to be noticed at a table."""
WRITES_TIMED = 15
MAX_BACKUP_AGE = timedelta(hours=48)


def get_database_path(database: BaseDatabaseWrapper = connection) -> Path:
    """Return the file of an SQLite database."""
    return Path(database.settings_dict["NAME"]).absolute()


def list_data_folders() -> list[Path]:
    """Return the data folder, and that of the SQLite file if it is another."""
    is_sqlite = connection.vendor == "sqlite"
    return sorted({settings.DATA, get_database_path().parent} if is_sqlite else {settings.DATA})


def get_file_system_type(path: Path) -> str:
    """Return the type of a path's file system: that of the last, deepest mount above it; empty except on Linux."""
    depth, kind = -1, ""
    mounts = MOUNTS.read_text(encoding="utf-8", errors="surrogateescape") if MOUNTS.exists() else ""
    for line in mounts.splitlines():
        _device, folder, folder_kind, *_options = line.split(" ")
        point = Path(re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), folder))
        if path.is_relative_to(point) and len(point.parts) >= depth:
            depth, kind = len(point.parts), folder_kind
    return kind


def check_disk(folder: Path) -> Finding:
    """Report a network file system, on which locks and writes are not reliable enough for SQLite."""
    kind = get_file_system_type(folder)
    if kind in NETWORK_FILE_SYSTEMS or (kind.startswith("fuse.") and kind not in LOCAL_FUSE_FILE_SYSTEMS):
        return error(
            "disk",
            f"The database cannot be used: {folder} is on a network file system ({kind}), where SQLite can lose "
            "entries. Set COMPANION_DATA to a folder on a disk of this machine, or use PostgreSQL.",
        )
    return ok("disk", f"{folder} is on a disk of this machine{f' ({kind})' if kind else ''}.")


def check_free_space() -> Iterator[Finding]:
    for folder in list_data_folders():
        free = shutil.disk_usage(folder).free
        text = f"{free // MEGABYTE:,} MB are free in {folder}"
        if free < MIN_FREE_BYTES:
            yield error("space", f"Only {text}: free some space, or writes will soon fail.")
        else:
            yield warning("space", f"{text}: not much.") if free < LOW_FREE_BYTES else ok("space", f"{text}.")


def measure_sync_seconds(folder: Path) -> float:
    """Return the median seconds of a small synced write."""
    with TemporaryFile(dir=folder, buffering=0) as file:
        durations = []
        for _attempt in range(WRITES_TIMED):
            started = time.perf_counter()
            file.write(b"x" * 4096)
            os.fsync(file.fileno())
            durations.append(time.perf_counter() - started)
    return statistics.median(durations)


def check_sync() -> Iterator[Finding]:
    """Report whether the disk of an SQLite file confirms writes too early, or late."""
    if connection.vendor == "sqlite":
        seconds = measure_sync_seconds(get_database_path().parent)
        text = f"The disk confirms a write after {seconds * 1e6:,.0f} microseconds"
        if seconds < FASTEST_PLAUSIBLE_SYNC:
            reason = "No disk is that fast: it is memory, or it confirms too early, and a power cut loses entries."
            yield warning("sync", f"{text}. {reason}")
        else:
            yield warning("sync", f"{text}: slow.") if seconds > SLOW_SYNC else ok("sync", f"{text}.")


def check_owners() -> Iterator[Finding]:
    """Report files of other users; for root only as a warning, since root may write them."""
    if not hasattr(os, "geteuid"):
        return
    paths, user = [settings.DATA, settings.DATA / "secret_key"], os.geteuid()
    if connection.vendor == "sqlite":
        database = get_database_path()
        paths += [database.with_name(database.name + suffix) for suffix in ("", *SIDECAR_SUFFIXES)]
    foreign = [path for path in paths if path.exists() and path.stat().st_uid != user]
    if not foreign:
        yield ok("owner", "The data folder and its files belong to the user who runs this.")
    for path in foreign:
        text = f"{path} belongs to user {path.stat().st_uid}, and this runs as user {user}"
        if user == 0:
            yield warning("owner", f"{text}. The companion may not be able to write what root creates here.")
        else:
            yield error("owner", f"{text}. Run it as that user, or change the owner: chown {user} {path}")


def check_newest_backup() -> Finding:
    made = retention.get_newest_backup_time()
    if made is None:
        return warning("backup", "There is no backup in the data folder: if the disk breaks, everything is lost.")
    text = f"The newest backup is of {made.astimezone():%Y-%m-%d %H:%M}"
    if timezone.now() - made >= MAX_BACKUP_AGE:
        return warning("backup", f"{text}: over 48 hours old.")
    return ok("backup", f"{text}.")


def check_last_restore() -> Finding:
    marker = retention.get_backup_folder() / retention.RESTORE_MARKER
    if not marker.exists():
        return warning("restore", "No backup has ever been restored as a test, as far as is known.")
    restored_at = datetime.fromtimestamp(marker.stat().st_mtime, UTC)
    return ok("restore", f"A backup was last restored on {restored_at.astimezone():%Y-%m-%d}.")
