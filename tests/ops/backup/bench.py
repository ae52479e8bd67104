"""Duration of backups and restores, on SQLite and PostgreSQL."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def figures() -> Iterator[tuple[str, str]]:
    from tests.postgresql import is_installed, run_postgresql

    with tempfile.TemporaryDirectory(prefix="companion-bench-backups-") as name:
        folder = Path(name)
        backup, other = folder / "one.sqlite3", folder / "other.sqlite3"
        yield "backup of it, from SQLite", told("backup", str(backup))
        yield "backup: its size", f"{backup.stat().st_size / 1e6:,.0f} MB"
        empty = {"COMPANION_DATA": str(folder / "empty")}
        yield "restored on an empty machine, to SQLite", told("restore", "--yes", str(backup), **empty)
        if is_installed():
            with run_postgresql(is_durable=True) as server:
                own = {"COMPANION_DATA": str(folder / "postgresql"), "DATABASE_URL": server.url()}
                yield "restored on an empty machine, to PostgreSQL", told("restore", "--yes", str(backup), **own)
                yield "backup of it, from PostgreSQL", told("backup", str(other), **own)


def told(*command: str, **environment: str) -> str:
    """How long a command of `manage.py` takes, with the start of Python. Raises CalledProcessError."""
    began = time.perf_counter()
    subprocess.run(
        [sys.executable, "manage.py", *command],
        cwd=ROOT,
        env={**os.environ, **environment},
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return f"{time.perf_counter() - began:,.0f} s"
