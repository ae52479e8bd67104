"""Checks of folders and files: on what kind of disk, how much room, whose, and whether it writes what it says."""

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

MOUNTINFO = Path("/proc/self/mountinfo")
"""Where Linux lists what is mounted; other systems have no such file."""
NETWORK_FILE_SYSTEMS = frozenset(
    {"9p", "afs", "beegfs", "ceph", "cifs", "coda", "gfs2", "gpfs", "lustre", "ncpfs", "nfs", "nfs4", "ocfs2"}
    | {"prl_fs", "smb", "smb2", "smb3", "smbfs", "virtiofs", "vboxsf", "vmhgfs"}
)
LOCAL_FUSE_FILE_SYSTEMS = frozenset({"fuse.encfs", "fuse.fuse-overlayfs", "fuse.gocryptfs", "fuse.mergerfs"})
"""Of file systems that programs make: those that lie on a disk of this machine."""
MEGABYTE = 1_000_000
MIN_FREE_BYTES, LOW_FREE_BYTES = 200 * MEGABYTE, 1_000 * MEGABYTE
FASTEST_PLAUSIBLE_SYNC, SLOW_SYNC = 50e-6, 0.1
"""Seconds of a write to the disk: what no disk can do, and what everybody at a table notices."""
WRITES_TIMED = 15


def read_mounts() -> str:
    """What is mounted, as Linux says; empty on other systems."""
    try:
        return MOUNTINFO.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return ""


def get_file_system_type(path: Path, mountinfo: str) -> str:
    """The type of the file system that a path lies on: of the mounts above it the deepest, and of those the last."""
    best, kind = -1, ""
    for line in mountinfo.splitlines():
        before, dash, after = line.partition(" - ")
        fields = before.split(" ")
        if not dash or len(fields) < 5:
            continue
        point = Path(re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), fields[4]))
        if path.is_relative_to(point) and len(point.parts) >= best:
            best, kind = len(point.parts), after.split(" ")[0]
    return kind


def is_network_file_system(kind: str) -> bool:
    return kind in NETWORK_FILE_SYSTEMS or (kind.startswith("fuse.") and kind not in LOCAL_FUSE_FILE_SYSTEMS)


def check_disk(folder: Path, mountinfo: str) -> Finding:
    """SQLite needs locks that hold and writes that arrive; over a network neither is certain."""
    kind = get_file_system_type(folder, mountinfo)
    if is_network_file_system(kind):
        return Finding.error(
            "disk",
            f"The database cannot be used: {folder} is on a network file system ({kind}), where SQLite can lose "
            "entries. Set COMPANION_DATA to a folder on a disk of this machine, or use PostgreSQL.",
        )
    return Finding.ok("disk", f"{folder} is on a disk of this machine{f' ({kind})' if kind else ''}.")


def check_free_space(folder: Path) -> Finding:
    free = shutil.disk_usage(folder).free
    words = f"{free // MEGABYTE:,} MB are free in {folder}"
    if free < MIN_FREE_BYTES:
        return Finding.error("room", f"Only {words}: free some, or soon nothing can be written.")
    return Finding.warning("room", f"{words}: not much.") if free < LOW_FREE_BYTES else Finding.ok("room", f"{words}.")


def measure_sync_seconds(folder: Path) -> float:
    """How long a small write takes until the disk says that it has it: the median of some."""
    with TemporaryFile(dir=folder, buffering=0) as file:
        taken = []
        for _time in range(WRITES_TIMED):
            began = time.perf_counter()
            file.write(b"x" * 4096)
            os.fsync(file.fileno())
            taken.append(time.perf_counter() - began)
    return statistics.median(taken)


def check_sync(seconds: float) -> Finding:
    words = f"The disk says after {seconds * 1e6:,.0f} microseconds that it has written"
    if seconds < FASTEST_PLAUSIBLE_SYNC:
        return Finding.warning(
            "sync",
            f"{words}. No disk is that fast: it is memory, or it promises too much, and a power cut loses entries.",
        )
    return Finding.warning("sync", f"{words}: slow.") if seconds > SLOW_SYNC else Finding.ok("sync", f"{words}.")


def check_owners(paths: Iterable[Path], user: int) -> Iterator[Finding]:
    """Whatever belongs to somebody else. As root that is told only: root may write everything."""
    others = [path for path in paths if path.exists() and path.stat().st_uid != user]
    if not others:
        yield Finding.ok("owner", "The data folder and its files belong to the user who runs this.")
    for path in others:
        text = f"{path} belongs to user {path.stat().st_uid}, and this runs as user {user}"
        if user == 0:
            yield Finding.warning(
                "owner", f"{text}. What root makes here the companion may not be able to write later."
            )
        else:
            yield Finding.error("owner", f"{text}. Run it as that user, or give the file away: chown {user} {path}")


def check_key_file(path: Path, is_from_outside: bool) -> Finding:
    """The file that holds the secret key, unless the key stands in the environment."""
    if is_from_outside:
        return Finding.ok("key", "The secret key comes from SECRET_KEY.")
    if not path.exists():
        return Finding.ok("key", f"{path} is made at the first start.")
    if os.name == "posix" and path.stat().st_mode & 0o077:
        return Finding.error("key", f"{path} can be read by others. Make it private: chmod 600 {path}")
    return Finding.ok("key", f"{path} is for its owner alone.")
