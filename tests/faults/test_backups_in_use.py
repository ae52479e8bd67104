"""Backups during play, on an empty machine, and between kinds of databases."""

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
from tests.ops.backup.contents import contents, differing, furnished
from tests.ops.test_serve import ROOT, free_port, serving, wait_until_it_answers
from tests.scale import LONG, choose_count
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


class Writing:
    """Phones that enter one count after the other, and what has been acknowledged to them."""

    def __init__(self, person: Person) -> None:
        self.tables = [person.open("any-game", names=("Ann", "Bo")) for _writer in range(WRITERS)]
        self.acknowledged: list[tuple[int, int, str]] = []
        self.stop = threading.Event()
        self.threads = [threading.Thread(target=self.write, args=(table,)) for table in self.tables]

    def write(self, table: Table) -> None:
        number = 0
        try:
            while not self.stop.wait(0.005):
                words = {"seat": str(number % 2), "points": str(number)}
                draft = NewEntry(new_key(), "count", words, round=1 + number // 2)
                done = record_entries(table, seats=2, device=None, new_entries=[draft])
                number += 1
                self.acknowledged.append((table.pk, done.new[0], draft.key))
        finally:
            connections.close_all()

    def __enter__(self) -> Writing:
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_what: object) -> None:
        self.stop.set()
        for thread in self.threads:
            thread.join(60)


def test_a_backup_during_writes_has_all_acknowledged_entries(transactional_db, tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "MAX_ROUNDS", 100_000)  # they never pause
    monkeypatch.setattr(limits, "MAX_ENTRIES", 100_000)
    with Writing(Person()) as writing:
        # So that copying takes a while, and what was there before lies far from what is new.
        Upload.objects.create(circle=Circle.objects.get(), content=os.urandom(LARGE))
        for number in range(BACKUPS):
            while len(writing.acknowledged) < 20 * (number + 1):
                assert any(thread.is_alive() for thread in writing.threads)
            before = set(writing.acknowledged)
            path = tmp_path / f"{number}.sqlite3"
            create.create_backup(path)  # which looks whether it is sound
            with open_as_default(path):
                there = set(Entry.objects.values_list("table", "number", "key"))
                assert before <= there
                assert differing() == []
    assert set(Entry.objects.values_list("table", "number", "key")) == set(writing.acknowledged)


def manage(data: Path, *words: str) -> str:
    """A command as it is documented, on a machine with SQLite in that folder."""
    environment = {**os.environ, "COMPANION_DATA": str(data), "LOG_LEVEL": "ERROR"}
    environment.pop("DATABASE_URL", None)
    done = subprocess.run(
        [sys.executable, "manage.py", *words], cwd=ROOT, env=environment, text=True, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_backup_restores_on_an_empty_machine_and_survives_an_update(transactional_db, tmp_path):
    person = Person()
    furnished(person)
    before, table = contents(), Table.objects.filter(binned_at=None).last()
    create.create_backup(tmp_path / "backup.sqlite3")
    empty = tmp_path / "empty"
    manage(empty, "restore", str(tmp_path / "backup.sqlite3"), "--yes")
    with open_as_default(empty / "companion.sqlite3"):
        assert contents() == before
    assert "Everything agrees with the logs" in manage(empty, "verify")
    manage(empty, "migrate", "history", "0001", "-v0")  # as an older release had left it
    port = free_port()
    with serving(empty, port) as process:
        wait_until_it_answers(port)
        assert page(port, reverse("table", args=[table.public_id]), person.cookies[COOKIE_NAME].value) == 200
        assert page(port, reverse("table", args=[table.public_id]), "x" * 43) == 404
        with pytest.raises(AssertionError, match="is running"):
            manage(empty, "restore", str(tmp_path / "backup.sqlite3"), "--yes")
        process.terminate()
        words, _ = process.communicate(timeout=30)
    [kept] = (empty / "backups").glob("companion-before-update-*.sqlite3")
    assert str(kept) in words
    assert ("history", "0001_initial") in (migrations := verification.verify_backup(kept).migrations)
    assert not any(name.startswith("0002") for app, name in migrations if app == "history")


def page(port: int, path: str, token: str) -> int:
    """What a phone with that cookie is answered."""
    import urllib.error
    import urllib.request

    asked = urllib.request.Request(f"http://127.0.0.1:{port}{path}", headers={"Cookie": f"{COOKIE_NAME}={token}"})
    with suppress(urllib.error.HTTPError), urllib.request.urlopen(asked, timeout=30) as response:
        return int(response.status)
    return 404


def shape_of_sqlite(database: BaseDatabaseWrapper) -> set[tuple[str, str]]:
    """Tables and indexes."""
    with database.cursor() as cursor:
        cursor.execute("SELECT type, name FROM sqlite_master")
        return set(cursor.fetchall())


def shape_of_postgresql() -> set[tuple[str, str]]:
    """Indexes and constraints, but for those that are called by number."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT tablename, indexdef FROM pg_indexes WHERE schemaname = current_schema()")
        indexes = set(cursor.fetchall())
        cursor.execute(
            "SELECT conrelid::regclass::text, pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid > 0"
        )
        return indexes | set(cursor.fetchall())


@pytest.mark.skipif(connection.vendor != "postgresql", reason="from one kind of database to the other")
def test_an_installation_moves_from_postgresql_to_sqlite_and_back(transactional_db, tmp_path):
    circle = furnished(Person())
    if LONG:
        copy_tables(circle, 1_000)
        aggregation.rebuild([circle])
    before, shape = contents(), shape_of_postgresql()
    create.create_backup(tmp_path / "out.sqlite3")
    (tmp_path / "fresh.sqlite3").touch()
    with open_as_default(tmp_path / "fresh.sqlite3") as fresh:
        migrate(fresh)
        expected = shape_of_sqlite(fresh)
    with open_as_default(tmp_path / "out.sqlite3") as file:
        assert shape_of_sqlite(file) - {("table", verification.METADATA_TABLE)} == expected
    manage(tmp_path / "small", "restore", str(tmp_path / "out.sqlite3"), "--yes")
    manage(tmp_path / "small", "backup", str(tmp_path / "back.sqlite3"))
    with open_as_default(tmp_path / "back.sqlite3"):
        assert contents() == before
    Circle.objects.all().delete()
    call_command("restore", str(tmp_path / "back.sqlite3"), "--yes", verbosity=0)
    assert contents() == before
    assert differing() == [] and shape_of_postgresql() == shape
    Person().open(names=("New", "Here"))  # with a number that is free
