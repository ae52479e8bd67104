"""Checks for every kind of database: migrations, clock, bin."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper

from companion.ops.backup.migrations import (
    NewerSchema,
    check_known_migrations,
    get_applied_migrations,
    list_missing_migrations,
)
from companion.ops.health import postgresql, sqlite
from companion.ops.health.findings import Finding, has_errors
from companion.tables.models import BIN_RETENTION, Entry, Table

MAX_CLOCK_SKEW = timedelta(minutes=5)
EARLIEST_TIME = datetime(2026, 1, 1).astimezone()
"""A correct clock is later than this."""


def check_database(database: BaseDatabaseWrapper = connection, *, is_thorough: bool = False) -> Iterator[Finding]:
    """Check everything that must hold before anything is written, one by one: the caller may stop at an error."""
    is_sqlite, findings = database.vendor == "sqlite", []
    for finding in sqlite.check_sqlite(database, is_thorough) if is_sqlite else postgresql.check_postgresql(database):
        findings.append(finding)
        yield finding
    if not has_errors(findings):
        yield check_release(database)


def probe_write(database: BaseDatabaseWrapper = connection) -> None:
    """Write something and roll back. Raises DatabaseError."""
    (sqlite if database.vendor == "sqlite" else postgresql).probe_write(database)


def list_data_folders(data: Path, database: BaseDatabaseWrapper = connection) -> list[Path]:
    """Return the data folder, and that of the SQLite file if it is another."""
    folders = {data, sqlite.get_database_path(database).parent} if database.vendor == "sqlite" else {data}
    return sorted(folders)


def check_release(database: BaseDatabaseWrapper) -> Finding:
    try:
        check_known_migrations(get_applied_migrations(database))
    except NewerSchema as error:
        return Finding.error(
            "release",
            f"The database belongs to a newer release, which this one cannot use (it has {error}). "
            "Start the newer release, or restore a backup from before it.",
        )
    return Finding.ok("release", "The database belongs to this release or an older one.")


def check_migrations(database: BaseDatabaseWrapper) -> Finding:
    missing = list_missing_migrations(database)
    if missing:
        return Finding.error(
            "migrations",
            f"The database is not up to date ({len(missing)} migrations missing): manage.py serve does that.",
        )
    return Finding.ok("migrations", "The database is up to date.")


def get_newest_entry_time() -> datetime | None:
    return Entry.objects.order_by("-pk").values_list("at", flat=True).first()


def check_clock(now: datetime, newest: datetime | None) -> Finding:
    """Report a clock in the past: boards without a battery boot years ago, until the network sets the time."""
    if now < EARLIEST_TIME:
        return Finding.error("clock", f"The clock says {now:%Y-%m-%d %H:%M}, which is in the past. Set it.")
    if newest and newest > now + MAX_CLOCK_SKEW:
        return Finding.error(
            "clock",
            f"The clock says {now:%Y-%m-%d %H:%M}, and the newest entry was made on {newest:%Y-%m-%d %H:%M}. Set it.",
        )
    return Finding.ok("clock", f"The clock says {now:%Y-%m-%d %H:%M}; nothing was entered after that.")


def check_bin() -> Finding:
    days, old = BIN_RETENTION.days, Table.objects.expired().count()
    if old:
        return Finding.warning("bin", f"Tables that have been in the bin for {days} days: {old}. They can be purged.")
    return Finding.ok("bin", f"Nothing has been in the bin for {days} days.")
