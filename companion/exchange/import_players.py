"""Players and places of the tables in an import file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from django.utils.formats import date_format

from companion import limits
from companion.core.errors import Malformed
from companion.core.sanitize import fold_text
from companion.core.text import _
from companion.exchange.formats.bgstats.plays import truncate
from companion.exchange.import_data import ImportedTable, ImportFile
from companion.exchange.name_matching import Choices
from companion.people.models import Circle, Player
from companion.people.services import NewPlayer, create_players
from companion.tables.models import Place


def check_players_are_distinct(tables: Iterable[ImportedTable], file: ImportFile, choices: Choices) -> None:
    """Check that no table would seat the same player twice. Raises Malformed."""
    names = {player.id: player.name for player in file.players}
    for table in tables:
        id_by_player: dict[int, str] = {}
        for player_id in table.seats:
            player = choices.players.get(player_id) if player_id is not None else None
            if player_id is None or player is None:
                continue
            other_id = id_by_player.setdefault(player.pk, player_id)
            if other_id != player_id:
                day = date_format(table.began_at, "j E Y") if table.began_at else "?"
                text = _(
                    "{one} and {other} sat at the same table on {day}, so they can’t both be {name}.",
                    one=names[other_id],
                    other=names[player_id],
                    day=day,
                    name=player.name,
                )
                raise Malformed(text, player_id)


def get_or_create_players(
    circle: Circle, file: ImportFile, tables: Sequence[ImportedTable], choices: Choices
) -> dict[str, Player]:
    """Return the players of all seats by imported id; new ones get a free name."""
    last_seated = _find_last_seated(tables)
    used_names = set(Player.objects.filter(circle=circle).values_list("name", flat=True))
    players: dict[str, Player] = {}
    new_players: dict[str, NewPlayer] = {}
    for imported in file.players:
        player = choices.players.get(imported.id)
        if imported.id in last_seated and player is not None:
            players[imported.id] = player
        elif imported.id in last_seated:
            name = _find_free_name(imported.name, used_names)
            used_names.add(name)
            new_players[imported.id] = NewPlayer(name, imported.colour, imported.sign)
    created = create_players(circle, list(new_players.values()))
    players.update((imported_id, created[newcomer.name]) for imported_id, newcomer in new_players.items())
    _update_last_seated(players, last_seated)
    return players


def _find_last_seated(tables: Sequence[ImportedTable]) -> dict[str, datetime]:
    """Return the latest start of a table by imported id."""
    last_seated: dict[str, datetime] = {}
    for table in tables:
        for player_id in table.seats:
            if player_id is not None and table.began_at is not None:
                last_seated[player_id] = max(last_seated.get(player_id, table.began_at), table.began_at)
    return last_seated


def _find_free_name(name: str, used_names: set[str]) -> str:
    number = 1
    free_name = name
    while free_name in used_names:
        number += 1
        free_name = f"{truncate(name, limits.MAX_NAME_LENGTH - 5)} {number}"
    return free_name


def _update_last_seated(players: Mapping[str, Player], last_seated: Mapping[str, datetime]) -> None:
    """Update `seated_at`, by which players are offered in order of their last table."""
    changed = {}
    for imported_id, player in players.items():
        if player.seated_at is None or player.seated_at < last_seated[imported_id]:
            player.seated_at = last_seated[imported_id]
            changed[player.pk] = player
    Player.objects.bulk_update(changed.values(), ["seated_at"], batch_size=200)


def get_or_create_places(circle: Circle, tables: Sequence[ImportedTable]) -> dict[str, Place]:
    """Return the places by their names in the file.

    Names that differ in case or accents are one place; a new place gets the most frequent spelling.
    """
    existing = list(Place.objects.filter(circle=circle))
    places = {place.name: place for place in existing}
    places_by_folded_name = {fold_text(place.name): place for place in reversed(existing)}  # the latest used wins
    for name, _uses in Counter(table.place for table in tables if table.place).most_common():
        if name not in places:
            places[name] = places_by_folded_name.setdefault(fold_text(name), Place(circle=circle, name=name))
    Place.objects.bulk_create([place for place in places_by_folded_name.values() if place.pk is None], batch_size=500)
    return places
