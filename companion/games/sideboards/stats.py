"""Match statistics of Sideboards."""

from collections.abc import Iterator

from companion.core.facts import Aggregation, Fact, FactKind, build_seat_facts
from companion.core.match import Match
from companion.core.match_facts import iter_tallies
from companion.core.text import _
from companion.games.sideboards.plays import Count, Options

BY_GOAL = _("Points by goal")
FACT_KINDS = (
    FactKind("colour-goal", _("Colour goal"), Aggregation.MEAN, group=BY_GOAL),
    FactKind("handle-goal", _("Handle goal"), Aggregation.MEAN, group=BY_GOAL),
    FactKind("row-goal", _("Row goal"), Aggregation.MEAN, group=BY_GOAL),
    FactKind("row-bonus", _("Row bonus"), Aggregation.MEAN, group=BY_GOAL),
    FactKind("swap-cards", _("Swap cards"), Aggregation.SUM),
    FactKind("swaps", _("Swap card used"), Aggregation.SHARE, share_of="swap-cards"),
)


def collect_facts(options: Options, match: Match) -> Iterator[Fact]:
    """Yield points by goal and the use of swap cards, refereed or not."""
    yield from _iter_goal_points(match)
    if not options.four_cards:
        unused = [count.seat for tally in iter_tallies(match, Count) for count in tally if count.unused]
        cards = len(match.finished_rounds)
        yield from build_seat_facts("swap-cards", (cards,) * match.seats)
        yield from build_seat_facts("swaps", (cards - unused.count(seat) for seat in range(match.seats)))


def _iter_goal_points(match: Match) -> Iterator[Fact]:
    """Yield each seat's points by goal, in the order of the score sheet's lines."""
    goals = [kind.name for kind in FACT_KINDS if kind.group == BY_GOAL]
    sheets = [played.sheet.lines[: len(goals)] for played in match.finished_rounds if played.sheet is not None]
    for name, lines in zip(goals, zip(*sheets, strict=True), strict=True):
        by_round = (line.values for line in lines)
        yield from build_seat_facts(name, (sum(map(int, points)) for points in zip(*by_round, strict=True)))
