"""Hostile requests on SQLite and PostgreSQL, with the same answers and the same data."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.ops.test_serve import ROOT

SENT = ("tests/web/test_every_field.py", "tests/web/test_reported.py")
FEWEST = 7_000
"""Requests, at least."""


@contextmanager
def another_database() -> Iterator[str]:
    """Its address: the one that these tests run on, or a server that is started for this. Skips where there is none."""
    url = os.environ.get("DATABASE_URL", "")
    private = import_module("tests.postgresql") if find_spec("tests.postgresql") else None
    if url.startswith("postgres"):
        yield url
    elif private and private.is_installed():
        with private.running_server() as server:
            yield server.url()
    else:
        pytest.skip("There is no PostgreSQL to compare with.")


def verdicts(file: Path, url: str) -> dict[str, str]:
    """By case: its status, and a hash of what is stored."""
    own = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "TEST_RUN")}
    env = own | {"VERDICTS": str(file), "DATABASE_URL": url, "COMPANION_DATA": str(file.parent)}
    run = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--create-db", *SENT]
    done = subprocess.run(run, cwd=ROOT, env=env, capture_output=True, text=True, timeout=3_600)
    assert done.returncode == 0, done.stdout[-4_000:]
    lines = file.read_text(encoding="utf-8").splitlines()
    found = dict(line.split("\t", 1) for line in lines)
    assert len(found) == len(lines), "every case has a name of its own"
    return found


@pytest.mark.long
def test_hostile_requests_get_the_same_answers_on_both_databases(tmp_path: Path) -> None:
    here = verdicts(tmp_path / "sqlite", "")
    assert len(here) >= FEWEST
    with another_database() as url:
        there = verdicts(tmp_path / "postgresql", url)
    differing = [
        f"{case}: {here.get(case)} {there.get(case)}" for case in here | there if here.get(case) != there.get(case)
    ]
    assert not differing, "\n".join(differing[:40])
