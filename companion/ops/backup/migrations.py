"""An SQLite file as a database of its own beside the running one, with the schema of any release."""

from __future__ import annotations

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
    """A database holds what only a newer release understands; the text names the migration."""


@contextmanager
def open_as_default(path: Path) -> Iterator[BaseDatabaseWrapper]:
    """The file in the place of the running database, in this thread: a migration that speaks to whatever is the default
    must not reach the running one. It is not safe against a power cut until it is synced by whoever opens it.
    """
    pragmas = "PRAGMA synchronous = OFF; PRAGMA cache_size = -64000"
    own = {"ENGINE": "django.db.backends.sqlite3", "NAME": str(path), "OPTIONS": {"init_command": pragmas}}
    running = connections[DEFAULT_DB_ALIAS]
    file = DatabaseWrapper(connections.configure_settings({DEFAULT_DB_ALIAS: own})[DEFAULT_DB_ALIAS])
    connections[DEFAULT_DB_ALIAS] = file
    try:
        yield file
    finally:
        connections[DEFAULT_DB_ALIAS] = running
        file.close()


def get_applied_migrations(database: BaseDatabaseWrapper) -> set[Migration]:
    return set(MigrationRecorder(database).applied_migrations())


def has_pending_migrations(database: BaseDatabaseWrapper) -> bool:
    """Whether the database has been in use, and is older than the code."""
    executor = MigrationExecutor(database)
    return bool(executor.loader.applied_migrations and executor.migration_plan(executor.loader.graph.leaf_nodes()))


def check_known_migrations(migrations: Iterable[Migration]) -> list[Migration]:
    """Those of the apps that there are here. Raises NewerSchema for one that this release does not have."""
    loader = MigrationLoader(None)
    own = [key for key in migrations if key[0] in loader.migrated_apps]
    unknown = sorted(set(own) - set(loader.graph.nodes))
    if unknown:
        raise NewerSchema(".".join(unknown[-1]))
    return own


def migrate(database: BaseDatabaseWrapper, migrations: Iterable[Migration] | None = None) -> Apps:
    """Applies these migrations, or all that there are; the models of that time."""
    executor = MigrationExecutor(database)
    graph = executor.loader.graph
    if migrations is None:
        return executor.migrate(graph.leaf_nodes()).apps
    wanted = set(check_known_migrations(migrations))
    last = [key for key in wanted if not any(child.key in wanted for child in graph.node_map[key].children)]
    return executor.migrate(last).apps


def list_stored_models(apps: Apps) -> list[type[models.Model]]:
    """All that has a table of its own, the list of migrations included."""
    own = [model for model in apps.get_models(include_auto_created=True) if model._meta.managed]
    return [*own, MigrationRecorder.Migration]
