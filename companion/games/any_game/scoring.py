"""Scoring of Any Game, shared by pad and calculator, and checks of its counts."""

from collections.abc import Iterator

from companion.core import refusals
from companion.core.game import Violation
from companion.core.scoring import ScoreLine, ScoreSheet
from companion.core.text import SeatName, _, ngettext
from companion.games.any_game.plays import MAX_POINTS, Count, Options, Wins, list_boxes
from companion.games.any_game.rules import Rule


def sides(options: Options, seats: int) -> tuple[tuple[int, ...], ...]:
    """Return single seats, every nth seat as a team, or the whole table (rules `teams` and `shared`)."""
    if options.wins is Wins.SHARED:
        return (tuple(range(seats)),)
    count = min(options.teams, seats) or seats
    return tuple(tuple(range(first, seats, count)) for first in range(count))


def round_count(options: Options, seats: int) -> int | None:
    """Return the number of rounds; by default 1 with categories and no target, otherwise None for any number."""
    if options.rounds is None and options.categories and options.target is None:
        return 1
    return options.rounds


def highest_wins(options: Options) -> bool:
    """Return whether a high total is better; assumed for a shared result."""
    return options.wins is not Wins.LOWEST


def score(options: Options, counts: tuple[Count, ...]) -> ScoreSheet:
    """Score the points of each side by category, and their sum (rules `points` and `categories`)."""
    by_side = sorted(counts, key=lambda count: count.seat)
    columns = zip(*(count.points for count in by_side), strict=True)
    lines = tuple(ScoreLine(label, values) for label, values in zip(list_boxes(options, 0), columns, strict=True))
    return ScoreSheet(lines, tuple(count.total for count in by_side))


def check_tally(options: Options, seats: int, counts: tuple[Count, ...]) -> Iterator[Violation]:
    """Yield violations of a complete or partial tally; all are binding."""
    firsts = {seat: side[0] for side in sides(options, seats) for seat in side}
    for count in counts:
        if firsts[count.seat] != count.seat:
            yield _refuse_seat(options, count.seat, firsts[count.seat])
        yield from _check_points(options, count.points)


def _refuse_seat(options: Options, seat: int, first: int) -> Violation:
    """Return why a seat is not counted; `first` is the seat that counts for its side."""
    if options.wins is Wins.SHARED:
        return Violation(Rule.SHARED, _("Everybody is counted together, once."), binding=True)
    message = _(
        "{name} is on the team of {first}, and a team is counted once.", name=SeatName(seat), first=SeatName(first)
    )
    return Violation(Rule.TEAMS, message, binding=True)


def _check_points(options: Options, points: tuple[int, ...]) -> Iterator[Violation]:
    wanted = len(options.categories) or 1
    if len(points) != wanted:
        message = ngettext(
            "Expected {n} number, and got {given}.", "Expected {n} numbers, and got {given}.", wanted, given=len(points)
        )
        yield Violation(Rule.CATEGORIES if options.categories else Rule.POINTS, message, binding=True)
    for number in points:
        if abs(number) > MAX_POINTS:
            yield Violation(Rule.POINTS, refusals.TOO_MANY_POINTS.with_values(n=number, most=MAX_POINTS), binding=True)
