"""Takes the tables of a file into a circle: all that are not there yet, or none. Who is who has been chosen before."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from companion import bounds
from companion.core.cleaning import folded
from companion.core.game import Game
from companion.core.malformed import Malformed
from companion.core.notation import options_of
from companion.games import games, get_game, sheet_for_others
from companion.history.exchange.bgstats.plays import cut
from companion.history.exchange.choosing import Choices, check_apart
from companion.history.exchange.matching import (
    Chosen,
    fresh_of,
    outside_of,
    outside_of_game,
    source_of,
)
from companion.history.exchange.newcomers import places_of, players_of
from companion.history.exchange.parcels import Incoming, Parcel, Written
from companion.history.models import Alias
from companion.languages import said_plainly
from companion.people.models import Circle, Player
from companion.tables.folding import folded_apart
from companion.tables.models import Entry, FoldedNote, Place, Seat, Table
from companion.tables.services import copied

AT_ONCE = 200
"""Tables that are written in one go."""
_PUBLIC_ID = re.compile(r"[A-Za-z0-9_-]{12}")
"""As they are made here."""


@dataclass(frozen=True)
class Taken:
    """How many tables have come in, were here already, and could not be kept."""

    new: int
    known: int
    left_out: int


def take_in(circle: Circle, parcel: Parcel, choices: Choices) -> Taken:
    """Writes all that is new, in one transaction; what is judged wrong is kept, and shown as such by its table.

    Raises Malformed where two who sit at one table would be the same player, and IntegrityError where somebody else
    has taken in the same tables meanwhile.
    """
    fresh = fresh_of(circle, parcel)
    now = timezone.now()
    kept = [
        replace(sitting, began_at=sitting.began_at or now)
        for sitting in fresh
        if len(sitting.seats) in _game(sitting).seats
    ]
    check_apart(kept, parcel, choices)
    tables = [(sitting, *_table(circle, parcel, sitting, choices)) for sitting in kept]
    with transaction.atomic():
        players = players_of(circle, parcel, kept, choices)
        places = places_of(circle, kept)
        free = _free_ids(kept)
        for first in range(0, len(tables), AT_ONCE):
            _write(tables[first : first + AT_ONCE], players, places, free)
        _remember(circle, parcel, players, kept, choices)
    known = len(parcel.sittings) - len(fresh)
    return Taken(len(kept), known, len(parcel.left_out) + len(fresh) - len(kept))


def _table(circle: Circle, parcel: Parcel, sitting: Incoming, choices: Choices) -> tuple[Table, list[Entry]]:
    """The table and its entries, folded to see how it stands; nothing is written yet."""
    began = sitting.began_at or timezone.now()
    table = Table(
        circle=circle,
        game=_game(sitting).slug,
        game_version=sitting.game_version,
        options=_options(sitting, choices),
        way=sitting.way if sitting.game else Table.Way.PAD,
        note=sitting.note,
        began_at=began,
        version=len(sitting.entries),
        is_unread=True,
        source=source_of(parcel, sitting),
        hides_counts=sitting.hides_counts,
    )
    entries = [_entry(table, written, began) for written in sitting.entries]
    for name, value in copied(folded_apart(table, len(sitting.seats), entries)).items():
        setattr(table, name, value)
    if table.is_over or table.is_closed:
        table.ended_at = sitting.ended_at
    return table, entries


def _game(sitting: Incoming) -> Game:
    return get_game(sitting.game) if sitting.game else sheet_for_others()


def _options(sitting: Incoming, choices: Choices) -> dict[str, str]:
    """As in the file; a game without a folder is written under its name on the sheet for all others."""
    if sitting.game:
        return dict(sitting.options)
    chosen = choices.games.get(folded(sitting.game_name), Chosen(called=sitting.game_name))
    name = said_plainly(games()[chosen.slug].title) if chosen.slug else chosen.called
    options = {**sitting.options, "name": cut(name, bounds.LONGEST_NAME)}
    try:
        options_of(_game(sitting), len(sitting.seats), options)
    except Malformed:  # of a game that there is not here
        return {"name": options["name"]}
    return options


def _entry(table: Table, written: Written, began: datetime) -> Entry:
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


def _free_ids(sittings: Iterable[Incoming]) -> set[str]:
    """The ids of the file that a table here can have: no other table has them, whoever's it is."""
    ids = [sitting.source for sitting in sittings if _PUBLIC_ID.fullmatch(sitting.source)]
    taken: set[str] = set()
    for first in range(0, len(ids), AT_ONCE):
        rows = Table.objects.filter(public_id__in=ids[first : first + AT_ONCE])
        taken.update(rows.values_list("public_id", flat=True))
    return set(ids) - taken


def _write(
    tables: Sequence[tuple[Incoming, Table, list[Entry]]],
    players: Mapping[str, Player],
    places: Mapping[str, Place],
    free: set[str],
) -> None:
    for sitting, table, _entries in tables:
        table.place = places.get(sitting.place)
        if sitting.source in free:
            table.public_id = sitting.source
    Table.objects.bulk_create([table for _sitting, table, _entries in tables])
    seats = [
        Seat(table=table, number=number, player=players.get(own) if own else None)
        for sitting, table, _entries in tables
        for number, own in enumerate(sitting.seats)
    ]
    Seat.objects.bulk_create(seats, batch_size=1_000)
    for _sitting, table, entries in tables:
        for entry in entries:
            entry.table = table  # which has its number only now
    Entry.objects.bulk_create((entry for *_, entries in tables for entry in entries), batch_size=1_000)
    notes = [(table, folded(table.note)) for _sitting, table, _entries in tables if table.note]
    FoldedNote.objects.bulk_create(FoldedNote(table=table, circle=table.circle, text=text) for table, text in notes)


def _remember(
    circle: Circle,
    parcel: Parcel,
    players: Mapping[str, Player],
    sittings: Sequence[Incoming],
    choices: Choices,
) -> None:
    """Who was who, for the next file."""
    strangers = [stranger for stranger in parcel.people if stranger.id in players]
    rows = {(Alias.Kind.PLAYER, outside_of(parcel.kind, own)): Alias(player=players[own.id]) for own in strangers}
    names = {sitting.game_name for sitting in sittings if sitting.game is None}
    for name in names:
        chosen = choices.games.get(folded(name))
        if chosen is not None:
            rows[Alias.Kind.GAME, outside_of_game(name)] = Alias(game=chosen.slug, called=chosen.called)
    for (kind, outside), row in rows.items():
        row.circle, row.source, row.kind, row.outside = circle, parcel.kind, kind, outside
    Alias.objects.bulk_create(
        rows.values(),
        update_conflicts=True,
        unique_fields=["circle", "source", "kind", "outside"],
        update_fields=["player", "game", "called"],
        batch_size=500,
    )
