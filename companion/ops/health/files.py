"""Checks of folders and files: file system, free space, owner, and whether writes reach the disk."""

from __future__ import annotations

import os
import re
import shutil
import statistics
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryFile

from companion.ops.health.findings import Finding

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


def read_mounts() -> str:
    """Return Linux's table of mounts; empty on other systems."""
    return MOUNTS.read_text(encoding="utf-8", errors="surrogateescape") if MOUNTS.exists() else ""


def get_file_system_type(path: Path, mounts: str) -> str:
    """Return the file system type of a path: that of the deepest mount above it, and the last of those."""
    depth, kind = -1, ""
    for line in mounts.splitlines():
        _device, folder, folder_kind, *_options = line.split(" ")
        point = Path(re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), folder))
        if path.is_relative_to(point) and len(point.parts) >= depth:
            depth, kind = len(point.parts), folder_kind
    return kind


def is_network_file_system(kind: str) -> bool:
    return kind in NETWORK_FILE_SYSTEMS or (kind.startswith("fuse.") and kind not in LOCAL_FUSE_FILE_SYSTEMS)


def check_disk(folder: Path, mounts: str) -> Finding:
    """Report a network file system, on which locks and writes are not reliable enough for SQLite."""
    kind = get_file_system_type(folder, mounts)
    if is_network_file_system(kind):
        return Finding.error(
            "disk",
            f"The database cannot be used: {folder} is on a network file system ({kind}), where SQLite can lose "
            "entries. Set COMPANION_DATA to a folder on a disk of this machine, or use PostgreSQL.",
        )
    return Finding.ok("disk", f"{folder} is on a disk of this machine{f' ({kind})' if kind else ''}.")


def check_free_space(folder: Path) -> Finding:
    free = shutil.disk_usage(folder).free
    text = f"{free // MEGABYTE:,} MB are free in {folder}"
    if free < MIN_FREE_BYTES:
        return Finding.error("space", f"Only {text}: free some space, or writes will soon fail.")
    return Finding.warning("space", f"{text}: not much.") if free < LOW_FREE_BYTES else Finding.ok("space", f"{text}.")


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


def check_sync(seconds: float) -> Finding:
    text = f"The disk confirms a write after {seconds * 1e6:,.0f} microseconds"
    if seconds < FASTEST_PLAUSIBLE_SYNC:
        return Finding.warning(
            "sync",
            f"{text}. No disk is that fast: it is memory, or it confirms too early, and a power cut loses entries.",
        )
    return Finding.warning("sync", f"{text}: slow.") if seconds > SLOW_SYNC else Finding.ok("sync", f"{text}.")


def check_owners(paths: Iterable[Path], user: int) -> Iterator[Finding]:
    """Report files of other users; for root only as a warning, since root may write them."""
    foreign = [path for path in paths if path.exists() and path.stat().st_uid != user]
    if not foreign:
        yield Finding.ok("owner", "The data folder and its files belong to the user who runs this.")
    for path in foreign:
        text = f"{path} belongs to user {path.stat().st_uid}, and this runs as user {user}"
        if user == 0:
            yield Finding.warning("owner", f"{text}. The companion may not be able to write what root creates here.")
        else:
            yield Finding.error("owner", f"{text}. Run it as that user, or change the owner: chown {user} {path}")
