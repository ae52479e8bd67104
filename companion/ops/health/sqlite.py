"""Checks of an SQLite database: readable, writable, intact, and opened with durable settings."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

from django.conf import settings
from django.db import DatabaseError, connection, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

from companion.db.settings import BUSY_TIMEOUT, SQLITE_PRAGMAS, TRANSACTION_MODE
from companion.ops.health import files
from companion.ops.health.findings import Finding, error, ok, warning

MAX_BYTES_CHECKED_AT_START = 64_000_000
"""Files up to this size are checked at every start, larger ones only by `doctor`."""
MAX_RECOMMENDED_WORKERS = 2
"""Worker processes that hardly ever wait for each other to write."""
REASONS = {
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened. Is it a file, and may this user write to it and to its folder?",
    sqlite3.SQLITE_READONLY: "it is read-only. Make the user who runs this the owner of the file and its folder, "
    "and check whether the disk is mounted read-only.",
    sqlite3.SQLITE_NOTADB: "it is damaged, or not an SQLite database. Keep a copy of it, and restore a backup.",
    sqlite3.SQLITE_CORRUPT: "it is damaged. Keep a copy of it, and restore a backup.",
    sqlite3.SQLITE_BUSY: "another program has locked it. Is a companion already running, or a backup?",
    sqlite3.SQLITE_FULL: "the disk is full. Free some space.",
    sqlite3.SQLITE_IOERR: "the disk could not be read or written. See the system log.",
}


def describe_failure(topic: str, path: Path, reason: str) -> Finding:
    return error(topic, f"The database cannot be used: {path}: {reason}")


def probe_write(database: BaseDatabaseWrapper) -> None:
    """Write something and roll back, which needs a writable folder for the journal. Raises DatabaseError."""
    with transaction.atomic(using=database.alias):
        with database.cursor() as cursor:
            cursor.execute("PRAGMA user_version = 0")
        transaction.set_rollback(True, using=database.alias)


def check_integrity(database: BaseDatabaseWrapper, is_thorough: bool) -> Finding:
    path = files.get_database_path(database)
    if not is_thorough and path.exists() and path.stat().st_size > MAX_BYTES_CHECKED_AT_START:
        return ok("integrity", f"{path} is large and was not checked; `doctor` does that.")
    with database.cursor() as cursor:
        cursor.execute("PRAGMA quick_check(1)")
        result = " ".join(str(cursor.fetchone()[0]).split())
    if result == "ok":
        return ok("integrity", f"{path} is intact.")
    return describe_failure("integrity", path, f"{REASONS[sqlite3.SQLITE_CORRUPT]} SQLite says: {result}")


def check_connection_settings(database: BaseDatabaseWrapper) -> Finding:
    """Compare the settings in effect on the connection with those that db/settings.py asks for."""
    expected = {name: reported for name, (_value, reported) in SQLITE_PRAGMAS.items()}
    expected["busy_timeout"] = 1000 * BUSY_TIMEOUT
    with database.cursor() as cursor:
        actual = {name: cursor.execute(f"PRAGMA {name}").fetchone()[0] for name in expected}
    expected["transactions"] = TRANSACTION_MODE
    actual["transactions"] = getattr(database, "transaction_mode", None) or "DEFERRED"
    differences = [
        f"{name} is {actual[name]} and must be {value}" for name, value in expected.items() if actual[name] != value
    ]
    if differences:
        advice = "Does another program have the file open, or does DATABASE_URL set something else?"
        return describe_failure("settings", files.get_database_path(database), f"{'; '.join(differences)}. {advice}")
    return ok(
        "settings",
        f"SQLite {sqlite3.sqlite_version}, journal {str(actual['journal_mode']).upper()}, synchronous FULL, "
        f"foreign keys on, secure delete on, waits {BUSY_TIMEOUT} s, transactions {TRANSACTION_MODE}.",
    )


def check_workers() -> Iterator[Finding]:
    """Report more processes than should write to one SQLite file."""
    if connection.vendor != "sqlite":
        return
    text = "One process serves" if settings.WORKERS == 1 else f"{settings.WORKERS} processes serve"
    if settings.WORKERS <= MAX_RECOMMENDED_WORKERS:
        yield ok("processes", f"{text}.")
    else:
        advice = "safe, but they wait for each other. Use WORKERS=2, or PostgreSQL."
        yield warning("processes", f"{text} and write to one SQLite file: {advice}")


def check_sqlite(database: BaseDatabaseWrapper, is_thorough: bool) -> Iterator[Finding]:
    """Check everything that must hold before anything is written; stop if the file cannot be used."""
    path = files.get_database_path(database)
    yield files.check_disk(path.parent)
    try:
        database.ensure_connection()
        yield check_integrity(database, is_thorough)
        probe_write(database)
    except DatabaseError as failure:
        code = getattr(failure.__cause__, "sqlite_errorcode", 0) & 0xFF
        yield describe_failure("database", path, REASONS.get(code, f"{failure}."))
        return
    yield ok("database", f"{path} is writable.")
    yield check_connection_settings(database)
