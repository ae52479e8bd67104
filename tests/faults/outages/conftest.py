"""Data folders that a server has already used, so that only the first start is slow."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.ops.test_serve import get_free_port, run_server, wait_until_serving


@pytest.fixture(scope="session")
def used_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder, port = tmp_path_factory.mktemp("served") / "data", get_free_port()
    with run_server(folder, port) as process:
        wait_until_serving(port)
        process.terminate()
        process.communicate(timeout=20)
    return folder


@pytest.fixture
def data(used_data: Path, tmp_path: Path) -> Path:
    """A copy that a test may damage."""
    return Path(shutil.copytree(used_data, tmp_path / "data"))
