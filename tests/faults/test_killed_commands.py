"""Atomicity of commands that are killed."""

import json

import pytest
from django.db import connection, transaction
from django.urls import reverse

from companion.exchange.importer import BATCH_TABLES
from companion.ops.backup import create, verification
from companion.ops.backup.migrations import open_as_default
from companion.people.models import Circle
from companion.people.services import get_or_create_player
from companion.tables.models import Place, Seat, Table
from tests.exchange.backups import build_backup
from tests.faults.killer import Killer
from tests.ops.backup.contents import create_full_circle, list_differences, read_contents
from tests.scale import choose_count
from tests.web.people import Person

KILLS = choose_count(2, 20)
"""How often each command is killed."""
LARGE = 3 * BATCH_TABLES
"""Tables in a file that is imported in several transactions."""


@pytest.fixture
def person(transactional_db, tmp_path, settings):
    settings.DATA = tmp_path / "data"
    settings.DATA.mkdir()
    person = Person()
    create_full_circle(person, each=choose_count(1, 4))
    return person


@pytest.fixture
def killer(person, settings):
    return Killer(settings.DATA)


def assert_sound():
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA integrity_check")
            assert cursor.fetchone() == ("ok",)
    assert list_differences() == []


def test_a_killed_backup_leaves_no_backup(killer, tmp_path):
    before = read_contents()
    killer.run("backup", str(tmp_path / "first.sqlite3"))
    assert (tmp_path / "first.sqlite3").exists()
    for number in range(KILLS):
        path = tmp_path / f"{number}.sqlite3"
        is_killed = killer.kill("backup", str(path))
        assert is_killed or path.exists()
        if path.exists():
            verification.verify_backup(path)
            with open_as_default(path):
                assert read_contents() == before
    assert read_contents() == before


def test_a_killed_restore_changes_all_or_nothing(killer, person, tmp_path):
    """Restore back and forth between two states."""
    states = []
    for name in ("one", "other"):
        states.append(read_contents())
        create.create_backup(tmp_path / f"{name}.sqlite3")
        person.open(names=("Later", "Still"))
    killer.run("restore", str(tmp_path / "one.sqlite3"), "--yes")
    assert read_contents() == states[0]
    for _ in range(KILLS):
        is_second = read_contents() == states[1]
        path = tmp_path / ("one.sqlite3" if is_second else "other.sqlite3")
        killer.kill("restore", str(path), "--yes")
        assert read_contents() in states
        assert_sound()
    for path in (killer.data / "backups").glob("companion-*.sqlite3"):
        verification.verify_backup(path)  # whatever is named like a backup is complete


def test_a_killed_erasure_erases_nothing(killer):
    circle = Circle.objects.get(pk=Table.objects.first().circle_id)
    names = [f"Ευρυδίκη{number}" for number in range(KILLS + 1)]
    for number, table in enumerate(Table.objects.filter(circle=circle)):
        Table.objects.filter(pk=table.pk).update(note=" ".join(names))
        for name in names:  # so that each erasure has equally many writes
            Place.objects.create(circle=circle, name=f"{number} {name}")
    with transaction.atomic():
        for name in names:
            get_or_create_player(circle, name)
    killer.run("erase_player", str(circle.pk), names[0], "--yes")
    assert names[0] not in str(read_contents())
    for name in names[1:]:
        before = read_contents()
        killer.kill_between_writes("erase_player", str(circle.pk), name, "--yes")
        assert read_contents() == before
    assert_sound()


def test_a_killed_small_import_leaves_nothing(killer, person, tmp_path):
    response = person.get(reverse("export-history", args=["json"]))
    path = tmp_path / "tables.json"
    path.write_bytes(b"".join(response.streaming_content))
    count = len(json.loads(path.read_text())["tables"])
    circles = [Circle.objects.create() for _ in range(KILLS + 1)]
    killer.run("import_file", str(circles[0].pk), str(path))
    assert circles[0].tables.count() == count > 0
    assert circles[0].players.exists()
    for circle in circles[1:]:
        before = read_contents()
        killer.kill_between_writes("import_file", str(circle.pk), str(path))
        assert read_contents() == before
    assert_sound()


def test_a_killed_large_import_can_be_repeated(killer, person, tmp_path):
    """Transactions committed before the kill are kept, and not imported twice."""
    path = tmp_path / "plays.json"
    path.write_text(json.dumps(build_backup(plays=LARGE)))
    circles = [Circle.objects.create() for _ in range(KILLS + 1)]
    killer.run("import_file", str(circles[0].pk), str(path))
    expected, writes = list_seats(circles[0]), killer.writes
    assert circles[0].tables.count() == LARGE and killer.writes > 3
    table_counts = []
    for circle in circles[1:]:
        killer.writes = writes
        killer.kill_between_writes("import_file", str(circle.pk), str(path))
        table_counts.append(circle.tables.count())
        for _ in range(2):
            killer.run("import_file", str(circle.pk), str(path))
            assert list_seats(circle) == expected
    assert_sound()
    assert all(count < LARGE for count in table_counts)


def list_seats(circle: Circle) -> list[tuple[object, ...]]:
    """Return every seat of a circle with its player and the table's result."""
    rows = Seat.objects.filter(table__circle=circle).order_by("table__source", "number")
    return list(rows.values_list("table__source", "number", "player__name", "table__result", "table__version"))
