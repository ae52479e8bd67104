"""Checks of counts entered by hand for Sideboards."""

from __future__ import annotations

from collections.abc import Iterator

from companion.core.game import Violation
from companion.core.text import SeatName, _
from companion.games.sideboards.capacities import get_capacity
from companion.games.sideboards.deck import Colour, Handle, list_faults
from companion.games.sideboards.goal_claims import Claim, check_claim
from companion.games.sideboards.goals import find_goals
from companion.games.sideboards.plays import COLUMNS, Count, Options, can_lack_row, is_single
from companion.games.sideboards.rules import MIN_CELLS, Rule


def check_tally(options: Options, seats: int, tally: tuple[Count | Claim, ...]) -> Iterator[Violation]:
    """Yield violations of a complete or partial tally or of a claim, binding if the counts are impossible."""
    for claim in tally:
        if isinstance(claim, Claim):
            yield from check_claim(claim)
    counts = tuple(count for count in tally if isinstance(count, Count))
    for count in counts:
        yield from _check_instances(options, count)
        yield from _check_rows(options, count)
        if count.unused and options.four_cards:
            message = _(
                "{name}: with four cards there are no swap cards, and no point for one.", name=SeatName(count.seat)
            )
            yield Violation(Rule.FOUR_CARDS, message)
        if count.cards is not None:
            yield from _check_sideboard(options, count)


def _check_instances(options: Options, count: Count) -> Iterator[Violation]:
    """Reject negative counts, and more instances than fit on a sideboard."""
    name = SeatName(count.seat)
    for rule, goal, times, pattern, kinds in (
        (Rule.COLOUR_GOALS, options.colour_goal, count.colours, options.colour_pattern, len(Colour)),
        (Rule.HANDLE_GOALS, options.handle_goal, count.handles, options.handle_pattern, len(Handle)),
    ):
        if times is None:
            continue
        most = get_capacity(pattern, kinds, mirrored=options.mirrored) if pattern else kinds * (COLUMNS // MIN_CELLS)
        if times < 0:
            message = _("{name}: the times goal {goal} is met can’t be negative.", name=name, goal=goal)
            yield Violation(rule, message, binding=True)
        elif times > most:
            message = _(
                "{name}: goal {goal} fits into a sideboard at most {most} times, for no drawer counts twice; not {n}.",
                name=name,
                goal=goal,
                most=most,
                n=times,
            )
            yield Violation(Rule.DRAWER_ONCE, message, binding=True)


def _check_rows(options: Options, count: Count) -> Iterator[Violation]:
    if count.rows is None:
        return
    name, goal = SeatName(count.seat), options.row_goal
    if len(count.rows) != (1 if is_single(goal) else 2):
        message = _("{name}: goal {goal} counts two rows.", name=name, goal=goal)
        if is_single(goal):
            message = _("{name}: goal {goal} counts one row.", name=name, goal=goal)
        yield Violation(Rule.ROWS, message, binding=True)
    for length in count.rows:
        if not 0 <= length <= COLUMNS:
            message = _("{name}: a row has at most 8 drawers, not {n}.", name=name, n=length)
            yield Violation(Rule.ROWS, message, binding=True)
        elif length == 0 and not can_lack_row(goal):
            message = _(
                "{name}: every sideboard of eight cards has a row of at least 1 for goal {goal}, so 0 cannot be.",
                name=name,
                goal=goal,
            )
            yield Violation(Rule.ROWS, message, binding=True)


def _check_sideboard(options: Options, count: Count) -> Iterator[Violation]:
    name, cards = SeatName(count.seat), count.cards or ()
    broken = [fault for card in dict.fromkeys(cards) for fault in list_faults(card)]
    for fault in broken:
        yield Violation(Rule.COMPOSITION, _("{name}: {text}", name=name, text=fault), binding=True)
    if len(cards) != COLUMNS:
        message = _("{name}: a sideboard has eight cards, not {n}.", name=name, n=len(cards))
        yield Violation(Rule.EIGHT_CARDS, message, binding=True)
    elif not broken:
        yield from _check_hand_counts(options, count)


def _check_hand_counts(options: Options, count: Count) -> Iterator[Violation]:
    """Question a hand count that differs from the instances found on the sideboard."""
    results = find_goals(options, count.cards or ())
    for rule, goal, times, masks in (
        (Rule.COLOUR_GOALS, options.colour_goal, count.colours, results.colours),
        (Rule.HANDLE_GOALS, options.handle_goal, count.handles, results.handles),
    ):
        if masks is not None and times not in (None, len(masks)):
            message = _(
                "{name}: on this sideboard goal {goal} is met {n} times, not {given}.",
                name=SeatName(count.seat),
                goal=goal,
                n=len(masks),
                given=times or 0,
            )
            yield Violation(rule, message)
