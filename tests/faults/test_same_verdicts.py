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

from tests.servers import ROOT

TEST_FILES = ("tests/web/test_every_field.py", "tests/web/test_reported.py")
MIN_REQUESTS = 7_000


@contextmanager
def provide_postgresql() -> Iterator[str]:
    """Yield the URL of the database of this run or of a temporary server. Skips without PostgreSQL."""
    url = os.environ.get("DATABASE_URL", "")
    postgresql = import_module("tests.postgresql") if find_spec("tests.postgresql") else None
    if url.startswith("postgres"):
        yield url
    elif postgresql and postgresql.is_installed():
        with postgresql.run_postgresql() as server:
            yield server.url()
    else:
        pytest.skip("PostgreSQL is not installed.")


def collect_verdicts(file: Path, url: str) -> dict[str, str]:
    """Return the status and a hash of the stored data of each case."""
    inherited = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "TEST_RUN")}
    env = inherited | {"VERDICTS": str(file), "DATABASE_URL": url, "COMPANION_DATA": str(file.parent)}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--create-db", *TEST_FILES]
    process = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=3_600)
    assert process.returncode == 0, process.stdout[-4_000:]
    lines = file.read_text(encoding="utf-8").splitlines()
    verdicts = dict(line.split("\t", 1) for line in lines)
    assert len(verdicts) == len(lines), "duplicate case names"
    return verdicts


@pytest.mark.long
def test_hostile_requests_get_the_same_answers_on_both_databases(tmp_path: Path) -> None:
    on_sqlite = collect_verdicts(tmp_path / "sqlite", "")
    assert len(on_sqlite) >= MIN_REQUESTS
    with provide_postgresql() as url:
        on_postgresql = collect_verdicts(tmp_path / "postgresql", url)
    differing = [
        f"{case}: {on_sqlite.get(case)} {on_postgresql.get(case)}"
        for case in on_sqlite | on_postgresql
        if on_sqlite.get(case) != on_postgresql.get(case)
    ]
    assert not differing, "\n".join(differing[:40])
