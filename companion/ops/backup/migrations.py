"""Migrations of an SQLite file beside the running database, to the schema of any release."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from django.apps.registry import Apps
from django.db import DEFAULT_DB_ALIAS, connections, models
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.sqlite3.base import DatabaseWrapper
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

Migration = tuple[str, str]
"""App and name."""


class NewerSchema(Exception):
    """A database has a migration of a newer release; the text names it."""


@contextmanager
def open_as_default(path: Path) -> Iterator[BaseDatabaseWrapper]:
    """Make the file the default database of this thread, as migrations may use whichever is the default.

    Not safe against a power cut until the caller syncs the file.
    """
    pragmas = "PRAGMA synchronous = OFF; PRAGMA cache_size = -64000"
    config = {"ENGINE": "django.db.backends.sqlite3", "NAME": str(path), "OPTIONS": {"init_command": pragmas}}
    running = connections[DEFAULT_DB_ALIAS]
    file = DatabaseWrapper(connections.configure_settings({DEFAULT_DB_ALIAS: config})[DEFAULT_DB_ALIAS])
    connections[DEFAULT_DB_ALIAS] = file
    try:
        yield file
    finally:
        connections[DEFAULT_DB_ALIAS] = running
        file.close()


def get_applied_migrations(database: BaseDatabaseWrapper) -> set[Migration]:
    return set(MigrationRecorder(database).applied_migrations())


def list_missing_migrations(database: BaseDatabaseWrapper) -> list[Migration]:
    """Return the migrations of this release that have not been applied."""
    loader = MigrationLoader(database)
    return sorted(set(loader.graph.nodes) - set(loader.applied_migrations))


def check_known_migrations(migrations: Iterable[Migration]) -> list[Migration]:
    """Return the migrations of installed apps. Raises NewerSchema for one that this release does not have."""
    loader = MigrationLoader(None)
    installed = [key for key in migrations if key[0] in loader.migrated_apps]
    unknown = sorted(set(installed) - set(loader.graph.nodes))
    if unknown:
        raise NewerSchema(".".join(unknown[-1]))
    return installed


def migrate(database: BaseDatabaseWrapper, migrations: Iterable[Migration] | None = None) -> Apps:
    """Apply these migrations, or all; return the models of that schema."""
    executor = MigrationExecutor(database)
    graph = executor.loader.graph
    if migrations is None:
        return executor.migrate(graph.leaf_nodes()).apps
    targets = set(check_known_migrations(migrations))
    leaves = [key for key in targets if not any(child.key in targets for child in graph.node_map[key].children)]
    return executor.migrate(leaves).apps


def list_stored_models(apps: Apps) -> list[type[models.Model]]:
    """Return all models with a table, including the record of migrations."""
    managed = [model for model in apps.get_models(include_auto_created=True) if model._meta.managed]
    return [*managed, MigrationRecorder.Migration]
