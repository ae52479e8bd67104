"""All checks of an installation, in the order of the report."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

from django.conf import settings
from django.db import connection, connections
from django.utils import timezone

from companion import env
from companion.ops.backup import retention
from companion.ops.backup.restore import SIDECAR_SUFFIXES
from companion.ops.compile_messages import list_stale_catalogues
from companion.ops.health import backups, configuration, databases, files, games, postgresql, sqlite
from companion.ops.health.findings import Finding, has_errors
from companion.printing import pdf

Check = Callable[[], Finding | Iterable[Finding]]


def run_checks() -> Iterator[Finding]:
    """Yield the findings of all checks; never raises."""
    for topic, check in (*_list_settings_checks(), *_list_folder_checks()):
        yield from run_check(topic, check)
    database_findings = run_check("database", _check_database)
    yield from database_findings
    for topic, check in _list_data_checks(is_usable=not has_errors(database_findings)):
        yield from run_check(topic, check)
    connections.close_all()


def run_check(topic: str, check: Check) -> list[Finding]:
    """Return the findings of a check; an exception becomes a finding as well."""
    try:
        result = check()
        return [result] if isinstance(result, Finding) else list(result)
    except Exception as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        return [Finding.error(topic, f"This check failed: {reason}")]


def _list_settings_checks() -> Iterator[tuple[str, Check]]:
    extra = env.get_list("ALLOWED_HOSTS")
    names = [str(name) for name in settings.ALLOWED_HOSTS[:-1]]  # the last entry stands for all private addresses
    yield "python", configuration.check_python
    yield "profile", lambda: configuration.check_profile(settings.PUBLIC_URL, settings.PORT)
    yield "hosts", lambda: configuration.check_hosts(names, extra)
    yield "proxy", lambda: configuration.check_proxy(settings.TRUSTED_PROXY, settings.IS_HTTPS)
    yield "port", lambda: configuration.check_port(settings.PORT)
    yield "debug", lambda: configuration.check_debug(settings.DEBUG)
    yield "key", lambda: configuration.check_key_length(len(settings.SECRET_KEY))
    yield "pdf", lambda: configuration.check_printing(pdf.can_render_pdf(), pdf.WEASYPRINT_PACKAGES)
    yield "messages", lambda: configuration.check_translations(list_stale_catalogues(settings.LOCALE_PATHS))
    yield "games", games.check_games


def _list_folder_checks() -> Iterator[tuple[str, Check]]:
    if hasattr(os, "geteuid"):
        yield "owner", lambda: files.check_owners(_list_data_files(), os.geteuid())
    for folder in databases.list_data_folders(settings.DATA):
        yield "space", partial(files.check_free_space, folder)
    if connection.vendor == "sqlite":
        yield "processes", lambda: sqlite.check_workers(settings.WORKERS)
        yield "sync", lambda: files.check_sync(files.measure_sync_seconds(sqlite.get_database_path(connection).parent))


def _list_data_files() -> list[Path]:
    files = [settings.DATA, settings.DATA / "secret_key"]
    if connection.vendor == "sqlite":
        path = sqlite.get_database_path(connection)
        files += [path.with_name(path.name + suffix) for suffix in ("", *SIDECAR_SUFFIXES)]
    return files


def _check_database() -> Iterator[Finding]:
    """Check the database, and skip the rest after an error."""
    findings = list(databases.check_database(is_thorough=True))
    yield from findings
    if has_errors(findings):
        return
    if connection.vendor == "postgresql":
        yield from postgresql.check_durability(postgresql.read_server_settings(connection))
    yield databases.check_migrations(connection)


def _list_data_checks(*, is_usable: bool) -> Iterator[tuple[str, Check]]:
    now = timezone.localtime()
    yield "clock", lambda: databases.check_clock(now, databases.get_newest_entry_time() if is_usable else None)
    yield "backup", lambda: backups.check_newest_backup(retention.get_newest_backup_time(), now)
    yield "restore", lambda: backups.check_last_restore(backups.get_last_restore_time())
    if is_usable:
        yield "bin", databases.check_bin
