"""Benchmark of migrating the database of a release, its tables copied up to a given number.

.venv/bin/python -m tests.releases.bench 0.1 100000
"""

from __future__ import annotations

import lzma
import os
import sqlite3
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

from tests.releases.filling import HERE


def multiply_database(file: Path, release: str, count: int) -> tuple[int, int]:
    """Fill a new file; return the numbers of tables and entries. Copies are no rematches."""
    with closing(sqlite3.connect(file)) as old:
        dump = lzma.decompress((HERE / f"{release}.sql.xz").read_bytes()).decode()
        old.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;" + dump)
        max_id = old.execute("SELECT max(id) FROM tables_table").fetchone()[0]
        old.execute("CREATE TEMP TABLE copies (n INTEGER)")
        old.executemany("INSERT INTO copies VALUES (?)", ((n,) for n in range(1, count // max_id)))
        names = {name for (name,) in old.execute("SELECT name FROM sqlite_master")}
        for table in names & {"tables_entry", "tables_seat", "tables_attendance"}:
            copy_rows(old, table, {"table_id": f"o.table_id + n * {max_id}"})
        changed = {"id": f"o.id + n * {max_id}", "public_id": "o.public_id || n"}
        copy_rows(old, "tables_table", {**changed, "opened_with": "NULL", "rematch_of_id": "NULL"})
        old.commit()
        return tuple(
            old.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in ("tables_table", "tables_entry")
        )


def copy_rows(old: sqlite3.Connection, table: str, changed: dict[str, str]) -> None:
    all_names = [row[1] for row in old.execute(f"PRAGMA table_info({table})")]
    names = [name for name in all_names if name != "id" or "id" in changed]
    columns, values = ", ".join(f'"{name}"' for name in names), ", ".join(changed.get(n, f'o."{n}"') for n in names)
    old.execute(f"INSERT INTO {table} ({columns}) SELECT {values} FROM {table} o, copies")


def main(release: str, count: str) -> None:
    with tempfile.TemporaryDirectory() as data:
        print("tables, entries:", multiply_database(Path(data) / "companion.sqlite3", release, int(count)))
        os.environ |= {"COMPANION_DATA": data, "DJANGO_SETTINGS_MODULE": "companion.settings"}
        os.environ.pop("DATABASE_URL", None)
        import django

        django.setup()
        from django.core.management import call_command

        began, cpu_began = time.perf_counter(), time.process_time()
        call_command("migrate", verbosity=1)
        print(f"{time.perf_counter() - began:.1f} s, of which CPU {time.process_time() - cpu_began:.1f} s")


if __name__ == "__main__":
    main(*sys.argv[1:])
