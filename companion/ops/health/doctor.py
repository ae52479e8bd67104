"""All checks of an installation, in the order of the report."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from django.db import connections

from companion.ops.health import configuration, databases, files, games, sqlite
from companion.ops.health.findings import Finding, error, has_errors

Check = Callable[[], Finding | Iterable[Finding]]
CHECKS: dict[str, Check] = {
    "python": configuration.check_python,
    "profile": configuration.check_profile,
    "hosts": configuration.check_hosts,
    "proxy": configuration.check_proxy,
    "port": configuration.check_port,
    "debug": configuration.check_debug,
    "key": configuration.check_key_length,
    "pdf": configuration.check_printing,
    "messages": configuration.check_translations,
    "games": games.check_games,
    "owner": files.check_owners,
    "space": files.check_free_space,
    "processes": sqlite.check_workers,
    "sync": files.check_sync,
}
"""Checks by topic that do not open the database."""


def run_checks() -> Iterator[Finding]:
    """Yield the findings of all checks; never raises."""
    for topic, check in CHECKS.items():
        yield from run_check(topic, check)
    findings = run_check("database", databases.check_thoroughly)
    yield from findings
    is_usable = not has_errors(findings)
    yield from run_check("clock", partial(databases.check_clock, is_usable=is_usable))
    yield from run_check("backup", files.check_newest_backup)
    yield from run_check("restore", files.check_last_restore)
    if is_usable:
        yield from run_check("bin", databases.check_bin)
    connections.close_all()


def run_check(topic: str, check: Check) -> list[Finding]:
    """Return the findings of a check; an exception becomes a finding as well."""
    try:
        result = check()
        return [result] if isinstance(result, Finding) else list(result)
    except Exception as problem:
        reason = " ".join(str(problem).split()) or type(problem).__name__
        return [error(topic, f"This check failed: {reason}")]
