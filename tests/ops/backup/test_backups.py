"""Creation, refusal and rotation of backups."""

import json
import os
import shutil
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone

from companion.db.data_lock import DataFolderInUse, exclusive_lock, shared_lock
from companion.ops.backup import create, postgres_copy, retention, verification
from companion.ops.backup.migrations import list_stored_models, open_as_default
from companion.ops.health.files import check_last_restore
from companion.people.models import Circle
from tests.ops.backup.contents import create_full_circle, read_contents
from tests.web.people import Person


@pytest.fixture(autouse=True)
def data(tmp_path, settings):
    """A separate data folder."""
    settings.DATA = tmp_path / "data"
    settings.DATA.mkdir()
    return settings.DATA


CACHED_BACKUP: list[bytes] = []
"""The content of the small backup, created once."""


@pytest.fixture
def backup(transactional_db, tmp_path):
    """A small backup."""
    path = tmp_path / "backup.sqlite3"
    if not CACHED_BACKUP:
        Circle.objects.create()
        create.create_backup(path)
        CACHED_BACKUP.append(path.read_bytes())
    path.write_bytes(CACHED_BACKUP[0])
    return path


def restore(path):
    call_command("restore", str(path), "--yes", verbosity=0)


# Contents


def test_a_backup_holds_and_restores_every_row(transactional_db, data, tmp_path):
    person = Person()
    create_full_circle(person)
    before = read_contents()
    assert (
        all(before[f"tables.{name}"] for name in ("Table", "Entry", "Seat", "SearchableNote"))
        and before["history.Fact"]
    )
    path = tmp_path / "all.sqlite3"
    metadata = create.create_backup(path)
    with open_as_default(path):
        assert read_contents() == before
    assert metadata.counts["tables_entry"] == len(before["tables.Entry"])
    person.open(names=("Later", "Still"))
    assert check_last_restore().severity == "warn"
    restore(path)
    assert read_contents() == before and check_last_restore().severity == "ok"
    person.open(names=("Later", "Still"))  # sequences continue after the restored rows
    previous = next(backup.path for backup in retention.list_backups() if backup.kind == retention.BEFORE_RESTORE)
    with open_as_default(previous):
        assert len(read_contents()["tables.Table"]) == len(before["tables.Table"]) + 1


def test_a_backup_is_a_single_private_file(transactional_db, tmp_path):
    create.create_backup(tmp_path / "b.sqlite3")
    assert (tmp_path / "b.sqlite3").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["b.sqlite3"]


@pytest.mark.skipif(connection.vendor != "postgresql", reason="a file is copied as it is")
def test_every_column_type_converts_to_sqlite(db):
    from django.apps import apps

    for model in list_stored_models(apps):
        assert all(
            postgres_copy.build_select_expression(field, connection) for field in model._meta.local_concrete_fields
        )


def test_a_backup_never_overwrites_a_file(backup, data):
    first = retention.get_free_path()
    first.write_text("of the same second")
    call_command("backup", verbosity=0)
    assert retention.list_backups()[0].path.stat().st_size > 100 and not first.exists()
    assert retention.get_newest_backup_time() > timezone.now() - timedelta(minutes=1)
    assert (data / "backups").stat().st_mode & 0o777 == 0o700
    with pytest.raises(CommandError, match="already"):
        call_command("backup", str(backup), verbosity=0)


@pytest.mark.skipif(connection.vendor != "postgresql", reason="a file is copied as it is")
def test_a_newer_database_is_not_backed_up(transactional_db, tmp_path):
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO django_migrations (app, name, applied) VALUES ('tables', '9999_to_come', '2030-01-01')"
        )
    try:
        with pytest.raises(create.BackupFailed, match="9999_to_come"):
            create.create_backup(tmp_path / "b.sqlite3")
        assert list(tmp_path.glob("*b.sqlite3*")) == []
    finally:
        with connection.cursor() as cursor:
            cursor.execute("DELETE FROM django_migrations WHERE name = '9999_to_come'")


def test_a_full_disk_is_reported_and_no_backup_deleted(backup, monkeypatch):
    call_command("backup", verbosity=0)
    old = retention.get_backup_folder() / "companion-2020-01-01-000000.sqlite3"
    old.write_text("old")
    monkeypatch.setattr(retention, "MIN_FREE_BYTES", 2**60)
    with pytest.raises(CommandError, match="Not enough disk space"):
        call_command("backup", verbosity=0)
    assert old.exists() and len(retention.list_backups()) == 2


# Damaged files


def flip_bit(position):
    def damage(path):
        content = bytearray(path.read_bytes())
        content[position if isinstance(position, int) else content.index(position)] ^= 4
        path.write_bytes(content)

    return damage


