"""Checks that are the same for every database: its migrations, its newest entry, and what can be purged."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.loader import MigrationLoader

from companion.history.cleanup import expired_tables
from companion.ops.backup.migrations import NewerSchema, check_known_migrations, get_applied_migrations
from companion.ops.health import postgresql, sqlite
from companion.ops.health.findings import Finding, Severity
from companion.tables.models import Entry
from companion.tables.services.entries import BIN_RETENTION

MAX_CLOCK_SKEW = timedelta(minutes=5)
EARLIEST_TIME = datetime(2026, 1, 1).astimezone()
"""No clock that is right says an earlier time."""


def check_database(own: BaseDatabaseWrapper = connection, *, is_thorough: bool = False) -> Iterator[Finding]:
    """All that must hold before anything is written."""
    usable = True
    for found in sqlite.check_sqlite(own, is_thorough) if own.vendor == "sqlite" else postgresql.check_postgresql(own):
        usable = usable and found.severity != Severity.ERROR
        yield found
    if usable:
        yield check_release(own)


def probe_write(own: BaseDatabaseWrapper = connection) -> None:
    """Raises DatabaseError where nothing can be written."""
    (sqlite if own.vendor == "sqlite" else postgresql).probe_write(own)


def list_data_folders(data: Path, own: BaseDatabaseWrapper = connection) -> list[Path]:
    """Where this machine keeps things: the data folder, and the database's if that is another."""
    kept = {data, sqlite.get_database_path(own).parent} if own.vendor == "sqlite" else {data}
    return sorted(kept)


def list_missing_migrations(own: BaseDatabaseWrapper) -> list[str]:
    """Those that this release knows and the database has not had."""
    loader = MigrationLoader(own)
    return sorted(f"{app}.{name}" for app, name in set(loader.graph.nodes) - set(loader.applied_migrations))


def check_release(own: BaseDatabaseWrapper) -> Finding:
    try:
        check_known_migrations(get_applied_migrations(own))
    except NewerSchema as error:
        return Finding.error(
            "release",
            f"The database is of a newer release, which this one cannot use (it has {error}). "
            "Start the newer release, or put back a backup from before it.",
        )
    return Finding.ok("release", "The database is of this release or an older one.")


def check_migrations(own: BaseDatabaseWrapper) -> Finding:
    missing = list_missing_migrations(own)
    if missing:
        return Finding.error(
            "migrations",
            f"The database has still to be brought up to date ({len(missing)} migrations): manage.py serve does that.",
        )
    return Finding.ok("migrations", "The database is up to date.")


def get_newest_entry_time() -> datetime | None:
    return Entry.objects.order_by("-pk").values_list("at", flat=True).first()


def check_clock(now: datetime, newest: datetime | None) -> Finding:
    """A small computer without a battery wakes up years ago, until the network tells it the time."""
    if now < EARLIEST_TIME:
        return Finding.error("clock", f"The clock says {now:%Y-%m-%d %H:%M}, which is past. Set it.")
    if newest and newest > now + MAX_CLOCK_SKEW:
        return Finding.error(
            "clock",
            f"The clock says {now:%Y-%m-%d %H:%M}, and the newest entry was made on {newest:%Y-%m-%d %H:%M}. Set it.",
        )
    return Finding.ok("clock", f"The clock says {now:%Y-%m-%d %H:%M}; nothing was entered after that.")


def check_bin() -> Finding:
    days, old = BIN_RETENTION.days, expired_tables().count()
    if old:
        return Finding.warning("bin", f"Tables that have been in the bin for {days} days: {old}. They can be purged.")
    return Finding.ok("bin", f"Nothing has been in the bin for {days} days.")
