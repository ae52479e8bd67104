"""The games, one folder each, found by looking and never listed."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache

from companion.core.game import Game


@cache
def games() -> Mapping[str, Game]:
    """All games by slug, in the order of their titles; the one for all others is the last."""
    modules = [importlib.import_module(f"{__name__}.{found.name}") for found in pkgutil.iter_modules(__path__)]
    found = [module.GAME for module in modules]
    return {game.slug: game for game in sorted(found, key=lambda game: (game.is_for_all_others, str(game.title)))}


def sheet_for_others() -> Game:
    """The one under which all are kept that have no folder of their own."""
    return next(game for game in games().values() if game.is_for_all_others)


def game_folder(slug: str) -> str:
    """The package of a game, where its rulebook and examples lie."""
    return f"{__name__}.{slug.replace('-', '_')}"
