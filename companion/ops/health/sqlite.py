"""Checks of an SQLite database: the file can be read and written, is whole, and is opened so that nothing is lost."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

from django.db import DatabaseError, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

from companion.db.settings import BUSY_TIMEOUT, TRANSACTION_MODE, choose_journal_mode, sqlite_pragmas
from companion.ops.health import files
from companion.ops.health.findings import Finding

MAX_BYTES_CHECKED_AT_START = 64_000_000
"""Bytes of a file that is read through at every start; a larger one only by `doctor`."""
MAX_RECOMMENDED_WORKERS = 2
"""Processes that hardly ever wait for each other to write."""
REASONS = {
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened. Is it a file, and may this user write to it and to its folder?",
    sqlite3.SQLITE_READONLY: "it can be read and not written. Give the file and its folder to the user who runs this, "
    "and see whether the disk is mounted read-only.",
    sqlite3.SQLITE_NOTADB: "it is damaged, or no SQLite database. Keep a copy of it, and put a backup back.",
    sqlite3.SQLITE_CORRUPT: "it is damaged. Keep a copy of it, and put a backup back.",
    sqlite3.SQLITE_BUSY: "another program holds it. Is a companion running already, or a backup?",
    sqlite3.SQLITE_FULL: "the disk is full. Free some room.",
    sqlite3.SQLITE_IOERR: "the disk could not be read or written. See the messages of the system about it.",
}


def get_database_path(connection: BaseDatabaseWrapper) -> Path:
    return Path(str(connection.settings_dict["NAME"])).absolute()


def describe_failure(connection: BaseDatabaseWrapper, error: DatabaseError) -> Finding:
    """Why the file cannot be used, by what SQLite said."""
    code = getattr(error.__cause__, "sqlite_errorcode", 0) & 0xFF
    reason = REASONS.get(code, f"{error}.")
    return Finding.error("database", f"The database cannot be used: {get_database_path(connection)}: {reason}")


def probe_write(connection: BaseDatabaseWrapper) -> None:
    """Writes, and takes it back: the journal is made, so folder, file and disk must let it. Raises DatabaseError."""
    with transaction.atomic(using=connection.alias):
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA user_version = 0")
        transaction.set_rollback(True, using=connection.alias)


def check_integrity(connection: BaseDatabaseWrapper, is_thorough: bool) -> Finding:
    path = get_database_path(connection)
    if not is_thorough and path.exists() and path.stat().st_size > MAX_BYTES_CHECKED_AT_START:
        return Finding.ok("whole", f"{path} is large, and was not read through; `doctor` does.")
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA quick_check(1)")
        said = str(cursor.fetchone()[0])
    if said == "ok":
        return Finding.ok("whole", f"{path} is whole.")
    said = " ".join(said.split())
    reason = REASONS[sqlite3.SQLITE_CORRUPT]
    return Finding.error("whole", f"The database cannot be used: {path}: {reason} SQLite says: {said}")


def read_connection_settings(connection: BaseDatabaseWrapper) -> dict[str, int | str]:
    """What is in force on the open connection, as SQLite says, and how Django begins transactions on it."""
    names = (*sqlite_pragmas(sqlite3.sqlite_version_info), "busy_timeout")
    with connection.cursor() as cursor:
        found = {name: cursor.execute(f"PRAGMA {name}").fetchone()[0] for name in names}
    return found | {"transactions": getattr(connection, "transaction_mode", None) or "DEFERRED"}


def get_expected_settings(version: tuple[int, int, int]) -> dict[str, int | str]:
    own = {name: read for name, (_word, read) in sqlite_pragmas(version).items()}
    return {**own, "busy_timeout": 1000 * BUSY_TIMEOUT, "transactions": TRANSACTION_MODE}


def check_connection_settings(found: dict[str, int | str], path: Path) -> Finding:
    """Whether a connection is as databases.py asks."""
    asked = get_expected_settings(sqlite3.sqlite_version_info)
    others = [
        f"{name} is {found.get(name)} and must be {value}" for name, value in asked.items() if found.get(name) != value
    ]
    if others:
        return Finding.error(
            "settings",
            f"The database cannot be used: {path}: {'; '.join(others)}. Does another program hold the file open, "
            "or does DATABASE_URL ask for something else?",
        )
    return Finding.ok("settings", f"{get_library_name()}, {format_settings(found)}.")


def format_settings(found: dict[str, int | str]) -> str:
    return (
        f"journal {str(found['journal_mode']).upper()}, synchronous FULL, foreign keys on, secure delete on, "
        f"waits {int(found['busy_timeout']) // 1000} s, transactions {found['transactions']}"
    )


def get_library_name() -> str:
    return f"SQLite {sqlite3.sqlite_version}"


def check_library() -> Finding:
    """The library that Python is linked with. A newer one can be had as `pysqlite3`, and is not needed for safety."""
    if choose_journal_mode(sqlite3.sqlite_version_info) == "WAL":
        return Finding.ok("library", f"{get_library_name()} has no known bug that loses entries.")
    return Finding.ok(
        "library",
        f"{get_library_name()} has a bug in WAL mode, which is therefore not used; nothing is lost, and nothing to do.",
    )


def check_workers(count: int) -> Finding:
    served = "One process serves" if count == 1 else f"{count} processes serve"
    if count <= MAX_RECOMMENDED_WORKERS:
        return Finding.ok("processes", f"{served}.")
    return Finding.warning(
        "processes",
        f"{served} and write to one SQLite file: safe, but they wait for each other. WORKERS=2, or PostgreSQL.",
    )


def check_sqlite(connection: BaseDatabaseWrapper, is_thorough: bool) -> Iterator[Finding]:
    """All that must hold before anything is written; what follows something wrong is not asked."""
    path = get_database_path(connection)
    found = files.check_disk(path.parent, files.read_mounts())
    yield found
    try:
        connection.ensure_connection()
        yield check_integrity(connection, is_thorough)
        probe_write(connection)
    except DatabaseError as error:
        yield describe_failure(connection, error)
        return
    yield Finding.ok("database", f"{path} can be written.")
    yield check_connection_settings(read_connection_settings(connection), path)
