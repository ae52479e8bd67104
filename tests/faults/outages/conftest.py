"""A data folder that has been served from, so that only the first start is slow."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.ops.test_serve import free_port, serving, wait_until_it_answers


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder, port = tmp_path_factory.mktemp("served") / "data", free_port()
    with serving(folder, port) as process:
        wait_until_it_answers(port)
        process.terminate()
        process.communicate(timeout=20)
    return folder


@pytest.fixture
def data(served: Path, tmp_path: Path) -> Path:
    """A copy of it, to be spoilt."""
    return Path(shutil.copytree(served, tmp_path / "data"))
