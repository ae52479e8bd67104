"""Startup checks: refuse to start if entries could be lost."""

import logging

from django.core.exceptions import ImproperlyConfigured
from django.db import connection, connections

from companion.ops.health import databases, postgresql, sqlite
from companion.ops.health.findings import Severity
from companion.web.logging import log_unredacted

logger = logging.getLogger(__name__)


class UnsafeToStart(ImproperlyConfigured):
    """The companion must not start; `manage.py` prints the text without a traceback."""


def check_before_start() -> None:
    """Check the database before anything is written. Raises UnsafeToStart; leaves no connection open."""
    try:
        for finding in databases.check_database():
            if finding.severity == Severity.ERROR:
                raise UnsafeToStart(finding.text)
    finally:
        connections.close_all()  # forked workers must not share one


def log_database_settings() -> None:
    """Log how the database is opened, and a warning for each problem."""
    if connection.vendor == "sqlite":
        message = f"Database: {sqlite.check_connection_settings(connection).text}"
        findings = list(sqlite.check_workers())
    else:
        server_settings = postgresql.read_server_settings(connection)
        findings = [postgresql.check_durability(server_settings)]
        message = f"Database: PostgreSQL {server_settings['server_version']}. {findings[0].text}"
    log_unredacted(logger, logging.INFO, message)
    for finding in findings:
        if finding.severity != Severity.OK:
            log_unredacted(logger, logging.WARNING, finding.text)
    connections.close_all()
