"""Backups during play, on an empty machine, and between SQLite and PostgreSQL."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.urls import reverse

from companion import limits
from companion.history.models import Upload
from companion.history.statistics import aggregation
from companion.ops.backup import create, verification
from companion.ops.backup.migrations import migrate, open_as_default
from companion.people.auth import COOKIE_NAME
from companion.people.models import Circle
from companion.tables.models import Entry, Table
from companion.tables.services.entries import NewEntry, record_entries
from tests.crowd import copy_tables
from tests.ops.backup.contents import create_full_circle, list_differences, read_contents
from tests.scale import LONG, choose_count
from tests.servers import ROOT, serve
from tests.web.people import Person, new_key

WRITERS = 8
BACKUPS = choose_count(3, 20)
LARGE = 30_000_000
"""Bytes."""


@pytest.fixture(autouse=True)
def data(tmp_path, settings):
    settings.DATA = tmp_path / "data"
    settings.DATA.mkdir()
    return settings.DATA


class BackgroundWriters:
    """Threads that enter counts, and the entries acknowledged so far."""

    def __init__(self, person: Person) -> None:
        self.tables = [person.open("any-game", names=("Ann", "Bo")) for _ in range(WRITERS)]
        self.acknowledged: list[tuple[int, int, str]] = []
        self.stop = threading.Event()
        self.threads = [threading.Thread(target=self.write, args=(table,)) for table in self.tables]

    def write(self, table: Table) -> None:
        number = 0
        try:
            while not self.stop.wait(0.005):
                fields = {"seat": str(number % 2), "points": str(number)}
                entry = NewEntry(new_key(), "count", fields, round=1 + number // 2)
                recorded = record_entries(table, seats=2, device=None, new_entries=[entry])
                number += 1
                self.acknowledged.append((table.pk, recorded.new[0], entry.key))
        finally:
            connections.close_all()

    def __enter__(self) -> BackgroundWriters:
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self.stop.set()
        for thread in self.threads:
            thread.join(60)


def test_a_backup_during_writes_has_all_acknowledged_entries(transactional_db, tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "MAX_ROUNDS", 100_000)  # the writers never pause
    monkeypatch.setattr(limits, "MAX_ENTRIES", 100_000)
    with BackgroundWriters(Person()) as writers:
        # Makes copying slow, and puts new rows far from old ones in the file.
        Upload.objects.create(circle=Circle.objects.get(), content=os.urandom(LARGE))
        for number in range(BACKUPS):
            while len(writers.acknowledged) < 20 * (number + 1):
                assert any(thread.is_alive() for thread in writers.threads)
            before = set(writers.acknowledged)
            path = tmp_path / f"{number}.sqlite3"
            create.create_backup(path)  # verifies it as well
            with open_as_default(path):
                rows = set(Entry.objects.values_list("table", "number", "key"))
                assert before <= rows
                assert list_differences() == []
    assert set(Entry.objects.values_list("table", "number", "key")) == set(writers.acknowledged)


def run_manage(data: Path, *arguments: str) -> str:
    """Run a management command with SQLite in the data folder; return its output."""
    environment = {**os.environ, "COMPANION_DATA": str(data), "LOG_LEVEL": "ERROR"}
    environment.pop("DATABASE_URL", None)
    process = subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env=environment,
        text=True,
        capture_output=True,
        check=False,
    )
    assert process.returncode == 0, process.stdout + process.stderr
    return process.stdout


def test_a_backup_restores_on_an_empty_machine_and_survives_an_update(transactional_db, tmp_path):
    person = Person()
    create_full_circle(person)
    before, table = read_contents(), Table.objects.filter(binned_at=None).last()
    create.create_backup(tmp_path / "backup.sqlite3")
    empty = tmp_path / "empty"
    run_manage(empty, "restore", str(tmp_path / "backup.sqlite3"), "--yes")
    with open_as_default(empty / "companion.sqlite3"):
        assert read_contents() == before
    assert "Everything agrees with the logs" in run_manage(empty, "verify")
    run_manage(empty, "migrate", "history", "0001", "-v0")  # the state of an older release
    with serve(empty) as (port, process):
        assert get_page_status(port, reverse("table", args=[table.public_id]), person.cookies[COOKIE_NAME].value) == 200
        assert get_page_status(port, reverse("table", args=[table.public_id]), "x" * 43) == 404
        with pytest.raises(AssertionError, match="is running"):
            run_manage(empty, "restore", str(tmp_path / "backup.sqlite3"), "--yes")
    output, _ = process.communicate()
    [backup] = (empty / "backups").glob("companion-before-update-*.sqlite3")
    assert str(backup) in output
    assert ("history", "0001_initial") in (migrations := verification.verify_backup(backup).migrations)
    assert not any(name.startswith("0002") for app, name in migrations if app == "history")


def get_page_status(port: int, path: str, token: str) -> int:
    """Return 200 or 404, as answered to a phone with the device cookie."""
    import urllib.error
    import urllib.request

    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", headers={"Cookie": f"{COOKIE_NAME}={token}"})
    with suppress(urllib.error.HTTPError), urllib.request.urlopen(request, timeout=30) as response:
        return int(response.status)
    return 404


def read_sqlite_schema(database: BaseDatabaseWrapper) -> set[tuple[str, str]]:
    """Return the type and name of every table and index."""
    with database.cursor() as cursor:
        cursor.execute("SELECT type, name FROM sqlite_master")
        return set(cursor.fetchall())


def read_postgresql_schema() -> set[tuple[str, str]]:
    """Return indexes and constraints without their generated names."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT tablename, indexdef FROM pg_indexes WHERE schemaname = current_schema()")
        indexes = set(cursor.fetchall())
        cursor.execute(
            "SELECT conrelid::regclass::text, pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid > 0"
        )
        return indexes | set(cursor.fetchall())


@pytest.mark.skipif(connection.vendor != "postgresql", reason="needs PostgreSQL")
def test_an_installation_moves_from_postgresql_to_sqlite_and_back(transactional_db, tmp_path):
    circle = create_full_circle(Person())
    if LONG:
        copy_tables(circle, 1_000)
        aggregation.rebuild([circle])
    before, shape = read_contents(), read_postgresql_schema()
    create.create_backup(tmp_path / "out.sqlite3")
    (tmp_path / "fresh.sqlite3").touch()
    with open_as_default(tmp_path / "fresh.sqlite3") as fresh:
        migrate(fresh)
        expected = read_sqlite_schema(fresh)
    with open_as_default(tmp_path / "out.sqlite3") as file:
        assert read_sqlite_schema(file) - {("table", verification.METADATA_TABLE)} == expected
    run_manage(tmp_path / "small", "restore", str(tmp_path / "out.sqlite3"), "--yes")
    run_manage(tmp_path / "small", "backup", str(tmp_path / "back.sqlite3"))
    with open_as_default(tmp_path / "back.sqlite3"):
        assert read_contents() == before
    Circle.objects.all().delete()
    call_command("restore", str(tmp_path / "back.sqlite3"), "--yes", verbosity=0)
    assert read_contents() == before
    assert list_differences() == [] and read_postgresql_schema() == shape
    Person().open(names=("New", "Here"))  # sequences continue after the restored rows
