"""The runs: which tests belong to each, and how often each tries the same thing."""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path, PurePath

RUNS = ("check", "test", "all", "long")
"""Each includes the ones before it: `make check`, `make test`, `make test-all`, `make test-long`."""
RUN = os.environ.get("TEST_RUN", "all")
LONG = RUN == "long"
CHECKED = ("core", "games", "tables")
"""Folders whose unmarked tests are part of `make check`; those of all others begin with `make test`."""
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
"""The first run to include a test with this marker; of several markers the first here decides."""
FOLDERS = ("browser", "faults", "releases")
"""Each gives its tests the marker of its name."""
TESTS = Path(__file__).resolve().parent

if RUN not in RUNS:
    raise ValueError(f"TEST_RUN is {RUN!r}, but must be one of {', '.join(RUNS)}")


def often(usual: int, long: int, *, few: int | None = None) -> int:
    """Return how many times something is tried: `few` in the check and test runs, `long` before a release."""
    if RUN in ("check", "test") and few is not None:
        return few
    return long if LONG else usual


def folder_marker(path: Path) -> str | None:
    """Return the marker that all tests of a file have because of its folder."""
    folder = _folder(path)
    return folder if folder in FOLDERS else None


def first_run(path: Path, markers: Collection[str]) -> str:
    """Return the shortest run that includes a test of this file with these markers, those of its folder included."""
    for marker, run in RUN_OF_MARKER.items():
        if marker in markers:
            return run
    return "check" if _folder(path) in CHECKED else "test"


def includes(run: str, first: str) -> bool:
    """Whether a run includes the tests that begin with another."""
    return RUNS.index(first) <= RUNS.index(run)


def is_left_out(path: Path) -> bool:
    """Whether no test of a file is part of this run, so that it need not be imported."""
    return RUN == "check" and first_run(path, ()) != "check"


def _folder(path: Path) -> str:
    relative = PurePath(path).relative_to(TESTS)
    return relative.parts[0] if len(relative.parts) > 1 else ""
