"""Small disks in memory that can be filled or made read-only; needs root."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


def _mount(*words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["mount", *map(str, words)], capture_output=True, text=True, check=False)


@contextmanager
def small_disk(place: Path, megabytes: int = 4) -> Iterator[Path]:
    """A disk at that place, which is made; the test is skipped where we may not mount."""
    place.mkdir()
    done = _mount("-t", "tmpfs", "-o", f"size={megabytes}m", "none", place)
    if done.returncode:
        pytest.skip(f"mounting a small disk takes root: {done.stderr.strip() or done.stdout.strip()}")
    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


def make_read_only(disk: Path, is_read_only: bool) -> None:
    """Nobody may have a file open for writing on it."""
    done = _mount("-o", f"remount,{'ro' if is_read_only else 'rw'}", disk)
    assert done.returncode == 0, done.stderr


def fill(disk: Path, spare: int) -> Path:
    """A file that leaves no more than so many bytes free."""
    ballast = disk / "ballast"
    free = os.statvfs(disk).f_bavail * os.statvfs(disk).f_frsize
    ballast.write_bytes(b"x" * max(0, free - spare))
    return ballast
