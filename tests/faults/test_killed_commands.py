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
from tests.ops.backup.contents import contents, differing, furnished
from tests.scale import choose_count
from tests.web.people import Person

TIMES = choose_count(2, 20)
"""How often each of them is killed."""
LARGE = 3 * BATCH_TABLES
"""Plays in a file that comes in by several transactions."""


@pytest.fixture
def person(transactional_db, tmp_path, settings):
    settings.DATA = tmp_path / "data"
    settings.DATA.mkdir()
    person = Person()
    furnished(person, each=choose_count(1, 4))
    return person


@pytest.fixture
def killer(person, settings):
    return Killer(settings.DATA)


def assert_sound():
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA integrity_check")
            assert cursor.fetchone() == ("ok",)
    assert differing() == []


def test_a_killed_backup_leaves_no_backup(killer, tmp_path):
    before = contents()
    killer.first("backup", str(tmp_path / "first.sqlite3"))
    assert (tmp_path / "first.sqlite3").exists()
    for number in range(TIMES):
        path = tmp_path / f"{number}.sqlite3"
        is_killed = killer.kill("backup", str(path))
        assert is_killed or path.exists()
        if path.exists():
            verification.verify_backup(path)
            with open_as_default(path):
                assert contents() == before
    assert contents() == before


def test_a_killed_restore_changes_all_or_nothing(killer, person, tmp_path):
    """To and fro between two states: whichever is there, the other one is put in its place."""
    states = []
    for name in ("one", "other"):
        states.append(contents())
        create.create_backup(tmp_path / f"{name}.sqlite3")
        person.open(names=("Later", "Still"))
    killer.first("restore", str(tmp_path / "one.sqlite3"), "--yes")
    assert contents() == states[0]
    for _time in range(TIMES):
        now = contents()
        wanted = tmp_path / ("one.sqlite3" if now == states[1] else "other.sqlite3")
        killer.kill("restore", str(wanted), "--yes")
        assert contents() in states
        assert_sound()
    for path in (killer.data / "backups").glob("companion-*.sqlite3"):
        verification.verify_backup(path)  # what bears the name of a backup is one


def test_a_killed_erasure_erases_nothing(killer):
    circle = Circle.objects.get(pk=Table.objects.first().circle_id)
    names = [f"Ευρυδίκη{number}" for number in range(TIMES + 1)]
    for number, table in enumerate(Table.objects.filter(circle=circle)):
        Table.objects.filter(pk=table.pk).update(note=" ".join(names))
        for name in names:  # as much to write for each of them
            Place.objects.create(circle=circle, name=f"{number} {name}")
    with transaction.atomic():
        for name in names:
            get_or_create_player(circle, name)
    killer.first("erase_player", str(circle.pk), names[0], "--yes")
    assert names[0] not in str(contents())
    for name in names[1:]:
        before = contents()
        killer.kill_between_writes("erase_player", str(circle.pk), name, "--yes")
        assert contents() == before
    assert_sound()


def test_a_killed_small_import_leaves_nothing(killer, person, tmp_path):
    response = person.get(reverse("export-history", args=["json"]))
    path = tmp_path / "tables.json"
    path.write_bytes(b"".join(response.streaming_content))
    count = len(json.loads(path.read_text())["tables"])
    circles = [Circle.objects.create() for _time in range(TIMES + 1)]
    killer.first("import_file", str(circles[0].pk), str(path))
    assert circles[0].tables.count() == count > 0
    assert circles[0].players.exists()
    for circle in circles[1:]:
        before = contents()
        killer.kill_between_writes("import_file", str(circle.pk), str(path))
        assert contents() == before
    assert_sound()


def test_a_killed_large_import_can_be_repeated(killer, person, tmp_path):
    """It comes in by several transactions: what was written before the end stays, and is not written again."""
    path = tmp_path / "plays.json"
    path.write_text(json.dumps(build_backup(plays=LARGE)))
    circles = [Circle.objects.create() for _time in range(TIMES + 1)]
    killer.first("import_file", str(circles[0].pk), str(path))
    wanted, writes = seats_of(circles[0]), killer.writes
    assert circles[0].tables.count() == LARGE and killer.writes > 3
    parts = []
    for circle in circles[1:]:
        killer.writes = writes
        killer.kill_between_writes("import_file", str(circle.pk), str(path))
        parts.append(circle.tables.count())
        for _again in range(2):
            killer.first("import_file", str(circle.pk), str(path))
            assert seats_of(circle) == wanted
    assert_sound()
    assert all(part < LARGE for part in parts)


def seats_of(circle: Circle) -> list[tuple[object, ...]]:
    """Who sits where at all tables of a circle, and with how much they ended, in words."""
    rows = Seat.objects.filter(table__circle=circle).order_by("table__source", "number")
    return list(rows.values_list("table__source", "number", "player__name", "table__result", "table__version"))
