import sqlite3
from datetime import UTC, datetime, timedelta

import pytest
from django.db import OperationalError, connection
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from companion.ops.health import databases, files, postgresql, sqlite
from companion.ops.health.findings import Severity
from companion.ops.health.startup import UnsafeToStart, check_before_start
from companion.tables.models import Table
from tests.web.people import Person

GOOD = {
    "server_version": "15.18",
    "server_version_num": "150018",
    "server_encoding": "UTF8",
    "transaction_read_only": "off",
    "fsync": "on",
    "full_page_writes": "on",
    "synchronous_commit": "on",
}


def error_text(findings):
    return " ".join(finding.text for finding in findings if finding.severity == Severity.ERROR)


def test_a_new_database_passes(database):
    assert error_text(databases.check_database(database, is_thorough=True)) == ""


@pytest.mark.parametrize(
    ("pragma", "text"),
    [
        ("journal_mode = MEMORY", "journal_mode is memory and must be"),
        ("synchronous = NORMAL", "synchronous is 1 and must be 2"),
        ("foreign_keys = OFF", "foreign_keys is 0 and must be 1"),
        ("secure_delete = OFF", "secure_delete is 0 and must be 1"),
        ("busy_timeout = 100", "busy_timeout is 100 and must be 20000"),
    ],
)
def test_settings_are_read_back_from_the_connection(database, pragma, text):
    database.ensure_connection()
    database.connection.execute(f"PRAGMA {pragma}")
    assert text in error_text(databases.check_database(database))


def test_deferred_transactions_are_refused(database):
    database.ensure_connection()
    database.transaction_mode = None
    assert "transactions is DEFERRED and must be IMMEDIATE" in error_text(databases.check_database(database))


def test_a_file_that_is_not_a_database_is_refused(database, path):
    path.write_bytes(b"These are the notes of Ann. " * 100)
    assert "it is damaged, or not an SQLite database" in error_text(databases.check_database(database))


def test_a_file_with_a_damaged_page_is_refused(database, path):
    with sqlite3.connect(path) as raw:
        raw.executescript("CREATE TABLE t (x TEXT); CREATE INDEX i ON t (x);")
        raw.executemany("INSERT INTO t VALUES (?)", [(f"entry {number:050}",) for number in range(500)])
    raw.close()
    content = bytearray(path.read_bytes())
    content[3 * 4096 : 4 * 4096] = b"\x17" * 4096
    path.write_bytes(content)
    assert "Keep a copy of it, and restore a backup" in error_text(databases.check_database(database))


def test_a_folder_instead_of_the_file_is_refused(database, path):
    path.mkdir()
    assert "it cannot be opened" in error_text(databases.check_database(database))


def test_a_read_only_file_is_refused(database):
    database.ensure_connection()
    database.connection.execute("PRAGMA query_only = ON")
    assert "it is read-only" in error_text(databases.check_database(database))


def test_a_locked_file_is_refused(database, path):
    database.ensure_connection()
    database.connection.execute("PRAGMA busy_timeout = 1")
    with sqlite3.connect(path, isolation_level=None) as blocker:
        blocker.execute("BEGIN IMMEDIATE")
        assert "another program has locked it" in error_text(databases.check_database(database))
        blocker.execute("ROLLBACK")
    blocker.close()


def test_probing_writes_leaves_no_trace(database):
    database.ensure_connection()
    database.connection.execute("PRAGMA user_version = 7")
    databases.probe_write(database)
    assert database.connection.execute("PRAGMA user_version").fetchone()[0] == 7


def test_only_databases_of_newer_releases_are_refused(database):
    recorder = MigrationRecorder(database)
    recorder.ensure_schema()
    recorder.record_applied("people", "0001_initial")
    assert error_text(databases.check_database(database)) == ""
    assert "is not up to date" in databases.check_migrations(database).text
    recorder.record_applied("people", "9999_of_next_year")
    assert "a newer release" in error_text(databases.check_database(database))
    assert "people.9999_of_next_year" in error_text(databases.check_database(database))


def test_starting_on_a_network_disk_is_refused_before_any_write(database, path, tmp_path, monkeypatch):
    mounts = tmp_path / "mounts"
    mounts.write_text(f"/dev/sda / ext4 rw 0 0\nserver:/export {tmp_path} nfs4 rw 0 0\n")
    monkeypatch.setattr(files, "MOUNTS", mounts)
    monkeypatch.setattr(databases.check_database, "__defaults__", (database,))
    with pytest.raises(UnsafeToStart, match=r"network file system \(nfs4\)"):
        check_before_start()
    assert not path.exists()


def test_connection_errors_are_explained_without_the_password():
    class Wrapper:
        settings_dict = {"HOST": "db", "PORT": 5432, "NAME": "cards", "USER": "ann", "PASSWORD": "secret"}

    error = OperationalError(
        'connection to server at "db" failed:\nFATAL:  password authentication failed for user "ann"'
    )
    text = postgresql.describe_failure(Wrapper, error).text
    assert "PostgreSQL at db:5432, database cards, user ann. The user or the password is wrong." in text
    assert "secret" not in text and "\n" not in text


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"server_version": "14.9", "server_version_num": "140009"}, "PostgreSQL 14.9 is too old: at least 15"),
        ({"server_encoding": "SQL_ASCII"}, "is SQL_ASCII"),
        ({"transaction_read_only": "on"}, "is read-only"),
    ],
)
def test_an_unsuitable_postgresql_is_refused(changes, text):
    assert error_text(postgresql.check_server(GOOD)) == ""
    assert text in error_text(postgresql.check_server(GOOD | changes))


@pytest.mark.parametrize("name", ["fsync", "full_page_writes", "synchronous_commit"])
def test_a_postgresql_that_is_not_durable_is_reported(name):
    assert postgresql.check_durability(GOOD).severity == Severity.OK
    assert f"{name} is off" in error_text([postgresql.check_durability(GOOD | {name: "off"})])


def test_a_clock_before_the_newest_entry_is_an_error(db, monkeypatch):
    person = Person()
    assert person.enter(person.open(), kind="extend", seat=1, card=34).status_code == 302
    started = timezone.localtime()
    for minutes, text in ((4, "nothing was entered after that"), (6, "the newest entry was made on")):
        now = started - timedelta(minutes=minutes)
        monkeypatch.setattr(databases.timezone, "localtime", lambda now=now: now)
        assert text in databases.check_clock(is_usable=True).text
    monkeypatch.setattr(databases.timezone, "localtime", lambda: datetime(2015, 1, 1, tzinfo=UTC))
    assert "which is in the past" in databases.check_clock(is_usable=False).text


@pytest.mark.skipif(connection.vendor != "sqlite", reason="needs SQLite")
def test_many_workers_on_sqlite_are_only_a_warning(settings):
    for count, severity in ((1, Severity.OK), (2, Severity.OK), (3, Severity.WARNING)):
        settings.WORKERS = count
        assert [finding.severity for finding in sqlite.check_workers()] == [severity]


def test_an_expired_bin_is_a_warning(db):
    table = Person().open()
    for days, severity in ((29, Severity.OK), (31, Severity.WARNING)):
        Table.objects.filter(pk=table.pk).update(binned_at=timezone.now() - timedelta(days=days))
        assert databases.check_bin().severity == severity
