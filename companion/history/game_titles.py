"""Which game a name means: the titles of all games, in every language. What a circle calls them is kept elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from django.conf import settings
from django.utils import translation

from companion.core.game import Game
from companion.core.sanitize import folded
from companion.games import games
from companion.web.i18n import translate_plain


def find_game_by_title(name: str) -> Game | None:
    """The game with a folder of its own whose title or slug this is, whoever writes it small or without accents."""
    return games_by_title().get(folded(name))


@cache
def games_by_title() -> Mapping[str, Game]:
    """The games with folders of their own, by slugs and titles, folded."""
    own = [game for game in games().values() if not game.is_for_all_others]
    found = {game.slug: game for game in own}
    for language, _name in settings.LANGUAGES:
        with translation.override(language):
            found.update((folded(translate_plain(game.title)), game) for game in own)
    return found
