"""Refuses to start where entries could be lost, and says what is in force. What is asked stands in databases.py."""

import logging

from django.core.exceptions import ImproperlyConfigured
from django.db import connection, connections

from companion.ops.health import databases, postgresql, sqlite
from companion.ops.health.findings import Severity
from companion.web.logging import unredacted

logger = logging.getLogger(__name__)


class UnsafeToStart(ImproperlyConfigured):
    """The companion must not start; the text says why, and what to do. `manage.py` prints it without a traceback."""


def check_before_start() -> None:
    """Asks all that must hold before anything is written. Raises Unfit; leaves no connection open."""
    try:
        for found in databases.check_database():
            if found.severity == Severity.ERROR:
                raise UnsafeToStart(found.text)
    finally:
        connections.close_all()  # nor may a copy of the process share one


def log_database_settings(workers: int) -> None:
    """One line on how the database is opened, and another where something is to be looked at."""
    if connection.vendor == "sqlite":
        found = sqlite.check_connection_settings(
            sqlite.read_connection_settings(connection), sqlite.get_database_path(connection)
        )
        said = f"Database: {found.text}"
        others = [sqlite.check_workers(workers)]
    else:
        shown = postgresql.read_server_settings(connection)
        others = list(postgresql.check_durability(shown))
        said = f"Database: PostgreSQL {shown['server_version']}. {others[0].text}"
    logger.info(said, extra=unredacted(said))
    for other in others:
        if other.severity != Severity.OK:
            logger.warning(other.text, extra=unredacted(other.text))
    connections.close_all()
