"""Sides, rounds and presets of a sheet."""

from __future__ import annotations

from companion.core.game import Preset
from companion.core.schema import encode, field_names
from companion.core.text import Text
from companion.games.any_game.counts import Options, Wins

MAX_KEY_LENGTH = 200


def sides(options: Options, seats: int) -> tuple[tuple[int, ...], ...]:
    """Return single seats, every nth seat as a team, or the whole table (rules `teams` and `shared`)."""
    if options.wins is Wins.SHARED:
        return (tuple(range(seats)),)
    count = min(options.teams, seats) or seats
    return tuple(tuple(range(first, seats, count)) for first in range(count))


def rounds(options: Options, seats: int) -> int | None:
    """Return the number of rounds; by default 1 with categories and no target, otherwise None for any number."""
    if options.rounds is None and options.categories and options.target is None:
        return 1
    return options.rounds


def is_highest_best(options: Options) -> bool:
    """Return whether a high total is better; assumed for a shared result."""
    return options.wins is not Wins.LOWEST


def list_presets(options: Options) -> tuple[Preset, ...]:
    """Return the sheet under its name, ignoring case; blanks are saved too, and replace an earlier sheet's values."""
    if not options.name:
        return ()
    encoded = encode(options)
    words = {name: encoded.get(name, "") for name in field_names(Options) if name != "dealer"}
    return (Preset(options.name.casefold()[:MAX_KEY_LENGTH], Text("{name}", (("name", options.name),)), words),)
