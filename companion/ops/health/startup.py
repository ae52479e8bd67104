"""Refuses to start where entries could be lost, and says what is in force. What is asked stands in databases.py."""

import logging

from django.core.exceptions import ImproperlyConfigured
from django.db import connection, connections

from companion.ops.health import databases, postgresql, sqlite
from companion.ops.health.findings import Verdict
from companion.web.logging import unredacted

logger = logging.getLogger(__name__)


class Unfit(ImproperlyConfigured):
    """The companion must not start; the text says why, and what to do. `manage.py` prints it without a traceback."""


def look_over() -> None:
    """Asks all that must hold before anything is written. Raises Unfit; leaves no connection open."""
    try:
        for found in databases.findings():
            if found.verdict == Verdict.WRONG:
                raise Unfit(found.text)
    finally:
        connections.close_all()  # nor may a copy of the process share one


def say_what_is_in_force(workers: int) -> None:
    """One line on how the database is opened, and another where something is to be looked at."""
    if connection.vendor == "sqlite":
        found = sqlite.in_force(sqlite.read_back(connection), sqlite.file_of(connection))
        said = f"Database: {found.text}"
        others = [sqlite.workers(workers)]
    else:
        shown = postgresql.shown(connection)
        others = list(postgresql.durability(shown))
        said = f"Database: PostgreSQL {shown['server_version']}. {others[0].text}"
    logger.info(said, extra=unredacted(said))
    for other in others:
        if other.verdict != Verdict.OK:
            logger.warning(other.text, extra=unredacted(other.text))
    connections.close_all()
