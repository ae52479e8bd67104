"""The scoring of Sideboards, for pad, referee and calculator alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from companion.core.game import Line, ScoreSheet, Standing, ranks
from companion.core.text import SeatName, Text, _, ngettext
from companion.games.sideboards.entries import Count, Options, is_single
from companion.games.sideboards.goals import found
from companion.games.sideboards.state import State

DRAWER = 2
"""Points for each drawer of a row."""
BONUS = {2: (4,), 3: (8, 4), 4: (8, 4, 2), 5: (8, 4, 2), 6: (8, 4, 2)}
"""Points for the longest row, the next shorter length and so on, by number of players (rule `row-bonus`)."""
STEPS = {True: ((8, 8), (6, 4), (4, 2)), False: ((11, 8), (9, 4), (7, 2))}
"""Alone: from how many drawers on there are how many points; for one row, and for two."""
RANKS = (
    (55, _("a master of the workshop")),
    (45, _("a fine cabinetmaker")),
    (35, _("a good joiner")),
    (25, _("an apprentice with promise")),
)
NO_RANK = _("more wood for the stove")


@dataclass(frozen=True)
class Counted:
    """What a count comes to: instances, rows, and a point for the swap card."""

    colours: int
    handles: int
    rows: tuple[int, ...]
    swap: int

    @property
    def drawers(self) -> int:
        return sum(self.rows)


def sides(options: Options, seats: int) -> tuple[tuple[int, ...], ...]:
    return tuple((seat,) for seat in range(seats))


def counted(options: Options, count: Count) -> Counted:
    """The numbers of a count; where it is a sideboard, the app counts, unless the table has given a number itself."""
    if count.cards is None:
        return Counted(count.colours or 0, count.handles or 0, count.rows or (), int(count.unused))
    on_it = found(options, count.cards)
    colours = len(on_it.colours or ()) if count.colours is None else count.colours
    handles = len(on_it.handles or ()) if count.handles is None else count.handles
    return Counted(colours, handles, on_it.lengths, int(count.unused))


def tally(state: State) -> tuple[Count, ...]:
    """The finished sideboards; of a goal whose pattern is not drawn nothing is counted."""
    colours = None if state.options.colour_pattern else 0
    handles = None if state.options.handle_pattern else 0
    return tuple(
        Count(seat, colours, handles, cards=cards, unused=not (state.options.four_cards or state.swaps[seat]))
        for seat, cards in enumerate(state.sideboards)
    )


def score(options: Options, counts: tuple[Count, ...]) -> ScoreSheet:
    """Instances, rows, the bonus for long rows, and the unused swap card (rule `total`)."""
    every = [counted(options, count) for count in sorted(counts, key=lambda count: count.seat)]
    drawers = tuple(own.drawers for own in every)
    lines = (
        Line(_("colour goal"), tuple(options.colour_points * own.colours for own in every)),
        Line(_("handle goal"), tuple(options.handle_points * own.handles for own in every)),
        Line(_("row"), tuple(DRAWER * length for length in drawers)),
        Line(_("row bonus"), bonuses(options, drawers)),
        Line(_("swap card"), tuple(own.swap for own in every)),
    )
    points = tuple(map(sum, zip(*(line.values for line in lines), strict=True)))
    verdict = undrawn(options) if any(count.cards is not None for count in counts) else None
    if verdict is None and len(points) == 1:
        verdict = rank_alone(points[0])
    return ScoreSheet(lines, points, verdict)


def bonuses(options: Options, drawers: Sequence[int]) -> tuple[int, ...]:
    """The bonus of each player: by comparison, where all who tie get it whole; alone, by the highest step reached."""
    if len(drawers) == 1:
        steps = STEPS[is_single(options.row_goal)]
        return (next((points for least, points in steps if drawers[0] >= least), 0),)
    lengths = sorted({length for length in drawers if length}, reverse=True)
    by_length = dict(zip(lengths, BONUS[min(len(drawers), 6)], strict=False))
    return tuple(by_length.get(length, 0) for length in drawers)


def undrawn(options: Options) -> Text | None:
    """That instances are missing: the app cannot find on a sideboard what has not been drawn."""
    goals = ((options.colour_goal, options.colour_pattern), (options.handle_goal, options.handle_pattern))
    missing = tuple(Text("{n}", (("n", goal),)) for goal, pattern in goals if not pattern)
    if not missing:
        return None
    return _("No pattern has been drawn for goal {goals}: only what you count by hand counts there.", goals=missing)


def rank_alone(points: int) -> Text:
    name = next((name for least, name in RANKS if points >= least), NO_RANK)
    return ngettext("{n} point: {name}", "{n} points: {name}", points, name=name)


def standing(options: Options, seats: int, sheets: tuple[ScoreSheet, ...]) -> Standing:
    totals = tuple(sum(sheet.points[seat] for sheet in sheets) for seat in range(seats))
    is_over = len(sheets) >= options.rounds
    if seats == 1:
        best = max((sheet.points[0] for sheet in sheets), default=0)
        return Standing(totals, (), is_over, rank_alone(best) if is_over else None)
    places = ranks(totals)
    return Standing(totals, places, is_over, _verdict(totals, places) if is_over else None)


def _verdict(totals: tuple[int, ...], places: tuple[int, ...]) -> Text:
    winners = tuple(_("{name}", name=SeatName(seat)) for seat, place in enumerate(places) if place == 1)
    best = max(totals)
    return ngettext(
        "{names} wins with {best}.", "{names} share the win with {best}.", len(winners), names=winners, best=best
    )
