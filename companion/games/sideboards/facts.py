"""What a match of Sideboards tells: the points that each goal has brought, and whether the swap card was used."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from companion.core.facts import Fact, FactKind, Reading, by_seat
from companion.core.match import Match, Round
from companion.core.text import _
from companion.games.sideboards.entries import Count

BY_GOAL = _("Points by goal")
FACT_KINDS = (
    FactKind("colour-goal", _("Colour goal"), Reading.MEAN, group=BY_GOAL),
    FactKind("handle-goal", _("Handle goal"), Reading.MEAN, group=BY_GOAL),
    FactKind("row-goal", _("Row goal"), Reading.MEAN, group=BY_GOAL),
    FactKind("row-bonus", _("Row bonus"), Reading.MEAN, group=BY_GOAL),
    FactKind("swap-cards", _("Swap cards"), Reading.SUM),
    FactKind("swaps", _("Swap card used"), Reading.SHARE, of="swap-cards"),
)


def facts(match: Match) -> Iterator[Fact]:
    """Everything is on the score sheets and in the counts, refereed or not; without swap cards none can be used."""
    yield from _points(match)
    if not match.options.four_cards:
        unused = [count.seat for played in match.finished for count in played.tally or () if count.unused]
        cards = len(match.finished)
        yield from by_seat("swap-cards", (cards,) * match.seats)
        yield from by_seat("swaps", (cards - unused.count(seat) for seat in range(match.seats)))


def _points(match: Match) -> Iterator[Fact]:
    """The points of every goal that has been counted in all rounds, in the order of the lines of a sheet."""
    goals = [kind.name for kind in FACT_KINDS if kind.group == BY_GOAL]
    sheets = [played.sheet.lines[: len(goals)] for played in match.finished if played.sheet is not None]
    for name, lines in zip(goals, zip(*sheets, strict=True), strict=True):
        if all(_is_counted(name, played) for played in match.finished):
            by_round = (line.values for line in lines)
            yield from by_seat(name, (sum(value or 0 for value in own) for own in zip(*by_round, strict=True)))


_BY_HAND: dict[str, Callable[[Count], int | None]] = {
    "colour-goal": lambda count: count.colours,
    "handle-goal": lambda count: count.handles,
}
"""What a count says of a goal whose pattern has to be drawn, or else counted by hand."""


def _is_counted(goal: str, played: Round) -> bool:
    """Whether the goal's points are known: on a sideboard nothing is found of a pattern that has not been drawn."""
    if goal not in _BY_HAND:
        return True
    options = played.options
    if options.colour_pattern if goal == "colour-goal" else options.handle_pattern:
        return True
    return not played.missing and all(_BY_HAND[goal](count) is not None for count in played.counted)
