"""Checks of a PostgreSQL database: it answers, takes writes, is new enough, and keeps what it has confirmed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from django.db import DatabaseError, NotSupportedError, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

from companion.ops.health.findings import Finding

MIN_VERSION = 15
"""The oldest version that the tests have run on."""
SETTINGS_READ = (
    "server_version",
    "server_version_num",
    "server_encoding",
    "transaction_read_only",
    "fsync",
    "full_page_writes",
    "synchronous_commit",
)
REASONS = {
    "password authentication failed": "The user or the password is wrong.",
    "no password supplied": "It wants a password.",
    "does not exist": "Make it first: createdb, createuser.",
    "Connection refused": "Is it running, and does it listen there?",
    "could not translate host name": "The name of the machine is not known.",
    "failed to resolve host": "The name of the machine is not known.",
    "too many clients": "It has no connection left.",
    "starting up": "It is just starting: try again in a moment.",
}


def describe_failure(connection: BaseDatabaseWrapper, error: Exception) -> Finding:
    """Why it cannot be used; the driver's own words name the user and never the password."""
    own = connection.settings_dict
    said = " ".join(str(error).split())
    reason = next((words for part, words in REASONS.items() if part in said), "")
    where = f"{own.get('HOST') or 'this machine'}:{own.get('PORT') or 5432}"
    return Finding.error(
        "database",
        f"The database cannot be used: PostgreSQL at {where}, database {own['NAME']}, user {own.get('USER') or '-'}. "
        f"{reason} It said: {said}".replace("  ", " "),
    )


def probe_write(connection: BaseDatabaseWrapper) -> None:
    """Writes, and takes it back. Raises DatabaseError."""
    with transaction.atomic(using=connection.alias):
        with connection.cursor() as cursor:
            cursor.execute(
                "UPDATE django_migrations SET name = name WHERE id = (SELECT min(id) FROM django_migrations)"
            )
        transaction.set_rollback(True, using=connection.alias)


def read_server_settings(connection: BaseDatabaseWrapper) -> dict[str, str]:
    """What is in force, as the server says."""
    with connection.cursor() as cursor:
        found = {}
        for name in SETTINGS_READ:
            cursor.execute(f"SHOW {name}")
            found[name] = str(cursor.fetchone()[0])
    return found


def check_server(found: Mapping[str, str]) -> Iterator[Finding]:
    """What must be so before anything is written."""
    if int(found["server_version_num"]) < MIN_VERSION * 10_000:
        yield Finding.error(
            "library", f"PostgreSQL {found['server_version']} is too old: at least {MIN_VERSION} is needed."
        )
    else:
        yield Finding.ok("library", f"PostgreSQL {found['server_version']}.")
    if found["server_encoding"] != "UTF8":
        yield Finding.error(
            "encoding",
            f"The database keeps text as {found['server_encoding']}, which has not all letters. Make it anew: "
            "createdb --encoding=UTF8 --template=template0",
        )
    if found["transaction_read_only"] != "off":
        yield Finding.error(
            "database", "The database can be read and not written. Is it a copy of another, or set read-only?"
        )


def check_durability(found: Mapping[str, str]) -> Iterator[Finding]:
    """Whether what was confirmed survives a power cut. A companion to try things out may do without."""
    names = ("fsync", "full_page_writes", "synchronous_commit")
    others = [f"{name} is off" for name in names if found[name] == "off"]
    if others:
        yield Finding.error("settings", f"PostgreSQL: {', '.join(others)}. A power cut can lose entries: set it to on.")
    else:
        yield Finding.ok("settings", f"PostgreSQL: {', '.join(f'{name} {found[name]}' for name in names)}.")


def check_postgresql(connection: BaseDatabaseWrapper) -> Iterator[Finding]:
    """All that must hold before anything is written; what follows something wrong is not asked."""
    try:
        connection.ensure_connection()
        found = read_server_settings(connection)
    except (DatabaseError, NotSupportedError) as error:
        yield describe_failure(connection, error)
        return
    yield from check_server(found)
