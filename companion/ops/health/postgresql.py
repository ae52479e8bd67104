"""Checks of a PostgreSQL database: reachable, writable, recent, durable."""

from collections.abc import Iterator, Mapping

from django.db import DatabaseError, NotSupportedError, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

from companion.ops.health.findings import Finding, error, ok

MIN_VERSION = 15
"""The oldest version the tests have run on."""
DURABLE_SETTINGS = ("fsync", "full_page_writes", "synchronous_commit")
SETTINGS_READ = ("server_version", "server_version_num", "server_encoding", "transaction_read_only", *DURABLE_SETTINGS)
PROBE = "UPDATE django_migrations SET name = name WHERE id = (SELECT min(id) FROM django_migrations)"
"""A write that changes nothing."""
REASONS = {
    "password authentication failed": "The user or the password is wrong.",
    "no password supplied": "It requires a password.",
    "does not exist": "Create it first: createdb, createuser.",
    "Connection refused": "Is it running and listening there?",
    "could not translate host name": "The host name cannot be resolved.",
    "failed to resolve host": "The host name cannot be resolved.",
    "too many clients": "All its connections are taken.",
    "starting up": "It is starting up: try again in a moment.",
}


def describe_failure(connection: BaseDatabaseWrapper, failure: Exception) -> Finding:
    """Explain why the database cannot be used. The driver's message names the user but not the password."""
    config = connection.settings_dict
    message = " ".join(str(failure).split())
    reason = next((f"{text} " for part, text in REASONS.items() if part in message), "")
    server = f"{config.get('HOST') or 'this machine'}:{config.get('PORT') or 5432}"
    where = f"PostgreSQL at {server}, database {config['NAME']}, user {config.get('USER') or '-'}"
    return error("database", f"The database cannot be used: {where}. {reason}It said: {message}")


def probe_write(connection: BaseDatabaseWrapper) -> None:
    """Write something and roll back. Raises DatabaseError."""
    with transaction.atomic(using=connection.alias):
        with connection.cursor() as cursor:
            cursor.execute(PROBE)
        transaction.set_rollback(True, using=connection.alias)


def read_server_settings(connection: BaseDatabaseWrapper) -> dict[str, str]:
    """Return the settings in effect."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT name, setting FROM pg_settings WHERE name = ANY(%s)", [list(SETTINGS_READ)])
        return dict(cursor.fetchall())


def check_server(settings: Mapping[str, str]) -> Iterator[Finding]:
    """Check version, encoding and write access."""
    version = f"PostgreSQL {settings['server_version']}"
    if int(settings["server_version_num"]) < MIN_VERSION * 10_000:
        yield error("library", f"{version} is too old: at least {MIN_VERSION} is needed.")
    else:
        yield ok("library", f"{version}.")
    if settings["server_encoding"] != "UTF8":
        advice = "Recreate it: createdb --encoding=UTF8 --template=template0"
        problem = f"The encoding of the database is {settings['server_encoding']}, which lacks characters."
        yield error("encoding", f"{problem} {advice}")
    if settings["transaction_read_only"] != "off":
        yield error("database", "The database is read-only. Is it a replica, or set read-only?")


def check_durability(settings: Mapping[str, str]) -> Finding:
    """Check that committed data survives a power cut."""
    if disabled := [f"{name} is off" for name in DURABLE_SETTINGS if settings[name] == "off"]:
        return error("settings", f"PostgreSQL: {', '.join(disabled)}. A power cut can lose entries: set it to on.")
    return ok("settings", f"PostgreSQL: {', '.join(f'{name} {settings[name]}' for name in DURABLE_SETTINGS)}.")


def check_postgresql(connection: BaseDatabaseWrapper) -> Iterator[Finding]:
    """Check everything that must hold before anything is written; stop at a failed connection."""
    try:
        connection.ensure_connection()
        settings = read_server_settings(connection)
    except (DatabaseError, NotSupportedError) as failure:
        yield describe_failure(connection, failure)
        return
    yield from check_server(settings)
