"""Fixtures and hooks for all tests."""

import socket
from collections.abc import Iterator
from operator import itemgetter
from pathlib import Path
from typing import Any

import pytest
from django.contrib.staticfiles.handlers import StaticFilesHandler
from django.db import connection
from django.utils import translation

from companion.management.commands.build import build
from tests.scale import RUN, get_first_run, get_folder_marker, includes, is_excluded
from tests.web.people import alice, mate, nobody, stranger, table

__all__ = ["alice", "mate", "nobody", "stranger", "table"]


def pytest_sessionstart(session: pytest.Session) -> None:
    """Build generated files once, under xdist before the workers start."""
    if not hasattr(session.config, "workerinput"):
        build()


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    is_test = collection_path.name.startswith("test_") and collection_path.suffix == ".py"
    return True if is_test and is_excluded(collection_path) else None


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> Iterator[None]:
    """Mark tests by folder, deselect those of longer runs, and spread the browser tests evenly among the others.

    Browser tests mostly wait; at the end of a run they would leave workers idle.
    """
    included, excluded = [], []
    for item in items:
        marker = get_folder_marker(item.path)
        if marker:
            item.add_marker(marker)
        first = get_first_run(item.path, {mark.name for mark in item.iter_markers()})
        (included if includes(RUN, first) else excluded).append(item)
    config.hook.pytest_deselected(items=excluded)
    items[:] = included
    yield
    slow = [item for item in items if item.get_closest_marker("browser")]
    quick = [item for item in items if not item.get_closest_marker("browser")]
    places = [((index + 0.5) / len(group), item) for group in (slow, quick) for index, item in enumerate(group)]
    items[:] = [item for _place, item in sorted(places, key=itemgetter(0))]


@pytest.fixture(autouse=True, scope="session")
def whitenoise_static_files() -> Iterator[None]:
    """Let whitenoise serve static files as in production; the live server's handler knows no hashed names."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(StaticFilesHandler, "_should_handle", lambda *_: False)
        yield


@pytest.fixture(autouse=True, scope="session")
def blocked_network() -> Iterator[None]:
    """Refuse connections to other machines: neither the app nor its tests need the internet."""
    connect, attempts = socket.socket.connect, list[object]()

    def connect_locally(sock: socket.socket, address: Any) -> None:
        is_tcp = sock.family in (socket.AF_INET, socket.AF_INET6) and sock.type == socket.SOCK_STREAM
        if is_tcp and address[0] not in ("localhost", "::1") and not str(address[0]).startswith("127."):
            attempts.append(address)
            raise ConnectionRefusedError(f"tests must not connect to {address}")
        connect(sock, address)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", connect_locally)
        yield
    assert not attempts, "A test has tried to connect to another machine."


@pytest.fixture(autouse=True)
def default_language() -> None:
    """Reset the language, which a request leaves active in its thread."""
    translation.deactivate()


@pytest.fixture(autouse=True)
def fresh_refusal_counter(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reset the counter in memory, which outlives the database of a test."""
    from companion.people import rate_limits

    monkeypatch.setattr(rate_limits, "_REFUSALS", rate_limits.InMemoryCounter("REFUSAL_PAGE_RATE"))


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    django_db_modify_db_settings_parallel_suffix: None, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Use an SQLite file, as in production; in memory, concurrent requests would share one connection."""
    if connection.vendor == "sqlite":
        connection.settings_dict["TEST"]["NAME"] = str(tmp_path_factory.mktemp("database") / "test.sqlite3")
