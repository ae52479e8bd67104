"""Databases as earlier releases filled them: migrated to this one, every entry is there and every score stays."""

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
"""Tables of each game whose pages are opened."""


@dataclass(frozen=True)
class ReleaseData:
    """What a release has left: what it said of its tables, by their ids, and the rows of its entries."""

    states: dict[str, dict[str, Any]]
    entries: list[tuple[Any, ...]]


@pytest.fixture(scope="module", params=[path.name.removesuffix(".sql.xz") for path in sorted(HERE.glob("*.sql.xz"))])
def release(request, tmp_path_factory, django_db_setup, django_db_blocker) -> Iterator[ReleaseData]:
    """The database of a release, migrated: for as long as the tests last it is the one that everything is read from."""
    file = tmp_path_factory.mktemp("release") / "companion.sqlite3"
    states = json.loads((HERE / f"{request.param}.json").read_text(encoding="utf-8"))
    with closing(sqlite3.connect(file)) as old:
        old.executescript(lzma.decompress((HERE / f"{request.param}.sql.xz").read_bytes()).decode())
        entries = read_entry_rows(old)
    in_its_place = use_schema if connection.vendor == "postgresql" else use_file
    with django_db_blocker.unblock(), in_its_place(file):
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
    """PostgreSQL with the rows of the file, in the tables that the release's own migrations make."""
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
    own = [target for target in targets if target in executor.loader.graph.nodes]
    executor.migrate(own)
    made = list(executor.loader.project_state(own).apps.get_models())
    with transaction.atomic(), connection.cursor() as cursor:
        for model in made:
            found = old.execute(f"SELECT * FROM {model._meta.db_table}")
            names = [column[0] for column in found.description]
            truths = {field.column for field in model._meta.fields if isinstance(field, models.BooleanField)}
            rows = [
                [bool(word) if name in truths else word for name, word in zip(names, row, strict=True)] for row in found
            ]
            columns, places = ", ".join(f'"{name}"' for name in names), ", ".join(["%s"] * len(names))
            cursor.executemany(f"INSERT INTO {model._meta.db_table} ({columns}) VALUES ({places})", rows)
        for statement in connection.ops.sequence_reset_sql(no_style(), made):
            cursor.execute(statement)


def read_entry_rows(old: sqlite3.Connection) -> list[tuple[Any, ...]]:
    rows = old.execute(
        "SELECT table_id, number, key, kind, round, words, overruled, game_version, device_id FROM tables_entry"
        " ORDER BY table_id, number"
    )
    return [(*row[:5], json.loads(row[5]), json.loads(row[6]), *row[7:]) for row in rows]


def is_judged_by_newer_version(state: dict[str, Any]) -> bool:
    """Whether the game has a newer version, of which the changelog says so."""
    game = get_games()[state["game"]]
    return game.version > state["version"] and f"{game.title}, version {game.version}" in CHANGELOG


def test_no_entry_is_lost_and_no_score_changes(release):
    names = ("table_id", "number", "key", "kind", "round", "words", "overruled", "game_version", "device_id")
    assert list(Entry.objects.order_by("table_id", "number").values_list(*names)) == release.entries
    assert {table.public_id for table in Table.objects.all()} == set(release.states)
    for table in Table.objects.prefetch_related("seats__player"):
        names = [seat.player.name for seat in table.seats.all()]
        known = load_log(table, len(names))
        state = release.states[table.public_id]
        now = describe_table(known.log, names, table.note)
        if not known.match.finished_rounds:  # up to 0.6 everybody was first there
            assert now["ranks"] == []
            now["ranks"] = state["ranks"]
        if is_judged_by_newer_version(state):
            for name in ("version", "totals", "ranks", "hash"):
                now[name] = state[name]
        elif table.version:
            copies = {name: getattr(table, name) for name in ("is_over", "is_closed", "result")}
            assert json.loads(json.dumps(entries.summarize_log(known.log))) == copies
        assert now == state, table.public_id


def test_copies_of_tables_that_are_judged_anew_are_refreshed(release):
    call_command("statistics", verbosity=0)
    found = [own for one in check_tables(Table.objects.all()) for own in one.differences]
    assert not found, found[:3]


def test_the_phone_that_opened_them_goes_on_where_it_was(release):
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
    """One more entry at an old table: its last one is undone."""
    known = load_log(table, table.seats.count())
    sent = {"key": "key-of-today", "kind": "undo", "target": known.log.undoable[-1]}
    assert phone.post(reverse("record", args=[table.public_id]), sent).status_code == 302
    assert Entry.objects.filter(table=table).count() == known.version + 1
