"""Chosen matches of an import."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.utils.formats import date_format

from companion.core.errors import Malformed
from companion.core.sanitize import fold_text
from companion.core.text import _
from companion.exchange.import_data import ImportedTable, ImportFile
from companion.exchange.name_matching import FileMatch, GameChoice
from companion.people.models import Player


@dataclass(frozen=True)
class Choices:
    """Players by imported id, None for a new one; games by folded name."""

    players: Mapping[str, Player | None]
    games: Mapping[str, GameChoice]


def get_default_choices(file_match: FileMatch) -> Choices:
    """Return the choices that accept every match."""
    return Choices(
        {match.imported.id: match.player for match in file_match.players},
        {fold_text(match.name): match.choice for match in file_match.games},
    )


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
