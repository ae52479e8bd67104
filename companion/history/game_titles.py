"""Titles of games, and lookup of games by title in every language."""

from collections.abc import Mapping
from functools import cache

from django.conf import settings
from django.utils import translation

from companion.core.game import Game
from companion.core.sanitize import fold_text
from companion.core.text import Text
from companion.games import get_games
from companion.web.i18n import translate_plain


def get_game_title(slug: str, called: str) -> Text:
    """Return the name that the table gave a named game, else the title of the game, else the slug."""
    game = get_games().get(slug)
    return Text("{name}", (("name", called or slug),)) if called or game is None else game.title


@cache
def games_by_title() -> Mapping[str, Game]:
    """Return the implemented games by case-folded slug and by title in every language."""
    implemented = [game for game in get_games().values() if not game.is_generic]
    by_title = {game.slug: game for game in implemented}
    for language, _name in settings.LANGUAGES:
        with translation.override(language):
            by_title.update((fold_text(translate_plain(game.title)), game) for game in implemented)
    return by_title
