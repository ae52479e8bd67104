"""Test runs: their tests and numbers of repetitions."""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path, PurePath

RUNS = ("check", "test", "all", "long")
"""Each includes the ones before it: `make check`, `make test`, `make test-all`, `make test-long`."""
RUN = os.environ.get("TEST_RUN", "all")
LONG = RUN == "long"
CHECK_FOLDERS = ("core", "games", "tables")
"""Folders whose unmarked tests are part of `make check`; all others start with `make test`."""
RUN_OF_MARKER = {
    "long": "long",
    "smoke": "test",
    "slow": "all",
    "browser": "all",
    "faults": "all",
    "hostile": "all",
    "releases": "all",
    "pages": "test",
    "random": "test",
}
"""First run that includes a marker; with several markers the first one here decides."""
FOLDERS = ("browser", "faults", "releases")
"""Folders that mark their tests with their name."""
TESTS = Path(__file__).resolve().parent

if RUN not in RUNS:
    raise ValueError(f"TEST_RUN is {RUN!r}, but must be one of {', '.join(RUNS)}")


def choose_count(usual: int, long: int, *, few: int | None = None) -> int:
    """Return the number of repetitions: `few` in the check and test runs, `long` in the long run."""
    if RUN in ("check", "test") and few is not None:
        return few
    return long if LONG else usual


def get_folder_marker(path: Path) -> str | None:
    """Return the marker that a file's folder gives its tests."""
    folder = _get_folder(path)
    return folder if folder in FOLDERS else None


def get_first_run(path: Path, markers: Collection[str]) -> str:
    """Return the shortest run that includes a test, given its file and all its markers."""
    for marker, run in RUN_OF_MARKER.items():
        if marker in markers:
            return run
    return "check" if _get_folder(path) in CHECK_FOLDERS else "test"


def includes(run: str, first: str) -> bool:
    """Return whether a run includes tests that start with another one."""
    return RUNS.index(first) <= RUNS.index(run)


def is_excluded(path: Path) -> bool:
    """Return whether the current run needs no test of a file."""
    return RUN == "check" and get_first_run(path, ()) != "check"


def _get_folder(path: Path) -> str:
    relative = PurePath(path).relative_to(TESTS)
    return relative.parts[0] if len(relative.parts) > 1 else ""
