"""Takes the tables of a file into a circle, in short transactions. Who is who has been chosen before."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from companion.core.sanitize import fold_text
from companion.db.retry import retry
from companion.exchange.import_data import ImportedEntry, ImportedTable, ImportFile
from companion.exchange.import_players import get_or_create_places, get_or_create_players
from companion.exchange.judging import build_table_options, get_state, get_table_game
from companion.exchange.match_choices import Choices, check_players_are_distinct
from companion.exchange.matching import (
    GameChoice,
    find_new_tables,
    format_source,
    get_external_game_id,
    get_external_id,
)
from companion.games import get_games
from companion.history.models import Alias, Upload
from companion.people.models import Circle, Device, Player
from companion.people.services import authorize_member
from companion.tables.models import Entry, Place, SearchableNote, Seat, Table
from companion.web.i18n import translate_plain

BATCH_TABLES, BATCH_ENTRIES = 100, 1_000
"""Written in one transaction, about 50 ms; a single table may have more entries."""
MAX_PAUSE = 0.2
"""Seconds between two transactions; else as long as the last one took, so that phones at the tables get the lock."""
_PUBLIC_ID = re.compile(r"[A-Za-z0-9_-]{12}")
"""As they are made here."""


class ImportAlreadyStarted(Exception):
    """Somebody else has begun to take in the same upload: its people have their players by now."""


@dataclass(frozen=True)
class ImportResult:
    """How many tables have come in, were here already, and could not be kept."""

    new: int
    known: int
    left_out: int


@dataclass(frozen=True)
class _Lookups:
    """The players and the places of the tables, by the words of the file."""

    players: Mapping[str, Player]
    places: Mapping[str, Place]


def import_tables(
    circle: Circle, parcel: ImportFile, choices: Choices, upload: Upload | None = None, *, by: Device | None = None
) -> ImportResult:
    """Write all tables that are new; what is judged wrong is kept, and shown as such by its table.

    A file of up to 100 tables is written in one transaction. A larger one begins with its players, and then comes in
    transaction by transaction: others can write in between. Where that is broken off the tables written by then stay,
    and doing it again writes the others, for the same players.

    Raises Malformed where two who sit at one table would be the same player, AlreadyBegun where another request was
    faster with the same upload, IntegrityError where a player has been merged or erased meanwhile, and Http404 where
    the device does not belong to the circle (any more), before any of the transactions.
    """
    fresh = find_new_tables(circle, parcel)
    now = timezone.now()
    kept = [
        replace(sitting, began_at=sitting.began_at or now)
        for sitting in fresh
        if len(sitting.seats) in get_table_game(sitting).seats
    ]
    check_players_are_distinct(kept, parcel, choices)
    batches = list(_iter_batches(kept))
    if len(batches) <= 1:
        with transaction.atomic():
            authorize_member(circle.pk, by)
            count = _write_tables(circle, parcel, kept, _start(circle, parcel, kept, choices, upload), choices)
    else:
        with transaction.atomic():
            authorize_member(circle.pk, by)
            named = _start(circle, parcel, kept, choices, upload)
        count = sum(_write_batch(circle, parcel, batch, named, choices, by) for batch in batches)
    left_out = len(parcel.left_out) + len(fresh) - len(kept)
    return ImportResult(count, len(parcel.sittings) - len(fresh) + len(kept) - count, left_out)


def _iter_batches(sittings: Iterable[ImportedTable]) -> Iterator[list[ImportedTable]]:
    """The tables in lists of as many as one transaction writes."""
    batch: list[ImportedTable] = []
    entries = 0
    for sitting in sittings:
        if batch and (len(batch) == BATCH_TABLES or entries + len(sitting.entries) > BATCH_ENTRIES):
            yield batch
            batch, entries = [], 0
        batch.append(sitting)
        entries += len(sitting.entries)
    if batch:
        yield batch


def _start(
    circle: Circle, parcel: ImportFile, sittings: Sequence[ImportedTable], choices: Choices, upload: Upload | None
) -> _Lookups:
    """Make the players and the places, and remember who is who. Raises AlreadyBegun. To be called in a transaction."""
    begun = Upload.objects.filter(pk=upload.pk, is_begun=False) if upload is not None and not upload.is_begun else None
    if begun is not None and not begun.update(is_begun=True):
        raise ImportAlreadyStarted
    named = _Lookups(get_or_create_players(circle, parcel, sittings, choices), get_or_create_places(circle, sittings))
    _remember_aliases(circle, parcel, named.players, sittings, choices)
    return named


def _write_batch(
    circle: Circle,
    parcel: ImportFile,
    batch: Sequence[ImportedTable],
    named: _Lookups,
    choices: Choices,
    by: Device | None,
) -> int:
    """Write some of the tables in a transaction of their own, and let others write before the next."""
    began = time.monotonic()

    def write() -> int:
        with transaction.atomic():
            authorize_member(circle.pk, by)
            return _write_tables(circle, parcel, batch, named, choices)

    count = retry(write)
    time.sleep(min(time.monotonic() - began, MAX_PAUSE))
    return count


def _build_table(
    circle: Circle, parcel: ImportFile, sitting: ImportedTable, named: _Lookups, choices: Choices
) -> tuple[Table, list[Entry]]:
    """The table and its entries; nothing is written yet."""
    began = sitting.began_at or timezone.now()
    options = _build_options(sitting, choices)
    table = Table(
        circle=circle,
        game=get_table_game(sitting).slug,
        game_version=sitting.game_version,
        options=options,
        mode=sitting.way if sitting.game else Table.Mode.PAD,
        note=sitting.note,
        place=named.places.get(sitting.place),
        began_at=began,
        version=len(sitting.entries),
        has_stale_stats=True,
        source=format_source(parcel, sitting),
        hides_counts=sitting.hides_counts,
        **get_state(sitting, options),
    )
    if table.is_over or table.is_closed:
        table.ended_at = sitting.ended_at
    return table, [_build_entry(table, written, began) for written in sitting.entries]


def _build_options(sitting: ImportedTable, choices: Choices) -> dict[str, str]:
    """As in the file, under the name that was chosen for a game without a folder."""
    chosen = choices.games.get(fold_text(sitting.game_name), GameChoice(called=sitting.game_name))
    return build_table_options(
        sitting, translate_plain(get_games()[chosen.slug].title) if chosen.slug else chosen.called
    )


def _build_entry(table: Table, written: ImportedEntry, began: datetime) -> Entry:
    """Who made it is not believed: anybody can write a name into a file."""
    return Entry(
        table=table,
        number=written.number,
        key=written.key,
        kind=written.kind,
        round=written.round,
        words=dict(written.words),
        overruled=list(written.overruled),
        game_version=written.game_version,
        at=written.at or began,
    )


def _find_free_ids(sittings: Iterable[ImportedTable]) -> set[str]:
    """The ids of the file that a table here can have: no other table has them, whoever's it is."""
    ids = {sitting.source for sitting in sittings if _PUBLIC_ID.fullmatch(sitting.source)}
    return ids - set(Table.objects.filter(public_id__in=ids).values_list("public_id", flat=True))


