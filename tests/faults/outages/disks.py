"""Small disks in memory that can be filled or made read-only; needs root."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


def _mount(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["mount", *map(str, arguments)], capture_output=True, text=True, check=False)


@contextmanager
def mount_small_disk(folder: Path, megabytes: int = 4) -> Iterator[Path]:
    """Create the folder and mount a disk on it. Skips without the permission to mount."""
    folder.mkdir()
    process = _mount("-t", "tmpfs", "-o", f"size={megabytes}m", "none", folder)
    if process.returncode:
        pytest.skip(f"mounting a small disk needs root: {process.stderr.strip() or process.stdout.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def make_read_only(disk: Path, is_read_only: bool) -> None:
    """Remount the disk, on which no file may be open for writing."""
    process = _mount("-o", f"remount,{'ro' if is_read_only else 'rw'}", disk)
    assert process.returncode == 0, process.stderr


def fill_disk(disk: Path, spare: int) -> Path:
    """Create a file that leaves at most `spare` bytes free."""
    ballast = disk / "ballast"
    free = os.statvfs(disk).f_bavail * os.statvfs(disk).f_frsize
    ballast.write_bytes(b"x" * max(0, free - spare))
    return ballast
