"""DATABASES options: durable writes, short waits."""

import sqlite3
from pathlib import Path
from typing import Any

import dj_database_url
from django.core.exceptions import ImproperlyConfigured

Version = tuple[int, int, int]


def choose_journal_mode(version: Version) -> str:
    """Return WAL for an SQLite library without the WAL-reset bug, else TRUNCATE, which cannot hit it.

    Fixed in 3.51.3, 3.50.7 and 3.44.6; 3.52.0 was released with the bug and withdrawn.
    """
    has_fix = version >= (3, 51, 3) or (3, 50, 7) <= version < (3, 51, 0) or (3, 44, 6) <= version < (3, 45, 0)
    return "WAL" if has_fix and version != (3, 52, 0) else "TRUNCATE"


JOURNAL_MODE = choose_journal_mode(sqlite3.sqlite_version_info)
SQLITE_PRAGMAS: dict[str, tuple[str, int | str]] = {
    "foreign_keys": ("ON", 1),
    "journal_mode": (JOURNAL_MODE, JOURNAL_MODE.lower()),
    "synchronous": ("FULL", 2),  # NORMAL would answer "saved" before the disk has the data
    "secure_delete": ("ON", 1),  # an erased name is gone from the file as well
}
"""Pragmas of every connection: the value to set, and the value that SQLite reports."""
TRANSACTION_MODE = "IMMEDIATE"
"""With the default, two writers can deadlock and one of them fails."""
BUSY_TIMEOUT = 20
"""Seconds that a command waits for a lock; requests wait for less, see sqlite_lock.py."""
SQLITE_OPTIONS: dict[str, Any] = {
    "transaction_mode": TRANSACTION_MODE,
    "timeout": BUSY_TIMEOUT,
    "init_command": "; ".join(f"PRAGMA {name} = {value}" for name, (value, _reported) in SQLITE_PRAGMAS.items()),
}


def postgresql_options(url_options: dict[str, Any]) -> dict[str, Any]:
    """Return timeouts and durability settings; options given in the URL take precedence."""
    server_settings = (
        "lock_timeout=7s",  # below the 8 s of phones, so that they hear that nothing was saved
        "idle_in_transaction_session_timeout=60s",  # a machine that has gone away releases its locks
        "synchronous_commit=on",
        r"default_transaction_isolation=read\ committed",  # claims are updates conditional on what was read
    )
    waits = {
        "connect_timeout": 5,
        "tcp_user_timeout": 10_000,
        "keepalives_idle": 10,
        "keepalives_interval": 5,
        "keepalives_count": 3,
    }
    options = [*(f"-c {setting}" for setting in server_settings), url_options.get("options", "")]
    return waits | url_options | {"options": " ".join(options).strip()}


def database_config(url: str, data: Path) -> dict[str, Any]:
    """Return Django's settings for the database at the URL, by default an SQLite file in the data folder."""
    try:
        config: dict[str, Any] = dict(dj_database_url.parse(url or f"sqlite:///{data / 'companion.sqlite3'}"))
    except ValueError:
        # Quote neither the URL nor the error, for both may hold a password.
        raise ImproperlyConfigured(
            "DATABASE_URL must be like postgres://user:password@host/name, "
            "with characters such as @ : / # % in the password written as %40 %3A %2F %23 %25."
        ) from None
    is_sqlite, options = config["ENGINE"] == "django.db.backends.sqlite3", config.get("OPTIONS", {})
    if is_sqlite:
        options = SQLITE_OPTIONS | options
    elif config["ENGINE"] == "django.db.backends.postgresql":
        options = postgresql_options(options)
    # A file does not drop connections.
    connections = {"CONN_MAX_AGE": None, "CONN_HEALTH_CHECKS": not is_sqlite, "ATOMIC_REQUESTS": False}
    return config | connections | {"OPTIONS": options}
