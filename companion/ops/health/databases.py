"""Checks that are the same for every database: its migrations, its newest entry, and what can be purged."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.loader import MigrationLoader

from companion.history.cleanup import expired_tables
from companion.ops.backup.migrations import NewerSchema, applied, check_known
from companion.ops.health import postgresql, sqlite
from companion.ops.health.findings import Finding, Verdict, fine, look, wrong
from companion.tables.models import Entry
from companion.tables.services.entries import BINNED_FOR

AHEAD = timedelta(minutes=5)
BUILT = datetime(2026, 1, 1).astimezone()
"""No clock that is right says an earlier time."""


def findings(own: BaseDatabaseWrapper = connection, *, is_thorough: bool = False) -> Iterator[Finding]:
    """All that must hold before anything is written."""
    usable = True
    for found in sqlite.findings(own, is_thorough) if own.vendor == "sqlite" else postgresql.findings(own):
        usable = usable and found.verdict != Verdict.WRONG
        yield found
    if usable:
        yield release(own)


def try_to_write(own: BaseDatabaseWrapper = connection) -> None:
    """Raises DatabaseError where nothing can be written."""
    (sqlite if own.vendor == "sqlite" else postgresql).try_to_write(own)


def folders(data: Path, own: BaseDatabaseWrapper = connection) -> list[Path]:
    """Where this machine keeps things: the data folder, and the database's if that is another."""
    kept = {data, sqlite.file_of(own).parent} if own.vendor == "sqlite" else {data}
    return sorted(kept)


def missing_migrations(own: BaseDatabaseWrapper) -> list[str]:
    """Those that this release knows and the database has not had."""
    loader = MigrationLoader(own)
    return sorted(f"{app}.{name}" for app, name in set(loader.graph.nodes) - set(loader.applied_migrations))


def release(own: BaseDatabaseWrapper) -> Finding:
    try:
        check_known(applied(own))
    except NewerSchema as error:
        return wrong(
            "release",
            f"The database is of a newer release, which this one cannot use (it has {error}). "
            "Start the newer release, or put back a backup from before it.",
        )
    return fine("release", "The database is of this release or an older one.")


def migrations(own: BaseDatabaseWrapper) -> Finding:
    missing = missing_migrations(own)
    if missing:
        return wrong(
            "migrations",
            f"The database has still to be brought up to date ({len(missing)} migrations): manage.py serve does that.",
        )
    return fine("migrations", "The database is up to date.")


def newest_entry() -> datetime | None:
    return Entry.objects.order_by("-pk").values_list("at", flat=True).first()


def clock(now: datetime, newest: datetime | None) -> Finding:
    """A small computer without a battery wakes up years ago, until the network tells it the time."""
    if now < BUILT:
        return wrong("clock", f"The clock says {now:%Y-%m-%d %H:%M}, which is past. Set it.")
    if newest and newest > now + AHEAD:
        return wrong(
            "clock",
            f"The clock says {now:%Y-%m-%d %H:%M}, and the newest entry was made on {newest:%Y-%m-%d %H:%M}. Set it.",
        )
    return fine("clock", f"The clock says {now:%Y-%m-%d %H:%M}; nothing was entered after that.")


def bin_to_purge() -> Finding:
    days, old = BINNED_FOR.days, expired_tables().count()
    if old:
        return look("bin", f"Tables that have been in the bin for {days} days: {old}. They can be purged.")
    return fine("bin", f"Nothing has been in the bin for {days} days.")
