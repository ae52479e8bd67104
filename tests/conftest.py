"""What every test needs; what only some need lives beside them."""

from collections.abc import Iterator

import pytest
from django.contrib.staticfiles.handlers import StaticFilesHandler
from django.db import connection

from companion.management.commands.build import build


def pytest_sessionstart(session: pytest.Session) -> None:
    """Build what is stale, once: under xdist before the workers start."""
    if not hasattr(session.config, "workerinput"):
        build()


@pytest.fixture(autouse=True, scope="session")
def static_files_as_served() -> Iterator[None]:
    """The live server's own handler knows no hashed names: let whitenoise answer, as it does in production."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(StaticFilesHandler, "_should_handle", lambda *_: False)
        yield


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    django_db_modify_db_settings_parallel_suffix: None, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """SQLite in a file, as in production: in memory, requests at the same time would share one connection."""
    if connection.vendor == "sqlite":
        connection.settings_dict["TEST"]["NAME"] = str(tmp_path_factory.mktemp("database") / "test.sqlite3")
