"""Scoring of Sideboards, shared by pad, referee and calculator, and checks of its counts."""

from collections.abc import Iterator, Sequence

from companion.core.game import Violation
from companion.core.scoring import OPEN, ScoreLine, ScoreSheet, ScoreValue
from companion.core.text import SeatName, Text, _, format_number, ngettext
from companion.games.sideboards.capacities import get_capacity
from companion.games.sideboards.deck import Colour, Handle, list_faults
from companion.games.sideboards.goals import Claim, check_claim, find_goals
from companion.games.sideboards.plays import COLUMNS, Count, Options, can_lack_row, is_single
from companion.games.sideboards.rules import MIN_CELLS, Rule
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
    by_seat = sorted(counts, key=lambda count: count.seat)
    colours, handles, drawers = zip(*(_count_goals(options, count) for count in by_seat), strict=True)
    lines = (
        ScoreLine(_("colour goal"), tuple(_multiply(times, options.colour_points) for times in colours)),
        ScoreLine(_("handle goal"), tuple(_multiply(times, options.handle_points) for times in handles)),
        ScoreLine(_("row"), tuple(DRAWER * length for length in drawers)),
        ScoreLine(_("row bonus"), score_row_bonus(options, drawers)),
        ScoreLine(_("swap card"), tuple(int(count.unused) for count in by_seat)),
    )
    points = tuple(map(sum_known, zip(*(line.values for line in lines), strict=True)))
    if points[0] is not None and len(points) == 1:
        return ScoreSheet(lines, points, rank_alone(points[0]))
    return ScoreSheet(lines, points, describe_undrawn(options) if None in points else None)


def _count_goals(options: Options, count: Count) -> tuple[int | None, int | None, int]:
    """Return how often both patterns are met, None if unknown, and the drawers in rows.

    On a sideboard they are computed, but what has been counted by hand stands.
    """
    if count.cards is None:
        return count.colours, count.handles, sum(count.rows or ())
    results = find_goals(options, count.cards)
    colours, handles = results.counts
    return (
        colours if count.colours is None else count.colours,
        handles if count.handles is None else count.handles,
        sum(results.lengths),
    )


def _multiply(times: int | None, points: int) -> ScoreValue:
    return OPEN if times is None else points * times


def sum_known(values: tuple[ScoreValue, ...]) -> int | None:
    """Return the sum, or None if a value is open."""
    known = [value for value in values if isinstance(value, int)]
    return sum(known) if len(known) == len(values) else None


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
    colours, handles = find_goals(options, count.cards or ()).counts
    for rule, goal, times, most in (
        (Rule.COLOUR_GOALS, options.colour_goal, count.colours, colours),
        (Rule.HANDLE_GOALS, options.handle_goal, count.handles, handles),
    ):
        if most is not None and times not in (None, most):
            message = _(
                "{name}: on this sideboard goal {goal} is met {n} times, not {given}.",
                name=SeatName(count.seat),
                goal=goal,
                n=most,
                given=times or 0,
            )
            yield Violation(rule, message)
