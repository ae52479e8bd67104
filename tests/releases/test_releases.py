"""Tests that databases of earlier releases migrate without losing an entry or changing a score."""

from __future__ import annotations

import json
import lzma
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.color import no_style
from django.db import connection, models, transaction
from django.db.migrations.executor import MigrationExecutor
from django.test import Client
from django.urls import reverse

from companion.games import get_games
from companion.people.auth import COOKIE_NAME
from companion.tables.log_cache import load_log
from companion.tables.models import Entry, Table
from companion.tables.services import entries
from companion.tables.services.integrity import check_tables
from tests.releases.filling import HERE, TOKEN, describe_table
from tests.scale import choose_count

pytestmark = pytest.mark.django_db
CHANGELOG = Path(__file__).resolve().parents[2].joinpath("CHANGELOG.md").read_text(encoding="utf-8")
TABLES_TO_OPEN = choose_count(1, 100)
"""Tables of each game whose pages the tests open."""


@dataclass(frozen=True)
class ReleaseData:
    """States of a release’s tables by public id, and the rows of its entries."""

    states: dict[str, dict[str, Any]]
    entries: list[tuple[Any, ...]]


@pytest.fixture(scope="module", params=[path.name.removesuffix(".sql.xz") for path in sorted(HERE.glob("*.sql.xz"))])
def release(request, tmp_path_factory, django_db_setup, django_db_blocker) -> Iterator[ReleaseData]:
    """The migrated database of a release, in use until the tests of the module end."""
    file = tmp_path_factory.mktemp("release") / "companion.sqlite3"
    states = json.loads((HERE / f"{request.param}.json").read_text(encoding="utf-8"))
    with closing(sqlite3.connect(file)) as old:
        old.executescript(lzma.decompress((HERE / f"{request.param}.sql.xz").read_bytes()).decode())
        entries = read_entry_rows(old)
    use_database = use_schema if connection.vendor == "postgresql" else use_file
    with django_db_blocker.unblock(), use_database(file):
        call_command("migrate", verbosity=0)
        yield ReleaseData(states, entries)


@contextmanager
def use_file(file: Path) -> Iterator[None]:
    name = connection.settings_dict["NAME"]
    connection.close()
    connection.settings_dict["NAME"] = str(file)
    try:
        yield
    finally:
        connection.close()
        connection.settings_dict["NAME"] = name


@contextmanager
def use_schema(file: Path) -> Iterator[None]:
    """Copy the file to a PostgreSQL schema that the release's migrations create."""
    with connection.cursor() as cursor:
        cursor.execute("CREATE SCHEMA of_a_release")
        cursor.execute("SET search_path TO of_a_release")
    try:
        with closing(sqlite3.connect(file)) as old:
            copy_to_schema(old)
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("SET search_path TO public")
            cursor.execute("DROP SCHEMA of_a_release CASCADE")
        connection.close()


def copy_to_schema(old: sqlite3.Connection) -> None:
    targets = old.execute("SELECT app, max(name) FROM django_migrations GROUP BY app").fetchall()
    executor = MigrationExecutor(connection)
    known_targets = [target for target in targets if target in executor.loader.graph.nodes]
    executor.migrate(known_targets)
    old_models = list(executor.loader.project_state(known_targets).apps.get_models())
    with transaction.atomic(), connection.cursor() as cursor:
        for model in old_models:
            selected = old.execute(f"SELECT * FROM {model._meta.db_table}")
            names = [column[0] for column in selected.description]
            booleans = {field.column for field in model._meta.fields if isinstance(field, models.BooleanField)}
            rows = [
                [bool(value) if name in booleans else value for name, value in zip(names, row, strict=True)]
                for row in selected
            ]
            columns, placeholders = ", ".join(f'"{name}"' for name in names), ", ".join(["%s"] * len(names))
            cursor.executemany(f"INSERT INTO {model._meta.db_table} ({columns}) VALUES ({placeholders})", rows)
        for statement in connection.ops.sequence_reset_sql(no_style(), old_models):
            cursor.execute(statement)


def read_entry_rows(old: sqlite3.Connection) -> list[tuple[Any, ...]]:
    rows = old.execute(
        "SELECT table_id, number, key, kind, round, words, overruled, game_version, device_id FROM tables_entry"
        " ORDER BY table_id, number"
    )
    return [(*row[:5], json.loads(row[5]), json.loads(row[6]), *row[7:]) for row in rows]


def is_judged_by_newer_version(state: dict[str, Any]) -> bool:
    """Return whether the changelog announces a newer version of the game."""
    game = get_games()[state["game"]]
    return game.about.version > state["version"] and f"{game.title}, version {game.about.version}" in CHANGELOG


def test_no_entry_is_lost_and_no_score_changes(release):
    names = ("table_id", "number", "key", "kind", "round", "words", "overruled", "game_version", "device_id")
    assert list(Entry.objects.order_by("table_id", "number").values_list(*names)) == release.entries
    assert {table.public_id for table in Table.objects.all()} == set(release.states)
    for table in Table.objects.prefetch_related("seats__player"):
        names = [seat.player.name for seat in table.seats.all()]
        cached = load_log(table, len(names))
        state = release.states[table.public_id]
        now = describe_table(cached.log, names, table.note)
        if not cached.match.finished_rounds:  # up to 0.6, everybody ranked first
            assert now["ranks"] == []
            now["ranks"] = state["ranks"]
        if is_judged_by_newer_version(state):
            for name in ("version", "totals", "ranks", "hash"):
                now[name] = state[name]
        elif table.version:
            stored = {name: getattr(table, name) for name in ("is_over", "is_closed", "result")}
            assert json.loads(json.dumps(entries.summarize_log(cached.log))) == stored
        assert now == state, table.public_id


def test_updating_statistics_refreshes_outdated_results(release):
    call_command("statistics", verbosity=0)
    differences = [difference for check in check_tables(Table.objects.all()) for difference in check.differences]
    assert not differences, differences[:3]


def test_the_device_of_an_old_release_can_keep_playing(release):
    phone = Client(SERVER_NAME="localhost")
    phone.cookies[COOKIE_NAME] = TOKEN
    for name in ("home", "history", "bin", "players", "statistics", "circle"):
        assert phone.get(reverse(name)).status_code == 200, name
    for slug in get_games():
        for table in Table.objects.filter(game=slug, binned_at=None).order_by("-version")[:TABLES_TO_OPEN]:
            for name in ("table", "log", "details", "table-paper"):
                assert phone.get(reverse(name, args=[table.public_id])).status_code == 200, (slug, name)
            if not table.is_closed:
                undo_last_entry(phone, table)


def undo_last_entry(phone: Client, table: Table) -> None:
    cached = load_log(table, table.seats.count())
    sent = {"key": "key-of-today", "kind": "undo", "target": cached.log.undoable[-1]}
    assert phone.post(reverse("record", args=[table.public_id]), sent).status_code == 302
    assert Entry.objects.filter(table=table).count() == cached.version + 1