def _write_tables(
    circle: Circle, parcel: ImportFile, batch: Sequence[ImportedTable], named: _Lookups, choices: Choices
) -> int:
    """Write the tables that nobody else has written meanwhile, and give their number."""
    sources = [format_source(parcel, sitting) for sitting in batch]
    known = set(Table.objects.filter(circle=circle, source__in=sources).values_list("source", flat=True))
    fresh = [sitting for sitting in batch if format_source(parcel, sitting) not in known]
    free = _find_free_ids(fresh)
    rows = [(sitting, *_build_table(circle, parcel, sitting, named, choices)) for sitting in fresh]
    for sitting, table, _entries in rows:
        if sitting.source in free:
            table.public_id = sitting.source
    Table.objects.bulk_create([table for _sitting, table, _entries in rows])
    seats = [
        Seat(table=table, number=number, player=named.players.get(own) if own else None)
        for sitting, table, _entries in rows
        for number, own in enumerate(sitting.seats)
    ]
    Seat.objects.bulk_create(seats, batch_size=1_000)
    for _sitting, table, entries in rows:
        for entry in entries:
            entry.table = table  # which has its number only now
    Entry.objects.bulk_create((entry for *_, entries in rows for entry in entries), batch_size=1_000)
    notes = [(table, fold_text(table.note)) for _sitting, table, _entries in rows if table.note]
    SearchableNote.objects.bulk_create(SearchableNote(table=table, circle=circle, text=text) for table, text in notes)
    return len(rows)


def _remember_aliases(
    circle: Circle,
    parcel: ImportFile,
    players: Mapping[str, Player],
    sittings: Sequence[ImportedTable],
    choices: Choices,
) -> None:
    """Who was who, for the next file."""
    strangers = [stranger for stranger in parcel.people if stranger.id in players]
    rows = {(Alias.Kind.PLAYER, get_external_id(parcel.kind, own)): Alias(player=players[own.id]) for own in strangers}
    names = {sitting.game_name for sitting in sittings if sitting.game is None}
    for name in names:
        chosen = choices.games.get(fold_text(name))
        if chosen is not None:
            rows[Alias.Kind.GAME, get_external_game_id(name)] = Alias(game=chosen.slug, called=chosen.called)
    for (kind, outside), row in rows.items():
        row.circle, row.source, row.kind, row.outside = circle, parcel.kind, kind, outside
    Alias.objects.bulk_create(
        rows.values(),
        update_conflicts=True,
        unique_fields=["circle", "source", "kind", "outside"],
        update_fields=["player", "game", "called"],
        batch_size=500,
    )
