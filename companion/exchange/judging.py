"""The state of a table in a file, folded out of its log: once, when the file is read."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from companion import limits
from companion.core.errors import Malformed
from companion.core.game import Game
from companion.core.log import Log
from companion.core.notation import build_options
from companion.exchange.formats.bgstats.plays import truncate
from companion.exchange.import_data import ImportedTable, ImportFile
from companion.games import get_game, get_generic_game
from companion.tables.services.entries import summarize_log


def judge_file(parcel: ImportFile) -> ImportFile:
    """Return the file with the state of every table; a table that has been judged is not folded again."""
    return replace(
        parcel, sittings=tuple(own if own.state is not None else judge_table(own) for own in parcel.sittings)
    )


def judge_table(sitting: ImportedTable) -> ImportedTable:
    """Return the table with its state under the name that the file gives the game."""
    return replace(sitting, state=fold_state(sitting, build_table_options(sitting, sitting.game_name)))


def get_state(sitting: ImportedTable, options: dict[str, str]) -> dict[str, Any]:
    """Return the columns that lists read: those kept with the file, unless these options mean another match.

    The name of a game changes no score, so only options that the name makes unreadable do.
    """
    if sitting.state is not None and options.keys() == build_table_options(sitting, sitting.game_name).keys():
        return dict(sitting.state)
    return fold_state(sitting, options)


def fold_state(sitting: ImportedTable, options: dict[str, str]) -> dict[str, Any]:
    game, seats = get_table_game(sitting), len(sitting.seats)
    try:
        chosen = build_options(game, seats, options)
    except Malformed:  # as a table that another version has stored
        chosen = game.options()
    log = Log.empty(game, chosen, seats).extend([written.entry for written in sitting.entries])
    return summarize_log(log)


def build_table_options(sitting: ImportedTable, name: str) -> dict[str, str]:
    """Return the options as in the file; a game without a folder is written under its name on the sheet for all."""
    if sitting.game:
        return dict(sitting.options)
    options = {**sitting.options, "name": truncate(name, limits.MAX_NAME_LENGTH)}
    try:
        build_options(get_table_game(sitting), len(sitting.seats), options)
    except Malformed:  # of a game that there is not here
        return {"name": options["name"]}
    return options


def get_table_game(sitting: ImportedTable) -> Game:
    return get_game(sitting.game) if sitting.game else get_generic_game()
