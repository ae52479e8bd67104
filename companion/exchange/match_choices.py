"""Who is who, as it was chosen; and what cannot be chosen. What is offered is found in matching.py."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.utils.formats import date_format

from companion.core.errors import Malformed
from companion.core.sanitize import fold_text
from companion.core.text import _
from companion.exchange.import_data import ImportedTable, ImportFile
from companion.exchange.matching import FileMatch, GameChoice
from companion.people.models import Player


@dataclass(frozen=True)
class Choices:
    """Who is who: players by the ids of strangers, None for somebody new; games by their names, folded."""

    people: Mapping[str, Player | None]
    games: Mapping[str, GameChoice]


def get_default_choices(found: FileMatch) -> Choices:
    """What is taken to be right where nobody chooses otherwise."""
    return Choices(
        {person.stranger.id: person.player for person in found.people},
        {fold_text(title.name): title.chosen for title in found.titles},
    )


def check_players_are_distinct(sittings: Iterable[ImportedTable], parcel: ImportFile, choices: Choices) -> None:
    """Raises Malformed where a table would have the same player twice."""
    names = {stranger.id: stranger.name for stranger in parcel.people}
    for sitting in sittings:
        seen: dict[int, str] = {}
        for own in sitting.seats:
            player = choices.people.get(own) if own is not None else None
            if own is None or player is None:
                continue
            other = seen.setdefault(player.pk, own)
            if other != own:
                day = date_format(sitting.began_at, "j E Y") if sitting.began_at else "?"
                text = _(
                    "{one} and {other} sat at the same table on {day}, so they can’t both be {name}.",
                    one=names[other],
                    other=names[own],
                    day=day,
                    name=player.name,
                )
                raise Malformed(text, own)
