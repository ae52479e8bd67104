"""Copy of rows between PostgreSQL and an SQLite file, driven by the models."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from django.core.management.color import no_style
from django.db import DatabaseError, connection, models, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.utils import CursorWrapper

from companion.ops.backup.migrations import list_stored_models, migrate, open_as_default
from companion.ops.backup.verification import open_readonly

_UNCHANGED_TYPES = frozenset({"bigint", "integer", "smallint", "double precision", "varchar", "text", "bytea"})
_SQLITE_EXPRESSIONS = {
    "boolean": "{0}::int",
    "jsonb": "{0}::text",
    "date": "{0}::text",
    "uuid": "replace({0}::text, '-', '')",
    # As Python writes it, because SQLite compares text: microseconds, or none at all.
    "timestamp with time zone": "replace(to_char({0} AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US'), '.000000', '')",
}
_CONSTRAINTS = """
SELECT conrelid::regclass::text, quote_ident(conname), pg_get_constraintdef(oid) FROM pg_constraint
WHERE contype IN ('f', 'u') AND conrelid = ANY(%s::regclass[]) ORDER BY contype
"""
_INDEXES = """
SELECT indexrelid::regclass::text, pg_get_indexdef(indexrelid) FROM pg_index
WHERE indrelid = ANY(%s::regclass[]) AND NOT indisprimary
    AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = indexrelid)
"""


def build_select_expression(field: models.Field[object, object], database: BaseDatabaseWrapper) -> str:
    """Return the SQL that selects a column as Django stores it in SQLite. Raises KeyError for an unknown type."""
    kind, name = (field.db_type(database) or "").partition("(")[0], f'"{field.column}"'
    return name if kind in _UNCHANGED_TYPES else _SQLITE_EXPRESSIONS[kind].format(name)


def export_to_sqlite(path: Path) -> None:
    """Write a snapshot of the running PostgreSQL database to an empty file. Raises NewerSchema."""
    source = connection.copy()
    try:
        source.set_autocommit(False)
        with source.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            cursor.execute("SELECT app, name FROM django_migrations")
            migrations = cursor.fetchall()
        with open_as_default(path) as file:
            apps = migrate(file, migrations)
            file.disable_constraint_checking()
            with _defer_indexes(file.connection):
                for model in list_stored_models(apps):
                    _export_rows(source, file.connection, model)
    finally:
        source.close()


@contextmanager
def _defer_indexes(file: sqlite3.Connection) -> Iterator[None]:
    """Insert rows in one transaction without indexes, and build these at the end, in key order."""
    indexes = file.execute("SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL").fetchall()
    file.execute("PRAGMA journal_mode = OFF")  # a failed draft is deleted
    file.execute("BEGIN")
    for name, _sql in indexes:
        file.execute(f'DROP INDEX "{name}"')
    yield
    for _name, sql in indexes:
        file.execute(sql)
    file.execute("COMMIT")


def _export_rows(source: BaseDatabaseWrapper, file: sqlite3.Connection, model: type[models.Model]) -> None:
    fields, table = model._meta.local_concrete_fields, model._meta.db_table
    file.execute(f'DELETE FROM "{table}"')  # rows that migrations have inserted
    expressions = ", ".join(build_select_expression(field, source) for field in fields)
    insert = f'INSERT INTO "{table}" ({_join_column_names(fields)}) VALUES ({", ".join("?" * len(fields))})'
    rows = f'SELECT {expressions} FROM "{table}" ORDER BY "{_get_key_column(model)}"'
    with source.cursor() as cursor:
        cursor.execute(f"{rows} LIMIT 0")
        types = [column.type_code for column in cursor.description]
        with cursor.copy(f"COPY ({rows}) TO STDOUT") as copy:  # streams while SQLite writes
            copy.set_types(types)
            file.executemany(insert, copy.rows())


def import_from_sqlite(path: Path) -> None:
    """Replace all data of the running PostgreSQL database with that of a backup, in one transaction.

    Raises DatabaseError and NewerSchema; then nothing has changed.
    """
    with open_readonly(path) as file, transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            "SET LOCAL TIME ZONE 'UTC'; SET LOCAL lock_timeout = '30s'; SET LOCAL maintenance_work_mem = '256MB'"
        )
        _drop_tables(cursor)
        apps = migrate(
            connection, [(app, name) for app, name in file.execute("SELECT app, name FROM django_migrations")]
        )
        models_then = list_stored_models(apps)
        with _defer_constraints(cursor, [model._meta.db_table for model in models_then]):
            for model in models_then:
                _import_rows(cursor, file, model)
        connection.check_constraints()  # now, as tables with pending checks cannot be altered
        current_apps = migrate(connection)
        for statement in connection.ops.sequence_reset_sql(no_style(), list_stored_models(current_apps)):
            cursor.execute(statement)
        cursor.execute("ANALYZE")


def _drop_tables(cursor: CursorWrapper) -> None:
    """Drop the tables of our apps, including those of other releases."""
    from django.apps import apps

    labels = tuple(f"{config.label}_" for config in apps.get_app_configs() if config.models)
    names = [name for name in connection.introspection.table_names(cursor) if name.startswith((*labels, "django_migr"))]
    if names:
        cursor.execute(f"DROP TABLE {', '.join(map(connection.ops.quote_name, names))} CASCADE")


@contextmanager
def _defer_constraints(cursor: CursorWrapper, tables: Sequence[str]) -> Iterator[None]:
    """Drop constraints and indexes, and add them back at the end, which takes a fraction of the time."""
    cursor.execute(_CONSTRAINTS, [list(tables)])
    constraints = cursor.fetchall()
    cursor.execute(_INDEXES, [list(tables)])
    indexes = cursor.fetchall()
    for table, name, _definition in constraints:  # foreign keys first, as they depend on unique constraints
        cursor.execute(f"ALTER TABLE {table} DROP CONSTRAINT {name}")
    for name, _definition in indexes:
        cursor.execute(f"DROP INDEX {name}")
    yield
    for _name, definition in indexes:
        cursor.execute(definition)
    for table, name, definition in reversed(constraints):
        cursor.execute(f"ALTER TABLE {table} ADD CONSTRAINT {name} {definition}")


def _import_rows(cursor: CursorWrapper, file: sqlite3.Connection, model: type[models.Model]) -> None:
    fields, table = model._meta.local_concrete_fields, model._meta.db_table
    cursor.execute(f'DELETE FROM "{table}"')
    rows = file.execute(f'SELECT {_join_column_names(fields)} FROM "{table}" ORDER BY "{_get_key_column(model)}"')
    with cursor.copy(f'COPY "{table}" ({_join_column_names(fields)}) FROM STDIN') as copy:
        for row in rows:
            copy.write_row(row)
    row_count = file.execute(f'SELECT count(*) FROM "{table}"').fetchone()[0]
    cursor.execute(f'SELECT count(*) FROM "{table}"')
    if cursor.fetchone()[0] != row_count:
        raise DatabaseError(f"not all rows of {table} have arrived")


def _join_column_names(fields: Sequence[models.Field[object, object]]) -> str:
    return ", ".join(f'"{field.column}"' for field in fields)


def _get_key_column(model: type[models.Model]) -> str:
    return str(model._meta.pk.column)
