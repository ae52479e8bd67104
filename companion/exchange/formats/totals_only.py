"""Import of tables whose game is not installed, as totals of the generic game."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from companion.core import refusals
from companion.core.text import _
from companion.exchange.formats.bgstats.scores import MAX_TEAMS
from companion.exchange.import_data import ImportedTable, SkippedTable, build_count_entries
from companion.games import get_broken_games, get_generic_game
from companion.tables.models import Table

TOTAL_LIMIT = 10**9
"""Exclusive: no form field takes as much."""


def convert_to_totals(table: ImportedTable, result: Mapping[str, Any]) -> ImportedTable:
    """Return the table with one round of totals instead of its log. Raises SkippedTable if that is impossible."""
    if table.game_name in get_broken_games():
        raise SkippedTable(_("This game can’t be loaded right now. Import the file again once it can."))
    game, totals, seats = get_generic_game(), result["totals"], len(table.seats)
    if seats > game.about.seats[-1]:
        raise SkippedTable(refusals.TOO_MANY_PLAYERS.with_values(n=game.about.seats[-1]))
    sides = _side_options(len(totals), seats)
    is_scored = result["rounds"] > 0 and all(abs(total) < TOTAL_LIMIT for total in totals)
    if sides is None or not is_scored:
        raise SkippedTable(_("This game isn’t known here, and the file has no totals for it."))
    is_whole = bool(result["ranks"]) or table.ended_at is not None
    return replace(
        table,
        options={"wins": _get_wins_option(result), **sides, **({"rounds": "1"} if is_whole else {})},
        mode=Table.Mode.PAD,
        entries=build_count_entries(
            enumerate(totals), kind="total", version=game.about.version
        ),  # sides sit alternately
        game_version=game.about.version,
    )


def _side_options(totals: int, seats: int) -> dict[str, str] | None:
    """Return the options for the sides, or None if the number of totals fits no sides."""
    if totals == seats:
        return {}
    if totals == 1:
        return {"wins": "shared"}
    if 2 <= totals <= MAX_TEAMS and seats % totals == 0:
        return {"teams": str(totals)}
    return None


def _get_wins_option(result: Mapping[str, Any]) -> str:
    """Return which total wins: the lowest only if the best-ranked side does not have the highest."""
    ranks, totals = result["ranks"], result["totals"]
    best = {total for total, rank in zip(totals, ranks, strict=False) if rank == min(ranks)}
    return "lowest" if best and max(totals) not in best else "highest"
