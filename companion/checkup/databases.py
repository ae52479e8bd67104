"""Checks that are the same for every database: its migrations, its newest entry, and what can be purged."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.loader import MigrationLoader

from companion.checkup import postgresql, sqlite
from companion.checkup.findings import Finding, Verdict, fine, look, wrong
from companion.tables.models import Entry, Table

AHEAD = timedelta(minutes=5)
BUILT = datetime(2026, 1, 1).astimezone()
"""No clock that is right says an earlier time."""
IN_BIN = timedelta(days=30)


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


def strange_migrations(own: BaseDatabaseWrapper) -> list[str]:
    """Those that the database has had and this release does not know."""
    loader = MigrationLoader(own)
    known = set(loader.disk_migrations)
    for migration in loader.disk_migrations.values():
        known |= set(migration.replaces)
    return sorted(f"{app}.{name}" for app, name in set(loader.applied_migrations) - known)


def missing_migrations(own: BaseDatabaseWrapper) -> list[str]:
    """Those that this release knows and the database has not had."""
    loader = MigrationLoader(own)
    return sorted(f"{app}.{name}" for app, name in set(loader.graph.nodes) - set(loader.applied_migrations))


def release(own: BaseDatabaseWrapper) -> Finding:
    strange = strange_migrations(own)
    if not strange:
        return fine("release", "The database is of this release or an older one.")
    return wrong(
        "release",
        f"The database is of a newer release, which this one cannot use (it has {strange[-1]}). "
        "Start the newer release, or put back a backup from before it.",
    )


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


def bin_to_purge(now: datetime) -> Finding:
    old = Table.objects.filter(binned_at__lt=now - IN_BIN).count()
    if old:
        return look("bin", f"Tables that have been in the bin for over {IN_BIN.days} days: {old}. They can be purged.")
    return fine("bin", f"Nothing has been in the bin for over {IN_BIN.days} days.")
