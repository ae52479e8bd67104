"""Scoring of Sideboards, shared by pad, referee and calculator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from companion.core.game import OPEN, ScoreLine, ScoreSheet, ScoreValue, Standing, name_winners, rank_totals, sum_points
from companion.core.text import Text, _, format_number, ngettext
from companion.games.sideboards.goals import find_goals
from companion.games.sideboards.packing import Mask
from companion.games.sideboards.plays import Count, Options, is_single
from companion.games.sideboards.state import State

DRAWER = 2
"""Points for each drawer of a row."""
BONUS = {2: (4,), 3: (8, 4), 4: (8, 4, 2), 5: (8, 4, 2), 6: (8, 4, 2)}
"""Points for the longest row, the next shorter length and so on, by number of players (rule `row-bonus`)."""
STEPS = {True: ((8, 8), (6, 4), (4, 2)), False: ((11, 8), (9, 4), (7, 2))}
"""Solo: fewest drawers and their points; for one row (True) and for two."""
RANKS = (
    (55, _("a master of the workshop")),
    (45, _("a fine cabinetmaker")),
    (35, _("a good joiner")),
    (25, _("an apprentice with promise")),
)
NO_RANK = _("more wood for the stove")


@dataclass(frozen=True)
class CountResult:
    """Evaluated count: instances (None if unknown), row lengths, and a point for the swap card."""

    colours: int | None
    handles: int | None
    rows: tuple[int, ...]
    swap: int

    @property
    def drawers(self) -> int:
        return sum(self.rows)


def evaluate_count(options: Options, count: Count) -> CountResult:
    """Return the numbers of a count; on a sideboard they are computed, unless counted by hand."""
    if count.cards is None:
        return CountResult(count.colours, count.handles, count.rows or (), int(count.unused))
    results = find_goals(options, count.cards)
    colours = _count_instances(count.colours, results.colours)
    handles = _count_instances(count.handles, results.handles)
    return CountResult(colours, handles, results.lengths, int(count.unused))


def _count_instances(by_hand: int | None, instances: tuple[Mask, ...] | None) -> int | None:
    """Return the hand count if there is one, or else the number of instances."""
    if by_hand is not None or instances is None:
        return by_hand
    return len(instances)


def tally(state: State) -> tuple[Count, ...]:
    """Return the finished sideboards."""
    return tuple(
        Count(seat, cards=cards, unused=not (state.options.four_cards or state.swaps[seat]))
        for seat, cards in enumerate(state.sideboards)
    )


def score(options: Options, counts: tuple[Count, ...]) -> ScoreSheet:
    """Score instances, rows, the bonus for long rows, and the unused swap card (rule `total`).

    A goal is open while its pattern is neither drawn nor counted by hand (rule `patterns`).
    """
    results = [evaluate_count(options, count) for count in sorted(counts, key=lambda count: count.seat)]
    drawers = tuple(result.drawers for result in results)
    lines = (
        ScoreLine(_("colour goal"), tuple(_multiply(result.colours, options.colour_points) for result in results)),
        ScoreLine(_("handle goal"), tuple(_multiply(result.handles, options.handle_points) for result in results)),
        ScoreLine(_("row"), tuple(DRAWER * length for length in drawers)),
        ScoreLine(_("row bonus"), score_row_bonus(options, drawers)),
        ScoreLine(_("swap card"), tuple(result.swap for result in results)),
    )
    points = tuple(map(_sum_known, zip(*(line.values for line in lines), strict=True)))
    return ScoreSheet(lines, points, _build_sheet_verdict(options, points))


def _multiply(times: int | None, points: int) -> ScoreValue:
    return OPEN if times is None else points * times


def _sum_known(values: tuple[ScoreValue, ...]) -> int | None:
    """Return the sum of the values, or None if one of them is open."""
    known = [value for value in values if isinstance(value, int)]
    return sum(known) if len(known) == len(values) else None


def _build_sheet_verdict(options: Options, points: tuple[int | None, ...]) -> Text | None:
    """Return the text below a score sheet: the goals that are open, or the rank of a solo player."""
    if None in points:
        return describe_undrawn(options)
    return rank_alone(points[0]) if len(points) == 1 and points[0] is not None else None


def score_row_bonus(options: Options, drawers: Sequence[int]) -> tuple[int, ...]:
    """Return each player's bonus: by comparison, ties in full; solo, by the highest step reached."""
    if len(drawers) == 1:
        steps = STEPS[is_single(options.row_goal)]
        return (next((points for least, points in steps if drawers[0] >= least), 0),)
    lengths = sorted({length for length in drawers if length}, reverse=True)
    by_length = dict(zip(lengths, BONUS[min(len(drawers), 6)], strict=False))
    return tuple(by_length.get(length, 0) for length in drawers)


def describe_undrawn(options: Options) -> Text | None:
    """Return a note on the goals not drawn, whose points are unknown, not 0 (rule `patterns`)."""
    if not options.undrawn:
        return None
    goals = tuple(format_number(goal) for goal in options.undrawn)
    return ngettext(
        "Goal {goals} is not drawn yet, so its points stay open: tap it and draw its pattern, or count it by hand.",
        "Goals {goals} are not drawn yet, so their points stay open: tap them and draw, or count them by hand.",
        len(goals),
        goals=goals,
    )


def rank_alone(points: int) -> Text:
    name = next((name for least, name in RANKS if points >= least), NO_RANK)
    return ngettext("{n} point: {name}", "{n} points: {name}", points, name=name)


def standing(options: Options, seats: int, sheets: tuple[ScoreSheet, ...]) -> Standing:
    totals = tuple(sum_points(sheets, seat) for seat in range(seats))
    is_over = len(sheets) >= options.rounds
    if seats == 1:
        best = max((sum_points((sheet,), 0) for sheet in sheets), default=0)
        return Standing(totals, (), is_over, rank_alone(best) if is_over else None)
    ranks = rank_totals(totals)
    verdict = name_winners(((seat,) for seat in range(seats)), totals, ranks) if is_over else None
    return Standing(totals, ranks, is_over, verdict)
