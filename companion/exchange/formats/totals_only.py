"""What a table of a game that is not known here becomes: one round of its totals on the sheet for any game."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from companion.core.text import _
from companion.exchange.formats.bgstats.scores import MAX_TEAMS
from companion.exchange.import_data import ImportedTable, SkippedTable, build_count_entries
from companion.games import get_broken_games, get_generic_game
from companion.tables.models import Table

TOTAL_LIMIT = 10**9
"""No box takes as much."""


def convert_to_totals(found: ImportedTable, result: Mapping[str, Any]) -> ImportedTable:
    """The table with counts in place of its log, which nobody could read here. Raises Left where that cannot be."""
    if found.game_name in get_broken_games():
        raise SkippedTable(_("This game can’t be loaded right now. Import the file again once it can."))
    sheet, totals, seats = get_generic_game(), result["totals"], len(found.seats)
    if seats > sheet.seats[-1]:
        raise SkippedTable(_("More than {n} players.", n=sheet.seats[-1]))
    sides = _side_options(len(totals), seats)
    is_scored = result["rounds"] > 0 and all(abs(total) < TOTAL_LIMIT for total in totals)
    if sides is None or not is_scored:
        raise SkippedTable(_("This game isn’t known here, and the file has no totals for it."))
    is_whole = bool(result["ranks"]) or found.ended_at is not None
    return replace(
        found,
        options={"wins": _get_wins_option(result), **sides, **({"rounds": "1"} if is_whole else {})},
        way=Table.Mode.PAD,
        entries=build_count_entries(enumerate(totals), kind="total", version=sheet.version),  # sides sit alternately
        game_version=sheet.version,
    )


def _side_options(totals: int, seats: int) -> dict[str, str] | None:
    """Who scored together, in the words of the notation; None where so many totals are those of no sides."""
    if totals == seats:
        return {}
    if totals == 1:
        return {"wins": "shared"}
    if 2 <= totals <= MAX_TEAMS and seats % totals == 0:
        return {"teams": str(totals)}
    return None


def _get_wins_option(result: Mapping[str, Any]) -> str:
    """Which total is the best: the lowest only where the first place has not the highest."""
    ranks, totals = result["ranks"], result["totals"]
    best = {total for total, rank in zip(totals, ranks, strict=False) if rank == min(ranks)}
    return "lowest" if best and max(totals) not in best else "highest"
