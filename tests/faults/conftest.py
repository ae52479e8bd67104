"""Folders and databases to be served from: on PostgreSQL where the run is, in a cluster that may be killed."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings

from tests.faults.ledger import Store
from tests.faults.servers import copied, made_ready
from tests.postgresql import Server, running

IS_POSTGRESQL = "postgresql" in settings.DATABASES["default"]["ENGINE"]
_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def cluster() -> Iterator[Server | None]:
    """A PostgreSQL of its own, which syncs as in life."""
    if not IS_POSTGRESQL:
        yield None
        return
    with running(haste=False) as server:
        yield server


@pytest.fixture(scope="session")
def ready(cluster: Server | None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder, and a database named `ready`, that have never been served from."""
    url = cluster.new_database("ready") if cluster else ""
    return made_ready(tmp_path_factory.mktemp("ready") / "data", url)


def new_store(ready: Path, cluster: Server | None, folder: Path) -> Store:
    """A folder and a database for one test, or for the tests of one module."""
    data = copied(ready, folder / "data")
    if cluster is None:
        return Store(data)
    name = f"own{next(_numbers)}"
    cluster.new_database(name, like="ready")
    return Store(data, cluster, name)


@pytest.fixture
def store(ready: Path, cluster: Server | None, tmp_path: Path) -> Store:
    return new_store(ready, cluster, tmp_path)
