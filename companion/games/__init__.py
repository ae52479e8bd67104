"""Discovery of the games: one folder each; broken ones are left out and reported."""

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
    """A folder that could not be loaded, and why."""

    slug: str
    """The slug its tables are stored under."""
    fault: GameFault

    def __str__(self) -> str:
        folder = f"{__name__.replace('.', '/')}/{self.slug.replace('-', '_')}"
        return f"{self.slug}: {folder}/{self.fault.file}: {self.fault.reason}"


class GameUnavailable(LookupError):
    """The game is broken, or its folder no longer exists."""

    def __init__(self, slug: str) -> None:
        super().__init__(f"The game {slug!r} cannot be loaded.")
        self.slug = slug


def get_games() -> Mapping[str, Game]:
    """Return all games by slug, ordered by title; the generic one comes last."""
    return _load_games()[0]


def get_game(slug: str) -> Game:
    """Return the game of that slug. Raises GameUnavailable."""
    if slug not in get_games():
        raise GameUnavailable(slug)
    return get_games()[slug]


def get_broken_games() -> Mapping[str, BrokenGame]:
    """Return the folders that could not be loaded, by slug."""
    return _load_games()[1]


@cache
def _load_games() -> tuple[Mapping[str, Game], Mapping[str, BrokenGame]]:
    """Load every folder once, and log those that are broken."""
    loaded: list[Game] = []
    broken: dict[str, BrokenGame] = {}
    for folder in sorted(module.name for module in pkgutil.iter_modules(__path__) if module.ispkg):
        try:
            loaded.append(_load_game(folder))
        except InvalidGame as error:
            slug = folder.replace("_", "-")
            broken[slug] = BrokenGame(slug, error.fault)
            message = f"A game is left out. {broken[slug]}"
            logger.error(message, extra={"fields": {"message": message}})
    ordered = sorted(loaded, key=lambda game: (game.is_generic, str(game.title)))
    return {game.slug: game for game in ordered}, broken


def _load_game(name: str) -> Game:
    """Return the game of a folder. Raises InvalidGame."""
    folder = Path(__path__[0], name)
    try:
        module = importlib.import_module(f"{__name__}.{name}")
    except Exception as error:  # one broken game must not take the others down
        raise InvalidGame(locate_fault(error, folder)) from error
    return check_game(getattr(module, "GAME", None), folder)


def get_generic_game() -> Game:
    """Return the game that scores every game without a folder. Raises GameUnavailable."""
    generic = next((game for game in get_games().values() if game.is_generic), None)
    if generic is None:
        raise GameUnavailable("any-game")
    return generic


def get_game_package(slug: str) -> str:
    """Return the dotted name of a game's package, which holds its rulebook and examples."""
    return f"{__name__}.{slug.replace('-', '_')}"
