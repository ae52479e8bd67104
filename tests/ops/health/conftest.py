"""A separate database file to damage."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import connections
from django.db.backends.sqlite3.base import DatabaseWrapper

from companion.db.settings import database_config


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "companion.sqlite3"


@pytest.fixture
def database(path: Path, django_db_blocker: pytest.FixtureRequest) -> Iterator[DatabaseWrapper]:
    """A connection to the file with the usual settings, registered with Django as `checked`."""
    config = database_config("", path.parent) | {"TIME_ZONE": None, "AUTOCOMMIT": True}
    with django_db_blocker.unblock():
        wrapper = DatabaseWrapper(config, "checked")
        connections["checked"] = wrapper
        yield wrapper
        wrapper.close()
        del connections["checked"]
