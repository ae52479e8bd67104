"""Import of the tables of a file into a circle, in short transactions."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from companion.core.sanitize import fold_text
from companion.db.retry import retry
from companion.exchange.batches import iter_batches
from companion.exchange.import_data import ImportedEntry, ImportedTable, ImportFile
from companion.exchange.import_players import (
    check_players_are_distinct,
    get_or_create_places,
    get_or_create_players,
)
from companion.exchange.judging import build_table_options, get_state, get_table_game
from companion.exchange.name_matching import (
    Choices,
    GameChoice,
    find_new_tables,
    format_source,
    get_external_game_id,
    get_external_id,
)
from companion.games import get_games
from companion.history.models import Alias, Upload
from companion.people.models import Circle, Device, Player
from companion.people.services import lock_circle_for_member
from companion.tables.models import Entry, Place, SearchableNote, Seat, Table
from companion.web.i18n import translate_plain

BATCH_TABLES, BATCH_ENTRIES = 100, 1_000
"""Written per transaction, about 50 ms; a single table may have more entries."""
MAX_PAUSE = 0.2
"""Upper bound, in seconds, of the pause between transactions. The pause lasts as long as the last transaction, so that
phones at the tables get the lock."""
_PUBLIC_ID = re.compile(r"[A-Za-z0-9_-]{12}")
"""The format of ids generated here."""


class ImportAlreadyStarted(Exception):
    """Another request has started to import the same upload, and has created its players."""


@dataclass(frozen=True)
class ImportResult:
    """Numbers of tables: imported, already here, and not representable here."""

    new: int
    known: int
    skipped: int


@dataclass(frozen=True)
class _Import:
    """A file with everything that decides what its tables become."""

    circle: Circle
    file: ImportFile
    choices: Choices
    upload: Upload | None
    by: Device | None


@dataclass(frozen=True)
class _Lookups:
    """Players by imported id, places by their names in the file."""

    players: Mapping[str, Player]
    places: Mapping[str, Place]


def import_tables(
    circle: Circle, file: ImportFile, choices: Choices, upload: Upload | None = None, *, by: Device | None = None
) -> ImportResult:
    """Import all tables that are new. Entries that break a rule are imported, and their table shows the violation.

    Up to 100 tables are written in one transaction. A larger file starts with a transaction for its players, then
    writes its tables in batches, so that others can write in between. An interrupted import keeps the batches written
    so far; repeating it writes the rest, for the same players.

    Raises Malformed if a table would seat the same player twice, ImportAlreadyStarted if another request was faster
    with the same upload, IntegrityError if a player was merged or erased meanwhile, and Http404 if the device does not
    belong to the circle, at the start of any transaction.
    """
    task = _Import(circle, file, choices, upload, by)
    new_tables = find_new_tables(circle, file)
    now = timezone.now()
    importable = [
        replace(table, began_at=table.began_at or now)
        for table in new_tables
        if len(table.seats) in get_table_game(table).about.seats
    ]
    check_players_are_distinct(importable, file, choices)
    batches = list(
        iter_batches(importable, lambda table: len(table.entries), max_items=BATCH_TABLES, max_size=BATCH_ENTRIES)
    )
    is_large = len(batches) > 1
    with transaction.atomic():
        lock_circle_for_member(circle.pk, by)
        lookups = _start(task, importable)
        count = 0 if is_large else _write_tables(task, importable, lookups)
    if is_large:
        count = sum(_write_batch(task, batch, lookups) for batch in batches)
    skipped_count = len(file.skipped) + len(new_tables) - len(importable)
    return ImportResult(count, len(file.tables) - len(new_tables) + len(importable) - count, skipped_count)


def _start(task: _Import, tables: Sequence[ImportedTable]) -> _Lookups:
    """Create the players, places and aliases. Raises ImportAlreadyStarted. Call inside a transaction."""
    if task.upload is not None and not task.upload.is_begun:
        is_first = Upload.objects.filter(pk=task.upload.pk, is_begun=False).update(is_begun=True)
        if not is_first:
            raise ImportAlreadyStarted
    players = get_or_create_players(task.circle, task.file, tables, task.choices)
    _remember_aliases(task, players, tables)
    return _Lookups(players, get_or_create_places(task.circle, tables))


def _write_batch(task: _Import, batch: Sequence[ImportedTable], lookups: _Lookups) -> int:
    """Write a batch in its own transaction, then pause to let others write."""
    started_at = time.monotonic()

    def write() -> int:
        with transaction.atomic():
            lock_circle_for_member(task.circle.pk, task.by)
            return _write_tables(task, batch, lookups)

    count = retry(write)
    time.sleep(min(time.monotonic() - started_at, MAX_PAUSE))
    return count


def _build_table(task: _Import, imported: ImportedTable, lookups: _Lookups) -> tuple[Table, list[Entry]]:
    """Build the unsaved table and its entries."""
    began_at = imported.began_at or timezone.now()
    options = _build_options(imported, task.choices)
    table = Table(
        circle=task.circle,
        game=get_table_game(imported).slug,
        game_version=imported.game_version,
        options=options,
        mode=imported.mode if imported.game else Table.Mode.PAD,
        note=imported.note,
        place=lookups.places.get(imported.place),
        began_at=began_at,
        version=len(imported.entries),
        has_stale_stats=True,
        source=format_source(task.file, imported),
        hides_counts=imported.hides_counts,
        **get_state(imported, options),
    )
    if table.is_over or table.is_closed:
        table.ended_at = imported.ended_at
    return table, [_build_entry(table, imported_entry, began_at) for imported_entry in imported.entries]


def _build_options(table: ImportedTable, choices: Choices) -> dict[str, str]:
    """Return the options of the file, with the chosen name if it is a generic game."""
    choice = choices.games.get(fold_text(table.game_name), GameChoice(name=table.game_name))
    return build_table_options(table, translate_plain(get_games()[choice.slug].title) if choice.slug else choice.name)


def _build_entry(table: Table, imported: ImportedEntry, began_at: datetime) -> Entry:
    """Build an unsaved entry without a device, as a file can name anyone."""
    return Entry(
        table=table,
        number=imported.number,
        key=imported.key,
        kind=imported.kind,
        round=imported.round,
        words=dict(imported.words),
        overruled=list(imported.overruled),
        game_version=imported.game_version,
        at=imported.at or began_at,
    )


def _find_free_ids(tables: Iterable[ImportedTable]) -> set[str]:
    """Return the public ids of the file that no table in any circle uses."""
    ids = {table.source for table in tables if _PUBLIC_ID.fullmatch(table.source)}
    return ids - set(Table.objects.filter(public_id__in=ids).values_list("public_id", flat=True))


def _write_tables(task: _Import, batch: Sequence[ImportedTable], lookups: _Lookups) -> int:
    """Write the tables that nobody has written meanwhile, and return how many."""
    imported_tables = {format_source(task.file, imported): imported for imported in batch}
    known_tables = Table.objects.filter(circle=task.circle, source__in=imported_tables)
    for source in known_tables.values_list("source", flat=True):
        imported_tables.pop(source or "", None)
    free_ids = _find_free_ids(imported_tables.values())
    rows = [(imported, *_build_table(task, imported, lookups)) for imported in imported_tables.values()]
    for imported, table, _entries in rows:
        if imported.source in free_ids:
            table.public_id = imported.source
    Table.objects.bulk_create([table for _imported, table, _entries in rows])
    seats = [
        Seat(table=table, number=number, player=lookups.players.get(player_id) if player_id else None)
        for imported, table, _entries in rows
        for number, player_id in enumerate(imported.seats)
    ]
    Seat.objects.bulk_create(seats, batch_size=1_000)
    for _imported, table, entries in rows:
        for entry in entries:
            entry.table = table  # sets table_id, known since bulk_create
    Entry.objects.bulk_create((entry for *_, entries in rows for entry in entries), batch_size=1_000)
    notes = [(table, fold_text(table.note)) for _imported, table, _entries in rows if table.note]
    SearchableNote.objects.bulk_create(
        SearchableNote(table=table, circle=task.circle, text=text) for table, text in notes
    )
    return len(rows)


def _remember_aliases(task: _Import, players: Mapping[str, Player], tables: Sequence[ImportedTable]) -> None:
    """Save the choices as aliases for the next file."""
    circle, kind_of_file = task.circle, task.file.kind
    rows = {
        (Alias.Kind.PLAYER, get_external_id(kind_of_file, imported)): Alias(player=players[imported.id])
        for imported in task.file.players
        if imported.id in players
    }
    names = {table.game_name for table in tables if table.game is None}
    for name in names:
        choice = task.choices.games.get(fold_text(name))
        if choice is not None:
            rows[Alias.Kind.GAME, get_external_game_id(name)] = Alias(game=choice.slug, called=choice.name)
    for (kind, external_id), row in rows.items():
        row.circle, row.source, row.kind, row.external_id = circle, kind_of_file, kind, external_id
    Alias.objects.bulk_create(
        rows.values(),
        update_conflicts=True,
        unique_fields=["circle", "source", "kind", "external_id"],
        update_fields=["player", "game", "called"],
        batch_size=500,
    )
