"""Which game a name means: the titles of all games, in every language. What a circle calls them is kept elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from django.conf import settings
from django.utils import translation

from companion.core.game import Game
from companion.core.sanitize import fold_text
from companion.games import get_games
from companion.web.i18n import translate_plain


def find_game_by_title(name: str) -> Game | None:
    """The game with a folder of its own whose title or slug this is, whoever writes it small or without accents."""
    return games_by_title().get(fold_text(name))


@cache
def games_by_title() -> Mapping[str, Game]:
    """The games with folders of their own, by slugs and titles, folded."""
    own = [game for game in get_games().values() if not game.is_generic]
    found = {game.slug: game for game in own}
    for language, _name in settings.LANGUAGES:
        with translation.override(language):
            found.update((fold_text(translate_plain(game.title)), game) for game in own)
    return found
