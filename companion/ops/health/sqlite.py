"""Checks of an SQLite database: readable, writable, intact, and opened with durable settings."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

from django.db import DatabaseError, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

from companion.db.settings import BUSY_TIMEOUT, TRANSACTION_MODE, sqlite_pragmas
from companion.ops.health import files
from companion.ops.health.findings import Finding

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


def get_database_path(connection: BaseDatabaseWrapper) -> Path:
    return Path(str(connection.settings_dict["NAME"])).absolute()


def describe_failure(connection: BaseDatabaseWrapper, error: DatabaseError) -> Finding:
    """Explain why the file cannot be used, by SQLite's error code."""
    code = getattr(error.__cause__, "sqlite_errorcode", 0) & 0xFF
    reason = REASONS.get(code, f"{error}.")
    return Finding.error("database", f"The database cannot be used: {get_database_path(connection)}: {reason}")


def probe_write(connection: BaseDatabaseWrapper) -> None:
    """Write something and roll back, which needs a writable folder for the journal. Raises DatabaseError."""
    with transaction.atomic(using=connection.alias):
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA user_version = 0")
        transaction.set_rollback(True, using=connection.alias)


def check_integrity(connection: BaseDatabaseWrapper, is_thorough: bool) -> Finding:
    path = get_database_path(connection)
    if not is_thorough and path.exists() and path.stat().st_size > MAX_BYTES_CHECKED_AT_START:
        return Finding.ok("integrity", f"{path} is large and was not checked; `doctor` does that.")
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA quick_check(1)")
        result = str(cursor.fetchone()[0])
    if result == "ok":
        return Finding.ok("integrity", f"{path} is intact.")
    reason = REASONS[sqlite3.SQLITE_CORRUPT]
    return Finding.error(
        "integrity", f"The database cannot be used: {path}: {reason} SQLite says: {' '.join(result.split())}"
    )


def read_connection_settings(connection: BaseDatabaseWrapper) -> dict[str, int | str]:
    """Return the pragmas in effect on the connection, and Django's transaction mode."""
    names = (*sqlite_pragmas(sqlite3.sqlite_version_info), "busy_timeout")
    with connection.cursor() as cursor:
        settings = {name: cursor.execute(f"PRAGMA {name}").fetchone()[0] for name in names}
    return settings | {"transactions": getattr(connection, "transaction_mode", None) or "DEFERRED"}


def check_connection_settings(settings: dict[str, int | str], path: Path) -> Finding:
    """Compare a connection's settings with those that db/settings.py asks for."""
    pragmas = sqlite_pragmas(sqlite3.sqlite_version_info)
    expected: dict[str, int | str] = {name: reported for name, (_value, reported) in pragmas.items()}
    expected |= {"busy_timeout": 1000 * BUSY_TIMEOUT, "transactions": TRANSACTION_MODE}
    differences = [
        f"{name} is {settings.get(name)} and must be {value}"
        for name, value in expected.items()
        if settings.get(name) != value
    ]
    if differences:
        return Finding.error(
            "settings",
            f"The database cannot be used: {path}: {'; '.join(differences)}. Does another program have the file open, "
            "or does DATABASE_URL set something else?",
        )
    return Finding.ok(
        "settings",
        f"SQLite {sqlite3.sqlite_version}, journal {str(settings['journal_mode']).upper()}, synchronous FULL, "
        f"foreign keys on, secure delete on, waits {BUSY_TIMEOUT} s, transactions {TRANSACTION_MODE}.",
    )


def check_workers(count: int) -> Finding:
    text = "One process serves" if count == 1 else f"{count} processes serve"
    if count <= MAX_RECOMMENDED_WORKERS:
        return Finding.ok("processes", f"{text}.")
    return Finding.warning(
        "processes",
        f"{text} and write to one SQLite file: safe, but they wait for each other. Use WORKERS=2, or PostgreSQL.",
    )


def check_sqlite(connection: BaseDatabaseWrapper, is_thorough: bool) -> Iterator[Finding]:
    """Check everything that must hold before anything is written; stop if the file cannot be used."""
    path = get_database_path(connection)
    yield files.check_disk(path.parent, files.read_mounts())
    try:
        connection.ensure_connection()
        yield check_integrity(connection, is_thorough)
        probe_write(connection)
    except DatabaseError as error:
        yield describe_failure(connection, error)
        return
    yield Finding.ok("database", f"{path} is writable.")
    yield check_connection_settings(read_connection_settings(connection), path)