def execute_sql(sql, *values):
    """Change a backup after it was sealed."""

    def damage(path):
        with closing(sqlite3.connect(path)) as connection:
            connection.execute(sql, values)
            connection.commit()

    return damage


def execute_sql_and_reseal(sql, *values):
    """Change a backup and seal it again, as another release might."""

    def damage(path):
        verification.remove_metadata(path)
        execute_sql(sql, *values)(path)
        verification.write_metadata(path, timezone.now())

    return damage


def set_format_version(number):
    def damage(path):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(verification, "FORMAT_VERSION", number)
            execute_sql_and_reseal("SELECT 1")(path)

    return damage


def truncate(size):
    return lambda path: os.truncate(path, size if size >= 0 else path.stat().st_size + size)


def replace_with_other_database(path):
    path.unlink()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE recipes (id INTEGER)")
        connection.commit()


INSERT_NEWER_MIGRATION = (
    "INSERT INTO django_migrations (app, name, applied) VALUES ('tables', '9999_to_come', '2030-01-01')"
)
DAMAGES = {
    "empty": (truncate(0), "not a backup"),
    "cut in its head": (truncate(60), "not a backup"),
    "cut in the middle": (truncate(40_000), "damaged"),
    "cut by a byte": (truncate(-1), "damaged"),
    "longer by a byte": (lambda path: path.write_bytes(path.read_bytes() + b"\0"), "damaged"),
    "a bit of the first byte": (flip_bit(0), "not a backup"),
    "a bit of its head": (flip_bit(30), "damaged"),
    "a bit of a page": (flip_bit(9_000), "damaged"),
    "a bit of a row": (flip_bit(b"0001_initial"), "damaged"),
    "a bit of the last byte": (flip_bit(-1), "damaged"),
    "a letter changed by SQLite": (execute_sql("UPDATE django_migrations SET app = 'tablet' WHERE id = 1"), "damaged"),
    "not sealed": (execute_sql(f"DROP TABLE {verification.METADATA_TABLE}"), "damaged"),
    "two seals": (
        execute_sql(f"INSERT INTO {verification.METADATA_TABLE} SELECT * FROM {verification.METADATA_TABLE}"),
        "damaged",
    ),
    "a text": (lambda path: path.write_text(json.dumps({"tables": []}) * 99), "not a backup"),
    "of another program": (replace_with_other_database, "not a backup"),
    "packed": (lambda path: shutil.move(shutil.make_archive(str(path), "zip", path.parent), path), "not a backup"),
    "gone": (Path.unlink, "cannot be read"),
    "a newer schema": (execute_sql_and_reseal(INSERT_NEWER_MIGRATION), "newer release .*9999_to_come"),
    "a newer format": (set_format_version(2), "newer release"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_backup_is_refused_and_nothing_changes(backup, damage):
    damage, message = DAMAGES[damage]
    before = read_contents()
    damage(backup)
    with pytest.raises(CommandError, match=message):
        restore(backup)
    assert read_contents() == before
    assert retention.list_backups() == []


def test_a_folder_is_not_a_backup(backup):
    with pytest.raises(CommandError, match="cannot be read"):
        restore(backup.parent)


def test_nothing_changes_without_confirmation(backup, monkeypatch):
    Circle.objects.create()
    before = read_contents()
    for answer in (lambda _question: "no", lambda _question: (_ for _ in ()).throw(EOFError)):
        monkeypatch.setattr("builtins.input", answer)
        with pytest.raises(CommandError, match="Nothing has changed"):
            call_command("restore", str(backup), verbosity=0)
    assert read_contents() == before


@pytest.mark.skipif(connection.vendor != "sqlite", reason="needs SQLite")
def test_a_damaged_database_is_set_aside_and_replaced(backup):
    running = Path(connection.settings_dict["NAME"])
    connection.close()
    content = running.read_bytes()[:5_000] + b"nonsense" * 9_000
    running.write_bytes(content)
    restore(backup)
    after, copy = read_contents(), retention.list_backups()[-1].path
    with open_as_default(backup):
        assert read_contents() == after
    assert copy.suffix == ".sqlite3" and copy.read_bytes() == content
    assert retention.get_newest_backup_time() is None  # a damaged copy is no backup


# Older releases


def test_an_older_backup_is_migrated_without_the_running_database(transactional_db, tmp_path):
    """Migrations write to the default database, which must be the backup file."""
    create_full_circle(Person())
    before, backup = read_contents(), tmp_path / "older.sqlite3"
    backup.touch()
    with open_as_default(backup) as database:
        from companion.ops.backup.migrations import migrate

        migrate(database, [("people", "0003_devices_and_guests"), ("tables", "0006_devices_and_guests")])
        with database.cursor() as cursor:
            cursor.execute("INSERT INTO people_circle (id, created_at) VALUES (7, '2024-01-01 00:00:00')")
            cursor.execute("INSERT INTO people_player (id, circle_id, name) VALUES (9, 7, 'Ann')")
    verification.write_metadata(backup, timezone.now())
    restore(backup)
    after = read_contents()
    assert [row[0] for row in after["people.Circle"]] == [7]
    assert [row[2] for row in after["people.Player"]] == ["Ann"] and after["people.Player"][0][5] == "star"
    previous = next(backup.path for backup in retention.list_backups() if backup.kind == retention.BEFORE_RESTORE)
    with open_as_default(previous):
        assert read_contents() == before


def test_a_backup_is_made_only_before_an_update(transactional_db):
    assert create.back_up_before_update() is None
    with connection.cursor() as cursor:
        cursor.execute("SELECT applied FROM django_migrations WHERE name = '0004_standard_names'")
        [applied] = cursor.fetchone()
        cursor.execute("DELETE FROM django_migrations WHERE name = '0004_standard_names'")
    try:
        if connection.vendor == "sqlite":  # on PostgreSQL the copy needs the real schema
            path = create.back_up_before_update()
            assert ("history", "0004_standard_names") not in verification.verify_backup(path).migrations
    finally:
        with connection.cursor() as cursor:
            cursor.execute(
                "INSERT INTO django_migrations (app, name, applied) VALUES ('history', '0004_standard_names', %s)",
                [applied],
            )


# Locking


def test_restoring_and_serving_exclude_each_other(backup):
    before = read_contents()
    with shared_lock(), shared_lock(), pytest.raises(CommandError, match="is running"):
        restore(backup)
    assert read_contents() == before
    with exclusive_lock(), pytest.raises(DataFolderInUse, match="being restored"), shared_lock():
        pass
    restore(backup)


# Rotation


def rotate(times, now):
    backups = [retention.BackupFile(Path(f"{at:{'%Y-%m-%d-%H%M%S'}}"), "", at) for at in sorted(times, reverse=True)]
    return sorted(at for at in times if Path(f"{at:{'%Y-%m-%d-%H%M%S'}}") in retention.select_kept(backups, now))


def test_nightly_backups_are_kept_for_seven_days_and_four_weeks():
    times: list[datetime] = []
    for night in range(100):
        now = datetime(2026, 3, 2, 4, tzinfo=UTC) + timedelta(days=night)  # a Monday first
        times = rotate([*times, now], now)
        assert times[-1] == now and now - times[0] <= retention.MAX_AGE
    ages = [(now - at).days for at in times]
    assert ages[-7:] == [6, 5, 4, 3, 2, 1, 0]
    assert len(ages) in (9, 10) and 14 <= ages[0] < 28


def test_the_last_backup_of_a_day_is_kept():
    noon = datetime(2026, 3, 4, 12, tzinfo=UTC)
    assert rotate([noon, noon - timedelta(hours=1), noon - timedelta(hours=2)], noon) == [noon]


def test_the_newest_backup_and_those_from_the_future_are_kept():
    now = datetime(2026, 3, 4, tzinfo=UTC)
    assert rotate([now - timedelta(days=400), now - timedelta(days=401)], now) == [now - timedelta(days=400)]
    assert rotate([now + timedelta(days=4), now], now) == [now, now + timedelta(days=4)]


def test_rotation_deletes_only_expired_backups(transactional_db):
    def create_file(name):
        (retention.get_backup_folder() / name).write_text("")
        return retention.get_backup_folder() / name

    stamp = "2020-01-01-000000"
    old = [
        create_file(f"companion-{kind}{stamp}.sqlite3")
        for kind in ("", "before-update-", "before-restore-", "damaged-")
    ]
    recent = create_file(f"companion-before-update-{timezone.localtime() - timedelta(days=30):%Y-%m-%d-%H%M%S}.sqlite3")
    others = [create_file("notes.txt"), create_file("my-copy.sqlite3"), create_file("companion-old.sqlite3")]
    unfinished, abandoned = (
        create_file(".companion-x.sqlite3.ab.partial"),
        create_file(".companion-y.sqlite3.ab.partial"),
    )
    os.utime(abandoned, (0, 0))
    call_command("backup", verbosity=0)
    assert [path.exists() for path in (*old, abandoned)] == [False] * 5
    assert all(path.exists() for path in (recent, *others, unfinished))
    assert len(retention.list_backups()) == 2
