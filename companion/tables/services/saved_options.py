"""Options that a circle has used and is offered again, by the presets of a game."""

from collections.abc import Mapping

from django.utils import timezone

from companion.core.game import Game, Preset
from companion.core.protocols import Options
from companion.core.schema import Malformed, decode
from companion.core.text import Text
from companion.people.models import Circle, Device
from companion.people.services import lock_circle_for_member
from companion.tables.models import SavedOptions

MAX_OFFERED = 24


def list_saved_options(game: Game, circle: int | None) -> tuple[Preset, ...]:
    """Return the options saved by the circle of that id, last used first, without those that no longer decode."""
    if circle is None:
        return ()
    rows = SavedOptions.objects.filter(circle=circle, game=game.slug)[:MAX_OFFERED]
    labels = ((row, _find_label(game, row)) for row in rows)
    return tuple(Preset(row.key, label, row.words) for row, label in labels if label is not None)


def fill_in_options(game: Game, circle: Circle | None, options: Mapping[str, str]) -> dict[str, str]:
    """Return the options, with saved ones for presets that were left empty. Raises Malformed."""
    keys = [preset.key for preset in game.options.presets(decode(game.options.cls, options)) if not preset.words]
    if circle is None or not keys:
        return dict(options)
    rows = SavedOptions.objects.filter(circle=circle, game=game.slug, key__in=keys)
    return merge_options(options, {name: word for row in rows for name, word in row.words.items()})


def merge_options(options: Mapping[str, str], words: Mapping[str, str]) -> dict[str, str]:
    """Return the options updated with `words`; an empty word resets an option to its default."""
    return {name: word for name, word in {**options, **words}.items() if word}


def save_options(game: Game, circle: Circle, options: Options) -> None:
    """Save the presets that the options contain, so that the circle is offered them again."""
    for preset in game.options.presets(options):
        if preset.words:
            values = {"words": dict(preset.words), "used_at": timezone.now()}
            SavedOptions.objects.update_or_create(circle=circle, game=game.slug, key=preset.key, defaults=values)


def delete_saved_options(game: Game, circle: Circle, key: str, *, by: Device | None) -> None:
    """Delete saved options; tables that use them keep their own copy. Raises Http404."""
    with lock_circle_for_member(circle.pk, by):
        SavedOptions.objects.filter(circle=circle, game=game.slug, key=key).delete()


def _find_label(game: Game, row: SavedOptions) -> Text | None:
    try:
        presets = game.options.presets(decode(game.options.cls, merge_options({}, row.words)))
    except Malformed:
        return None
    return next((preset.label for preset in presets if preset.key == row.key), None)
