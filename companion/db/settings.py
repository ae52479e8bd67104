"""How the database is opened so that what was acknowledged survives a power cut; no queries."""

import sqlite3
from pathlib import Path
from typing import Any

import dj_database_url
from django.core.exceptions import ImproperlyConfigured

Version = tuple[int, int, int]


def choose_journal_mode(version: Version) -> str:
    """WAL on an SQLite library without the WAL-reset bug, else TRUNCATE, where that race cannot occur.

    Fixed in 3.51.3, 3.50.7 and 3.44.6; 3.52.0 was released with the bug and withdrawn.
    """
    has_fix = version >= (3, 51, 3) or (3, 50, 7) <= version < (3, 51, 0) or (3, 44, 6) <= version < (3, 45, 0)
    return "WAL" if has_fix and version != (3, 52, 0) else "TRUNCATE"


def sqlite_pragmas(version: Version) -> dict[str, tuple[str, int | str]]:
    """What is asked of every connection, and as what SQLite reads it back."""
    journal = choose_journal_mode(version)
    return {
        "foreign_keys": ("ON", 1),
        "journal_mode": (journal, journal.lower()),
        "synchronous": ("FULL", 2),  # NORMAL answers "saved" before anything has reached the disk
        "secure_delete": ("ON", 1),  # an erased name is gone from the file, too
    }


TRANSACTION_MODE = "IMMEDIATE"
"""The default lets two writers deadlock, and one of them fail."""
BUSY_TIMEOUT = 20
"""Seconds that a command waits for a lock; a request waits for less, see patience.py."""


def sqlite_options(version: Version) -> dict[str, Any]:
    return {
        "transaction_mode": TRANSACTION_MODE,
        "timeout": BUSY_TIMEOUT,
        "init_command": "; ".join(f"PRAGMA {name} = {word}" for name, (word, _read) in sqlite_pragmas(version).items()),
    }


def postgresql_options(said: dict[str, Any]) -> dict[str, Any]:
    """How long anything is waited for, and that "saved" is not said before it is; what the URL said counts for more."""
    asked = (
        "lock_timeout=7s",  # phones wait for 8: they are told that nothing was saved, instead of nothing at all
        "idle_in_transaction_session_timeout=60s",  # a machine that is gone gives back what it had locked
        "synchronous_commit=on",
        r"default_transaction_isolation=read\ committed",  # claims are updates that say what they have seen
    )
    waits = {
        "connect_timeout": 5,
        "tcp_user_timeout": 10_000,
        "keepalives_idle": 10,
        "keepalives_interval": 5,
        "keepalives_count": 3,
    }
    options = [*(f"-c {setting}" for setting in asked), said.get("options", "")]
    return waits | said | {"options": " ".join(options).strip()}


def database_config(url: str, data: Path) -> dict[str, Any]:
    """Django's settings for the database at the URL; by default a file in the data folder."""
    try:
        config: dict[str, Any] = dict(dj_database_url.parse(url or f"sqlite:///{data / 'companion.sqlite3'}"))
    except ValueError:
        # Not a word of the URL, for there is a password in it; nor of the error, which may repeat it.
        raise ImproperlyConfigured(
            "DATABASE_URL must be like postgres://user:password@host/name, "
            "with signs such as @ : / # % in the password written as %40 %3A %2F %23 %25."
        ) from None
    config["CONN_MAX_AGE"] = None
    config["CONN_HEALTH_CHECKS"] = True
    config["ATOMIC_REQUESTS"] = False
    if config["ENGINE"] == "django.db.backends.sqlite3":
        config["CONN_HEALTH_CHECKS"] = False  # a file does not hang up
        config["OPTIONS"] = sqlite_options(sqlite3.sqlite_version_info) | config.get("OPTIONS", {})
    if config["ENGINE"] == "django.db.backends.postgresql":
        config["OPTIONS"] = postgresql_options(config.get("OPTIONS", {}))
    return config
