"""State of imported tables, computed from their logs when the file is parsed."""

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


def judge_file(file: ImportFile) -> ImportFile:
    """Return the file with the state of every table; tables that have one are not folded again."""
    return replace(
        file, tables=tuple(table if table.state is not None else judge_table(table) for table in file.tables)
    )


def judge_table(table: ImportedTable) -> ImportedTable:
    """Return the table with its state, under the game name of the file."""
    return replace(table, state=fold_state(table, build_table_options(table, table.game_name)))


def get_state(table: ImportedTable, options: dict[str, str]) -> dict[str, Any]:
    """Return the denormalized columns of the table under these options.

    The name of a generic game changes no score, so the log is folded again only if the set of options differs.
    """
    if table.state is not None and options.keys() == build_table_options(table, table.game_name).keys():
        return dict(table.state)
    return fold_state(table, options)


def fold_state(table: ImportedTable, options: dict[str, str]) -> dict[str, Any]:
    game, seats = get_table_game(table), len(table.seats)
    try:
        parsed_options = build_options(game, seats, options)
    except Malformed:  # options of another version
        parsed_options = game.options.cls()
    log = Log.empty(game, parsed_options, seats).extend([entry.entry for entry in table.entries])
    return summarize_log(log)


def build_table_options(table: ImportedTable, name: str) -> dict[str, str]:
    """Return the options of the file; the generic game gets the given name."""
    if table.game:
        return dict(table.options)
    options = {**table.options, "name": truncate(name, limits.MAX_NAME_LENGTH)}
    try:
        build_options(get_table_game(table), len(table.seats), options)
    except Malformed:  # options of a game that is not installed
        return {"name": options["name"]}
    return options


def get_table_game(table: ImportedTable) -> Game:
    return get_game(table.game) if table.game else get_generic_game()
