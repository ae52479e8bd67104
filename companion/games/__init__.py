"""The games, one folder each, found by looking and never listed; a folder that is broken is left out and named."""

from __future__ import annotations

import importlib
import logging
import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from companion.core.game import Game
from companion.core.game_checks import GameFault, InvalidGame, check_game, locate_fault

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class BrokenGame:
    """A folder that is left out, and why."""

    slug: str
    """Under which its tables are stored."""
    fault: GameFault

    def __str__(self) -> str:
        folder = f"{__name__.replace('.', '/')}/{self.slug.replace('-', '_')}"
        return f"{self.slug}: {folder}/{self.fault.file}: {self.fault.reason}"


class GameUnavailable(LookupError):
    """A game is asked for that is broken, or has no folder any more."""

    def __init__(self, slug: str) -> None:
        super().__init__(f"The game {slug!r} cannot be loaded.")
        self.slug = slug


def get_games() -> Mapping[str, Game]:
    """All games by slug, in the order of their titles; the one for all others is the last."""
    return _loaded()[0]


def get_game(slug: str) -> Game:
    """Return the game of that slug. Raises GameUnavailable."""
    if slug not in get_games():
        raise GameUnavailable(slug)
    return get_games()[slug]


def get_broken_games() -> Mapping[str, BrokenGame]:
    """The folders that are left out, by slug."""
    return _loaded()[1]


@cache
def _loaded() -> tuple[Mapping[str, Game], Mapping[str, BrokenGame]]:
    """Load every folder once, and log those that are left out."""
    loaded: list[Game] = []
    broken: dict[str, BrokenGame] = {}
    for folder in sorted(module.name for module in pkgutil.iter_modules(__path__) if module.ispkg):
        try:
            loaded.append(_load(folder))
        except InvalidGame as error:
            slug = folder.replace("_", "-")
            broken[slug] = BrokenGame(slug, error.fault)
            message = f"A game is left out. {broken[slug]}"
            logger.error(message, extra={"fields": {"message": message}})
    ordered = sorted(loaded, key=lambda game: (game.is_generic, str(game.title)))
    return {game.slug: game for game in ordered}, broken


def _load(name: str) -> Game:
    """Return the game of a folder. Raises InvalidGame."""
    folder = Path(__path__[0], name)
    try:
        module = importlib.import_module(f"{__name__}.{name}")
    except Exception as error:  # whatever it is, the other games are served
        raise InvalidGame(locate_fault(error, folder)) from error
    return check_game(getattr(module, "GAME", None), folder)


def get_generic_game() -> Game:
    """The one under which all are kept that have no folder of their own. Raises GameUnavailable."""
    game = next((game for game in get_games().values() if game.is_generic), None)
    if game is None:
        raise GameUnavailable("any-game")
    return game


def get_game_package(slug: str) -> str:
    """The package of a game, where its rulebook and examples lie."""
    return f"{__name__}.{slug.replace('-', '_')}"
