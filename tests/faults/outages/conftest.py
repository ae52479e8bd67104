"""Data folders that a server has already used, so that only the first start is slow."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.servers import serve


@pytest.fixture(scope="session")
def used_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("served") / "data"
    with serve(folder):
        pass
    return folder


@pytest.fixture
def data(used_data: Path, tmp_path: Path) -> Path:
    """A copy that a test may damage."""
    return Path(shutil.copytree(used_data, tmp_path / "data"))
