"""Options that a circle keeps from table to table, and is offered again. What is worth keeping, the game says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone

from companion.core.game import Game, Options
from companion.core.schema import Malformed, decode
from companion.core.text import Text
from companion.people.models import Circle, Device
from companion.people.services import authorize_member
from companion.tables.models import SavedOptions

MAX_OFFERED = 24
"""Kept options that are offered, the last used first."""


@dataclass(frozen=True)
class OfferedOptions:
    """Kept options as they are offered: under their key and label, in the words of the notation."""

    key: str
    label: Text
    words: Mapping[str, str]


def list_saved_options(game: Game, circle: int | None) -> tuple[OfferedOptions, ...]:
    """What the circle of that number is offered again; what the game could not read any more is left out."""
    if circle is None:
        return ()
    rows = SavedOptions.objects.filter(circle=circle, game=game.slug)[:MAX_OFFERED]
    found = ((row, _find_label(game, row)) for row in rows)
    return tuple(OfferedOptions(row.key, label, row.words) for row, label in found if label is not None)


def fill_in_options(game: Game, circle: Circle | None, options: Mapping[str, str]) -> dict[str, str]:
    """The options, with what the circle keeps in the place of what was left empty. Raises Malformed."""
    wanted = [kept.key for kept in game.presets(decode(game.options, options)) if not kept.words]
    if circle is None or not wanted:
        return dict(options)
    rows = SavedOptions.objects.filter(circle=circle, game=game.slug, key__in=wanted)
    return merge_options(options, {name: word for row in rows for name, word in row.words.items()})


def merge_options(options: Mapping[str, str], words: Mapping[str, str]) -> dict[str, str]:
    """Options with others in their place; an empty word leaves an option as usual."""
    return {name: word for name, word in {**options, **words}.items() if word}


def save_options(game: Game, circle: Circle, options: Options) -> None:
    """Keeps for the circle what its newest table uses."""
    for kept in game.presets(options):
        if kept.words:
            values = {"words": dict(kept.words), "used_at": timezone.now()}
            SavedOptions.objects.update_or_create(circle=circle, game=game.slug, key=kept.key, defaults=values)


def delete_saved_options(game: Game, circle: Circle, key: str, *, by: Device | None) -> None:
    """Stop offering kept options to the circle; tables that use them have options of their own. Raises Http404."""
    with transaction.atomic():
        authorize_member(circle.pk, by)
        SavedOptions.objects.filter(circle=circle, game=game.slug, key=key).delete()


def _find_label(game: Game, row: SavedOptions) -> Text | None:
    try:
        kept = game.presets(decode(game.options, merge_options({}, row.words)))
    except Malformed:
        return None
    return next((own.label for own in kept if own.key == row.key), None)
