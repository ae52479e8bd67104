"""Checks of a PostgreSQL database: it answers, takes writes, is new enough, and keeps what it has confirmed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from django.db import DatabaseError, NotSupportedError, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

from companion.ops.health.findings import Finding, fine, wrong

OLDEST = 15
"""The oldest version that the tests have run on."""
SHOWN = (
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


def unusable(connection: BaseDatabaseWrapper, error: Exception) -> Finding:
    """Why it cannot be used; the driver's own words name the user and never the password."""
    own = connection.settings_dict
    said = " ".join(str(error).split())
    reason = next((words for part, words in REASONS.items() if part in said), "")
    where = f"{own.get('HOST') or 'this machine'}:{own.get('PORT') or 5432}"
    return wrong(
        "database",
        f"The database cannot be used: PostgreSQL at {where}, database {own['NAME']}, user {own.get('USER') or '-'}. "
        f"{reason} It said: {said}".replace("  ", " "),
    )


def try_to_write(connection: BaseDatabaseWrapper) -> None:
    """Writes, and takes it back. Raises DatabaseError."""
    with transaction.atomic(using=connection.alias):
        with connection.cursor() as cursor:
            cursor.execute(
                "UPDATE django_migrations SET name = name WHERE id = (SELECT min(id) FROM django_migrations)"
            )
        transaction.set_rollback(True, using=connection.alias)


def shown(connection: BaseDatabaseWrapper) -> dict[str, str]:
    """What is in force, as the server says."""
    with connection.cursor() as cursor:
        found = {}
        for name in SHOWN:
            cursor.execute(f"SHOW {name}")
            found[name] = str(cursor.fetchone()[0])
    return found


def fitness(found: Mapping[str, str]) -> Iterator[Finding]:
    """What must be so before anything is written."""
    if int(found["server_version_num"]) < OLDEST * 10_000:
        yield wrong("library", f"PostgreSQL {found['server_version']} is too old: at least {OLDEST} is needed.")
    else:
        yield fine("library", f"PostgreSQL {found['server_version']}.")
    if found["server_encoding"] != "UTF8":
        yield wrong(
            "encoding",
            f"The database keeps text as {found['server_encoding']}, which has not all letters. Make it anew: "
            "createdb --encoding=UTF8 --template=template0",
        )
    if found["transaction_read_only"] != "off":
        yield wrong("database", "The database can be read and not written. Is it a copy of another, or set read-only?")


def durability(found: Mapping[str, str]) -> Iterator[Finding]:
    """Whether what was confirmed survives a power cut. A companion to try things out may do without."""
    names = ("fsync", "full_page_writes", "synchronous_commit")
    others = [f"{name} is off" for name in names if found[name] == "off"]
    if others:
        yield wrong("settings", f"PostgreSQL: {', '.join(others)}. A power cut can lose entries: set it to on.")
    else:
        yield fine("settings", f"PostgreSQL: {', '.join(f'{name} {found[name]}' for name in names)}.")


def findings(connection: BaseDatabaseWrapper) -> Iterator[Finding]:
    """All that must hold before anything is written; what follows something wrong is not asked."""
    try:
        connection.ensure_connection()
        found = shown(connection)
    except (DatabaseError, NotSupportedError) as error:
        yield unusable(connection, error)
        return
    yield from fitness(found)
