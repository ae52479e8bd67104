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
        backup, second_backup = folder / "one.sqlite3", folder / "other.sqlite3"
        yield "backup of it, from SQLite", time_command("backup", str(backup))
        yield "backup: its size", f"{backup.stat().st_size / 1e6:,.0f} MB"
        empty = {"COMPANION_DATA": str(folder / "empty")}
        yield "restored on an empty machine, to SQLite", time_command("restore", "--yes", str(backup), **empty)
        if is_installed():
            with run_postgresql(is_durable=True) as server:
                env = {"COMPANION_DATA": str(folder / "postgresql"), "DATABASE_URL": server.url()}
                yield (
                    "restored on an empty machine, to PostgreSQL",
                    time_command("restore", "--yes", str(backup), **env),
                )
                yield "backup of it, from PostgreSQL", time_command("backup", str(second_backup), **env)


def time_command(*command: str, **environment: str) -> str:
    """Return the duration of a management command, including the start of Python. Raises CalledProcessError."""
    began = time.perf_counter()
    subprocess.run(
        [sys.executable, "manage.py", *command],
        cwd=ROOT,
        env={**os.environ, **environment},
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return f"{time.perf_counter() - began:,.0f} s"
