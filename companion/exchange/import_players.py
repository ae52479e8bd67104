"""The players and places that the tables of a file need: those of the circle, and new ones. Tables are in taking.py."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime

from companion import limits
from companion.core.sanitize import fold_text
from companion.exchange.formats.bgstats.plays import truncate
from companion.exchange.import_data import ImportedTable, ImportFile
from companion.exchange.match_choices import Choices
from companion.people.models import Circle, Player
from companion.people.services import NewPlayer, create_players
from companion.tables.models import Place


def get_or_create_players(
    circle: Circle, parcel: ImportFile, sittings: Sequence[ImportedTable], choices: Choices
) -> dict[str, Player]:
    """The players of all who sit, by the ids of the file; new ones are made, under names that are free."""
    last = _find_last_seated(sittings)
    taken = set(Player.objects.filter(circle=circle).values_list("name", flat=True))
    found: dict[str, Player] = {}
    names: dict[str, NewPlayer] = {}
    for stranger in parcel.people:
        player = choices.people.get(stranger.id)
        if stranger.id in last and player is not None:
            found[stranger.id] = player
        elif stranger.id in last:
            name = _find_free_name(stranger.name, taken)
            taken.add(name)
            names[stranger.id] = NewPlayer(name, stranger.colour, stranger.sign)
    made = create_players(circle, list(names.values()))
    found.update((own, made[newcomer.name]) for own, newcomer in names.items())
    _update_last_seated(found, last)
    return found


def _find_last_seated(sittings: Sequence[ImportedTable]) -> dict[str, datetime]:
    """When everybody sat down last, by the ids of the file."""
    found: dict[str, datetime] = {}
    for sitting in sittings:
        for own in sitting.seats:
            if own is not None and sitting.began_at is not None:
                found[own] = max(found.get(own, sitting.began_at), sitting.began_at)
    return found


def _find_free_name(name: str, taken: set[str]) -> str:
    number = 1
    free = name
    while free in taken:
        number += 1
        free = f"{truncate(name, limits.MAX_NAME_LENGTH - 5)} {number}"
    return free


def _update_last_seated(players: Mapping[str, Player], last: Mapping[str, datetime]) -> None:
    """When each of them sat down last: who played last is offered first."""
    changed = {}
    for own, player in players.items():
        if player.seated_at is None or player.seated_at < last[own]:
            player.seated_at = last[own]
            changed[player.pk] = player
    Player.objects.bulk_update(changed.values(), ["seated_at"], batch_size=200)


def get_or_create_places(circle: Circle, sittings: Sequence[ImportedTable]) -> dict[str, Place]:
    """The places by the names of the file. Capitals and accents make no other place: of the names of a new one, it has
    the one that is written most."""
    known = list(Place.objects.filter(circle=circle))
    found = {place.name: place for place in known}
    alike = {fold_text(place.name): place for place in reversed(known)}  # of two, the one used last
    for name, _times in Counter(sitting.place for sitting in sittings if sitting.place).most_common():
        if name not in found:
            found[name] = alike.setdefault(fold_text(name), Place(circle=circle, name=name))
    Place.objects.bulk_create([place for place in alike.values() if place.pk is None], batch_size=500)
    return found
