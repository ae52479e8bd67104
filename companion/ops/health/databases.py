"""Checks for every kind of database: migrations, clock, bin."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.utils import timezone

from companion.ops.backup.migrations import (
    NewerSchema,
    check_known_migrations,
    get_applied_migrations,
    list_missing_migrations,
)
from companion.ops.health import postgresql, sqlite
from companion.ops.health.findings import Finding, error, has_errors, ok, warning
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


def check_thoroughly() -> Iterator[Finding]:
    """Check the database, and skip the rest after an error."""
    findings = list(check_database(is_thorough=True))
    yield from findings
    if not has_errors(findings):
        if connection.vendor == "postgresql":
            yield postgresql.check_durability(postgresql.read_server_settings(connection))
        yield check_migrations(connection)


def probe_write(database: BaseDatabaseWrapper = connection) -> None:
    """Write something and roll back. Raises DatabaseError."""
    (sqlite if database.vendor == "sqlite" else postgresql).probe_write(database)


def check_release(database: BaseDatabaseWrapper) -> Finding:
    try:
        check_known_migrations(get_applied_migrations(database))
    except NewerSchema as newer:
        return error(
            "release",
            f"The database belongs to a newer release, which this one cannot use (it has {newer}). "
            "Start the newer release, or restore a backup from before it.",
        )
    return ok("release", "The database belongs to this release or an older one.")


def check_migrations(database: BaseDatabaseWrapper = connection) -> Finding:
    if missing := list_missing_migrations(database):
        count = f"{len(missing)} migrations missing"
        return error("migrations", f"The database is not up to date ({count}): manage.py serve does that.")
    return ok("migrations", "The database is up to date.")


def check_clock(*, is_usable: bool) -> Finding:
    """Report a clock in the past: boards without a battery boot years ago, until the network sets the time."""
    now = timezone.localtime()
    newest = Entry.objects.order_by("-pk").values_list("at", flat=True).first() if is_usable else None
    text = f"The clock says {now:%Y-%m-%d %H:%M}"
    if now < EARLIEST_TIME:
        return error("clock", f"{text}, which is in the past. Set it.")
    if newest and newest > now + MAX_CLOCK_SKEW:
        return error("clock", f"{text}, and the newest entry was made on {newest:%Y-%m-%d %H:%M}. Set it.")
    return ok("clock", f"{text}; nothing was entered after that.")


def check_bin() -> Finding:
    days, old = BIN_RETENTION.days, Table.objects.expired().count()
    if old:
        return warning("bin", f"Tables that have been in the bin for {days} days: {old}. They can be purged.")
    return ok("bin", f"Nothing has been in the bin for {days} days.")
