"""Rows between PostgreSQL and an SQLite file, by what models say of their columns: a new model needs nothing here."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from django.core.management.color import no_style
from django.db import connection, models, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.utils import CursorWrapper

from companion.ops.backup.checksum import open_readonly
from companion.ops.backup.migrations import list_stored_models, migrate, open_as_default

_AS_THEY_ARE = frozenset({"bigint", "integer", "smallint", "double precision", "varchar", "text", "bytea"})
_IN_SQLITE = {
    "boolean": "{0}::int",
    "jsonb": "{0}::text",
    "date": "{0}::text",
    "uuid": "replace({0}::text, '-', '')",
    # As Python writes it, for SQLite compares texts: six digits of a second, or none.
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


class RowCountMismatch(Exception):
    """Not as many rows have arrived as there should be; the text is the name of the table."""


def list_columns(model: type[models.Model]) -> list[models.Field[object, object]]:
    return list(model._meta.local_concrete_fields)


def build_select_expression(field: models.Field[object, object], database: BaseDatabaseWrapper) -> str:
    """What PostgreSQL is asked for to get a column's values as Django keeps them in SQLite. Raises KeyError."""
    kind, name = (field.db_type(database) or "").partition("(")[0], f'"{field.column}"'
    return name if kind in _AS_THEY_ARE else _IN_SQLITE[kind].format(name)


def export_to_sqlite(path: Path) -> None:
    """Writes the running PostgreSQL database into an empty file, as it is at one moment. Raises NewerSchema."""
    own = connection.copy()
    try:
        own.set_autocommit(False)
        with own.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            cursor.execute("SELECT app, name FROM django_migrations")
            migrations = cursor.fetchall()
        with open_as_default(path) as file:
            apps = migrate(file, migrations)
            file.disable_constraint_checking()
            with _indexes_later(file.connection):
                for model in list_stored_models(apps):
                    _rows_out(own, file.connection, model)
    finally:
        own.close()


@contextmanager
def _indexes_later(file: sqlite3.Connection) -> Iterator[None]:
    """In one transaction, and the indexes of all rows together: in the order of their keys."""
    made = file.execute("SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL").fetchall()
    file.execute("PRAGMA journal_mode = OFF")  # a draft that fails is thrown away
    file.execute("BEGIN")
    for name, _sql in made:
        file.execute(f'DROP INDEX "{name}"')
    yield
    for _name, sql in made:
        file.execute(sql)
    file.execute("COMMIT")


def _rows_out(source: BaseDatabaseWrapper, file: sqlite3.Connection, model: type[models.Model]) -> None:
    fields, table = list_columns(model), model._meta.db_table
    file.execute(f'DELETE FROM "{table}"')  # of what the migrations themselves have written
    asked = ", ".join(build_select_expression(field, source) for field in fields)
    insert = f'INSERT INTO "{table}" ({_names(fields)}) VALUES ({", ".join("?" * len(fields))})'
    rows = f'SELECT {asked} FROM "{table}" ORDER BY "{_key(model)}"'
    with source.cursor() as cursor:
        cursor.execute(f"{rows} LIMIT 0")
        types = [column.type_code for column in cursor.description]
        with cursor.copy(f"COPY ({rows}) TO STDOUT") as copy:  # the server works ahead meanwhile
            copy.set_types(types)
            file.executemany(insert, copy.rows())


def import_from_sqlite(path: Path) -> None:
    """Puts what is in a backup in the place of all that is in the running PostgreSQL database, in one transaction.

    Raises DatabaseError where PostgreSQL does not accept it, WrongCount, NewerSchema; then nothing has changed.
    """
    with open_readonly(path) as file, transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            "SET LOCAL TIME ZONE 'UTC'; SET LOCAL lock_timeout = '30s'; SET LOCAL maintenance_work_mem = '256MB'"
        )
        _drop_all(cursor)
        apps = migrate(
            connection, [(app, name) for app, name in file.execute("SELECT app, name FROM django_migrations")]
        )
        own = list_stored_models(apps)
        with _constraints_later(cursor, [model._meta.db_table for model in own]):
            for model in own:
                _rows_in(cursor, file, model)
        connection.check_constraints()  # now: no table is altered while something is left to be checked
        now = migrate(connection)
        for line in connection.ops.sequence_reset_sql(no_style(), list_stored_models(now)):
            cursor.execute(line)
        cursor.execute("ANALYZE")


def _drop_all(cursor: CursorWrapper) -> None:
    """Every table of an app of ours, also those that only another release has."""
    from django.apps import apps

    labels = tuple(f"{config.label}_" for config in apps.get_app_configs() if config.models)
    names = [name for name in connection.introspection.table_names(cursor) if name.startswith((*labels, "django_migr"))]
    if names:
        cursor.execute(f"DROP TABLE {', '.join(map(connection.ops.quote_name, names))} CASCADE")


@contextmanager
def _constraints_later(cursor: CursorWrapper, tables: Sequence[str]) -> Iterator[None]:
    """What is checked and indexed of all rows together takes a fraction of the time."""
    cursor.execute(_CONSTRAINTS, [list(tables)])
    constraints = cursor.fetchall()
    cursor.execute(_INDEXES, [list(tables)])
    indexes = cursor.fetchall()
    for table, name, _definition in constraints:  # references first: they stand on what is unique
        cursor.execute(f"ALTER TABLE {table} DROP CONSTRAINT {name}")
    for name, _definition in indexes:
        cursor.execute(f"DROP INDEX {name}")
    yield
    for _name, definition in indexes:
        cursor.execute(definition)
    for table, name, definition in reversed(constraints):
        cursor.execute(f"ALTER TABLE {table} ADD CONSTRAINT {name} {definition}")


def _rows_in(cursor: CursorWrapper, file: sqlite3.Connection, model: type[models.Model]) -> None:
    fields, table = list_columns(model), model._meta.db_table
    cursor.execute(f'DELETE FROM "{table}"')
    rows = file.execute(f'SELECT {_names(fields)} FROM "{table}" ORDER BY "{_key(model)}"')
    with cursor.copy(f'COPY "{table}" ({_names(fields)}) FROM STDIN') as copy:
        for row in rows:
            copy.write_row(row)
    wanted = file.execute(f'SELECT count(*) FROM "{table}"').fetchone()[0]
    cursor.execute(f'SELECT count(*) FROM "{table}"')
    if cursor.fetchone()[0] != wanted:
        raise RowCountMismatch(table)


def _names(fields: Sequence[models.Field[object, object]]) -> str:
    return ", ".join(f'"{field.column}"' for field in fields)


def _key(model: type[models.Model]) -> str:
    return str(model._meta.pk.column)
