"""Scoring of Any Game, shared by pad, referee and calculator."""

from __future__ import annotations

from companion.core.game import ScoreLine, ScoreSheet, Standing, name_winners, rank_totals, sum_points
from companion.core.text import Text, _, ngettext
from companion.games.any_game.counts import Count, Options, list_boxes
from companion.games.any_game.sheet import is_highest_best, rounds, sides


def score(options: Options, counts: tuple[Count, ...]) -> ScoreSheet:
    """Score the points of each side by category, and their sum (rules `points` and `categories`)."""
    by_side = sorted(counts, key=lambda count: count.seat)
    columns = zip(*(count.points for count in by_side), strict=True)
    lines = tuple(ScoreLine(label, values) for label, values in zip(list_boxes(options, 0), columns, strict=True))
    return ScoreSheet(lines, tuple(count.total for count in by_side))


def standing(options: Options, seats: int, sheets: tuple[ScoreSheet, ...]) -> Standing:
    """Return totals including the start score; a single side is not ranked (rules `end` and `winner`).

    Without a fixed number of rounds the table can close the match at any time, so there is always a verdict.
    """
    all_sides = sides(options, seats)
    totals = tuple(options.start + sum_points(sheets, side) for side in range(len(all_sides)))
    agreed = rounds(options, seats)
    is_over = bool(sheets) and (has_reached_target(options, totals) or (agreed is not None and len(sheets) >= agreed))
    places = rank_totals(totals, highest_first=is_highest_best(options)) if len(all_sides) > 1 else ()
    if not (is_over or (agreed is None and sheets)):
        return Standing(totals, places, is_over, None)
    verdict = name_winners(all_sides, totals, places) if places else _describe_total(options, totals[0])
    return Standing(totals, places, is_over, verdict)


def has_reached_target(options: Options, totals: tuple[int, ...]) -> bool:
    """Return whether a total has reached or passed the target, coming from the start score (rule `target`)."""
    if options.target is None:
        return False
    if options.target > options.start:
        return max(totals) >= options.target
    return min(totals) <= options.target


def _describe_total(options: Options, total: int) -> Text:
    """Return the verdict for a single side."""
    if options.target is None:
        return ngettext("{n} point in all.", "{n} points in all.", total)
    if has_reached_target(options, (total,)):
        return _("Target reached: {n} of {target}.", n=total, target=options.target)
    return _("Target missed: {n} of {target}.", n=total, target=options.target)
