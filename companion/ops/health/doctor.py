"""All checks of an installation in the order in which they are told; each is asked, whatever the others do."""

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
from companion.ops.compile_messages import stale
from companion.ops.health import backups, configuration, databases, files, games, postgresql, sqlite
from companion.ops.health.findings import Finding, Verdict, wrong
from companion.printing import pdf

Check = Callable[[], Finding | Iterable[Finding]]


def findings() -> Iterator[Finding]:
    """What is so with this installation, a sentence each; nothing is ever raised."""
    for topic, check in (*_of_the_settings(), *_of_the_folder()):
        yield from asked(topic, check)
    database = asked("database", _of_the_database)
    yield from database
    is_usable = all(found.verdict != Verdict.WRONG for found in database)
    for topic, check in _of_what_is_kept(is_usable):
        yield from asked(topic, check)
    connections.close_all()


def asked(topic: str, check: Check) -> list[Finding]:
    """What a check finds; that it cannot be made is a finding, too."""
    try:
        found = check()
        return [found] if isinstance(found, Finding) else list(found)
    except Exception as error:  # a doctor who faints is of no use
        said = " ".join(str(error).split()) or type(error).__name__
        return [wrong(topic, f"This could not be looked at: {said}")]


def _of_the_settings() -> Iterator[tuple[str, Check]]:
    extra = env.names("ALLOWED_HOSTS")
    names = [str(name) for name in settings.ALLOWED_HOSTS[:-1]]  # the last stands for all private addresses
    yield "python", configuration.python
    yield "profile", lambda: configuration.addresses(settings.PUBLIC_URL, settings.PORT)
    yield "hosts", lambda: configuration.hosts(names, extra)
    yield "proxy", lambda: configuration.proxy(settings.TRUSTED_PROXY, settings.IS_HTTPS)
    yield "port", lambda: configuration.port(settings.PORT)
    yield "debug", lambda: configuration.debug(settings.DEBUG)
    yield "key", lambda: configuration.key(len(settings.SECRET_KEY))
    yield "papers", lambda: configuration.papers(pdf.can_render_pdf(), pdf.WEASYPRINT_PACKAGES)
    yield "words", lambda: configuration.catalogues(stale(settings.LOCALE_PATHS))
    yield "games", games.findings


def _of_the_folder() -> Iterator[tuple[str, Check]]:
    key = settings.DATA / "secret_key"
    yield "key", lambda: files.key_file(key, bool(env.text("SECRET_KEY")))
    if hasattr(os, "geteuid"):
        yield "owner", lambda: files.owners(_files(), os.geteuid())
    for place in databases.folders(settings.DATA):
        yield "room", partial(files.room, place)
    if connection.vendor == "sqlite":
        yield "library", sqlite.version
        yield "processes", lambda: sqlite.workers(settings.WORKERS)
        yield "sync", lambda: files.sync(files.sync_seconds(sqlite.file_of(connection).parent))


def _files() -> list[Path]:
    files = [settings.DATA, settings.DATA / "secret_key"]
    if connection.vendor == "sqlite":
        path = sqlite.file_of(connection)
        files += [path.with_name(path.name + end) for end in ("", "-journal", "-wal", "-shm")]
    return files


def _of_the_database() -> Iterator[Finding]:
    """What follows something wrong is not asked."""
    usable = True
    for found in databases.findings(is_thorough=True):
        usable = usable and found.verdict != Verdict.WRONG
        yield found
    if usable and connection.vendor == "postgresql":
        yield from postgresql.durability(postgresql.shown(connection))
    if usable:
        yield databases.migrations(connection)


def _of_what_is_kept(is_usable: bool) -> Iterator[tuple[str, Check]]:
    now = timezone.localtime()
    yield "clock", lambda: databases.clock(now, databases.newest_entry() if is_usable else None)
    yield "backup", lambda: backups.age(retention.newest(), now)
    yield "restore", lambda: backups.trial(backups.tried())
    if is_usable:
        yield "bin", lambda: databases.bin_to_purge()
