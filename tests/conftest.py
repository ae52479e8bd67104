"""What every test needs; what only some need lives beside them."""

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
    """Build what is stale, once: under xdist before the workers start."""
    if not hasattr(session.config, "workerinput"):
        build()


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    is_test = collection_path.name.startswith("test_") and collection_path.suffix == ".py"
    return True if is_test and is_excluded(collection_path) else None


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> Iterator[None]:
    """Mark tests by folder, leave out those of longer runs, and spread browser tests, which mostly wait, among the
    others, so that no worker is left with nothing but slow ones."""
    included, left_out = [], []
    for item in items:
        marker = get_folder_marker(item.path)
        if marker:
            item.add_marker(marker)
        first = get_first_run(item.path, {mark.name for mark in item.iter_markers()})
        (included if includes(RUN, first) else left_out).append(item)
    config.hook.pytest_deselected(items=left_out)
    items[:] = included
    yield
    slow = [item for item in items if item.get_closest_marker("browser")]
    quick = [item for item in items if not item.get_closest_marker("browser")]
    places = [((index + 0.5) / len(group), item) for group in (slow, quick) for index, item in enumerate(group)]
    items[:] = [item for _place, item in sorted(places, key=itemgetter(0))]


@pytest.fixture(autouse=True, scope="session")
def whitenoise_static_files() -> Iterator[None]:
    """The live server's own handler knows no hashed names: let whitenoise answer, as it does in production."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(StaticFilesHandler, "_should_handle", lambda *_: False)
        yield


@pytest.fixture(autouse=True, scope="session")
def blocked_network() -> Iterator[None]:
    """Nothing asks another machine: not the app, which needs no internet, and no test, which could not be trusted."""
    connect, tried = socket.socket.connect, list[object]()

    def within(own: socket.socket, address: Any) -> None:
        is_far = own.family in (socket.AF_INET, socket.AF_INET6) and own.type == socket.SOCK_STREAM
        if is_far and address[0] not in ("localhost", "::1") and not str(address[0]).startswith("127."):
            tried.append(address)
            raise ConnectionRefusedError(f"no test asks {address}")
        connect(own, address)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", within)
        yield
    assert not tried, "Somebody has asked another machine."


@pytest.fixture(autouse=True)
def default_language() -> None:
    """The language of the last request stays that of its thread."""
    translation.deactivate()


@pytest.fixture(autouse=True)
def fresh_refusal_counter(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is counted in memory outlives the database of a test."""
    from companion.people import rate_limits

    monkeypatch.setattr(rate_limits, "_REFUSALS", rate_limits.InMemoryCounter("REFUSAL_PAGE_RATE"))


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    django_db_modify_db_settings_parallel_suffix: None, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """SQLite in a file, as in production: in memory, requests at the same time would share one connection."""
    if connection.vendor == "sqlite":
        connection.settings_dict["TEST"]["NAME"] = str(tmp_path_factory.mktemp("database") / "test.sqlite3")
