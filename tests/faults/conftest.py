"""Prepared data folders and databases; on PostgreSQL, in a cluster that tests may kill."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings

from tests.faults.servers import copy_data_folder, prepare_data_folder
from tests.faults.store import Store
from tests.postgresql import Server, run_postgresql

IS_POSTGRESQL = "postgresql" in settings.DATABASES["default"]["ENGINE"]
_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def cluster() -> Iterator[Server | None]:
    """A separate PostgreSQL with production durability."""
    if not IS_POSTGRESQL:
        yield None
        return
    with run_postgresql(is_durable=True) as server:
        yield server


@pytest.fixture(scope="session")
def prepared_data(cluster: Server | None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An unused data folder, and on PostgreSQL a database named `ready`."""
    url = cluster.new_database("ready") if cluster else ""
    return prepare_data_folder(tmp_path_factory.mktemp("ready") / "data", url)


def create_store(prepared_data: Path, cluster: Server | None, folder: Path) -> Store:
    """Create a data folder and a database for one test or module."""
    data = copy_data_folder(prepared_data, folder / "data")
    if cluster is None:
        return Store(data)
    name = f"store{next(_numbers)}"
    cluster.new_database(name, template="ready")
    return Store(data, cluster, name)


@pytest.fixture
def store(prepared_data: Path, cluster: Server | None, tmp_path: Path) -> Store:
    return create_store(prepared_data, cluster, tmp_path)
