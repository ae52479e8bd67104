"""The state of a table in a file, folded out of its log: once, when the file is read."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from companion import limits
from companion.core.errors import Malformed
from companion.core.game import Game
from companion.core.log import Log
from companion.core.notation import build_options
from companion.exchange.formats.bgstats.plays import cut
from companion.exchange.import_data import Incoming, Parcel
from companion.games import get_game, get_generic_game
from companion.tables.services.entries import copied


def judge_parcel(parcel: Parcel) -> Parcel:
    """Return the file with the state of every table; a table that has been judged is not folded again."""
    return replace(parcel, sittings=tuple(own if own.state is not None else judge(own) for own in parcel.sittings))


def judge(sitting: Incoming) -> Incoming:
    """Return the table with its state under the name that the file gives the game."""
    return replace(sitting, state=fold_state(sitting, options_under(sitting, sitting.game_name)))


def state_of(sitting: Incoming, options: dict[str, str]) -> dict[str, Any]:
    """Return the columns that lists read: those kept with the file, unless these options mean another match.

    The name of a game changes no score, so only options that the name makes unreadable do.
    """
    if sitting.state is not None and options.keys() == options_under(sitting, sitting.game_name).keys():
        return dict(sitting.state)
    return fold_state(sitting, options)


def fold_state(sitting: Incoming, options: dict[str, str]) -> dict[str, Any]:
    game, seats = game_of(sitting), len(sitting.seats)
    try:
        chosen = build_options(game, seats, options)
    except Malformed:  # as a table that another version has stored
        chosen = game.options()
    log = Log.empty(game, chosen, seats).extended([written.entry for written in sitting.entries])
    return copied(log)


def options_under(sitting: Incoming, name: str) -> dict[str, str]:
    """Return the options as in the file; a game without a folder is written under its name on the sheet for all."""
    if sitting.game:
        return dict(sitting.options)
    options = {**sitting.options, "name": cut(name, limits.MAX_NAME_LENGTH)}
    try:
        build_options(game_of(sitting), len(sitting.seats), options)
    except Malformed:  # of a game that there is not here
        return {"name": options["name"]}
    return options


def game_of(sitting: Incoming) -> Game:
    return get_game(sitting.game) if sitting.game else get_generic_game()
