"""Sides, rounds and presets of a sheet."""

from __future__ import annotations

from companion.core.game import Preset
from companion.core.schema import encode, field_names
from companion.core.text import Text
from companion.games.any_game.counts import Options, Wins

LONGEST_KEY = 200


def sides(options: Options, seats: int) -> tuple[tuple[int, ...], ...]:
    """Each seat alone, every so many seats a team, or the whole table (rules `teams` and `shared`)."""
    if options.wins is Wins.SHARED:
        return (tuple(range(seats)),)
    count = min(options.teams, seats) or seats
    return tuple(tuple(range(first, seats, count)) for first in range(count))


def rounds(options: Options, seats: int) -> int | None:
    """As agreed; without a word categories make one round, and anything else goes on as long as the table likes."""
    if options.rounds is None and options.categories and options.target is None:
        return 1
    return options.rounds


def is_highest_best(options: Options) -> bool:
    """Whether a high total is good; of one result for all nobody can say, and it is taken to be."""
    return options.wins is not Wins.LOWEST


def list_presets(options: Options) -> tuple[Preset, ...]:
    """The sheet under its name, whoever writes it small or large; a blank word puts back what another sheet says."""
    if not options.name:
        return ()
    encoded = encode(options)
    words = {name: encoded.get(name, "") for name in field_names(Options) if name != "dealer"}
    return (Preset(options.name.casefold()[:LONGEST_KEY], Text("{name}", (("name", options.name),)), words),)
