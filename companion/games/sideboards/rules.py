"""Rules of Sideboards: violations of plays and options, and the plays worth trying."""

from collections.abc import Iterator
from enum import StrEnum
from functools import cache
from itertools import chain

from companion.core.game import Violation
from companion.core.text import SeatName, Text, _
from companion.games.sideboards.deck import LINES, SAMPLES, Colour, Handle, list_faults
from companion.games.sideboards.plays import (
    COLUMNS,
    HANDLE_ROW_GOALS,
    NAMED_KINDS,
    SINGLE_KIND_GOALS,
    TWO_LINE_GOALS,
    End,
    Options,
    PlaceCard,
    Play,
    RowKind,
    Swap,
)
from companion.games.sideboards.state import START, State

MIN_CELLS, MAX_CELLS = 2, 4
"""Fewest and most cells of a pattern."""
GRID = 5
"""Lines and columns of the grid for patterns."""


class Rule(StrEnum):
    """Rules that a violation can name; each is a section of the rulebook."""

    PLAYERS = "players"
    COMPOSITION = "composition"
    SWAP = "swap"
    EIGHT_CARDS = "eight-cards"
    PATTERNS = "patterns"
    COLOUR_GOALS = "colour-goals"
    HANDLE_GOALS = "handle-goals"
    DRAWER_ONCE = "drawer-once-per-goal"
    ROWS = "rows"
    TOTAL = "total"
    MATCH = "match"
    FOUR_CARDS = "four-cards"


def judge(state: State, play: Play) -> Iterator[Violation]:
    """Yield a violation for each rule that the play breaks."""
    if state.is_over:
        message = _("The game is over: everybody has a sideboard of eight cards.")
        yield Violation(Rule.EIGHT_CARDS, message, binding=True)
        return
    match play:
        case PlaceCard(seat, card):
            yield from (Violation(Rule.COMPOSITION, fault, binding=True) for fault in list_faults(card))
            if len(state.sideboards[seat]) >= COLUMNS:
                message = _("{name} has eight cards already: that is a whole sideboard.", name=SeatName(seat))
                yield Violation(Rule.EIGHT_CARDS, message, binding=True)
        case Swap(seat):
            yield from _judge_swap(state, seat)


def _judge_swap(state: State, seat: int) -> Iterator[Violation]:
    name, laid = SeatName(seat), len(state.sideboards[seat])
    if state.options.four_cards:
        yield Violation(Rule.FOUR_CARDS, _("There are no swap cards where everybody starts with four cards."))
    if state.swaps[seat]:
        yield Violation(Rule.SWAP, _("{name} has used the swap card already.", name=name))
    if laid < START:
        message = _("{name}: the swap card waits until both start cards lie; so far {n} of 2.", name=name, n=laid)
        yield Violation(Rule.SWAP, message)
    elif laid >= COLUMNS:
        message = _("{name} has laid all eight cards: there is no card left to choose.", name=name)
        yield Violation(Rule.SWAP, message)


def candidates(state: State) -> Iterator[Play]:
    """Yield well-formed sample cards, either way up, at either end, for every seat with room; and every swap."""
    open_seats = (seat for seat in range(state.seats) if len(state.sideboards[seat]) < COLUMNS)
    return chain(chain.from_iterable(map(_list_places, open_seats)), map(Swap, range(state.seats)))


@cache
def _list_places(seat: int) -> tuple[PlaceCard, ...]:
    return tuple(PlaceCard(seat, card, end, turned) for card in SAMPLES for end in End for turned in (False, True))


def check_options(options: Options, seats: int) -> Iterator[Violation]:
    """Yield violations of the options for this number of players."""
    for goal, pattern in ((options.colour_goal, options.colour_pattern), (options.handle_goal, options.handle_pattern)):
        for text in iter_pattern_faults(goal, pattern):
            yield Violation(Rule.PATTERNS, text, binding=True)
    if options.row_goal in TWO_LINE_GOALS and options.lines:
        yield from _check_lines(options.lines)
    if options.row_goal in SINGLE_KIND_GOALS and options.row_of is not RowKind.USUAL:
        yield from _check_row_kind(options.row_goal, NAMED_KINDS[options.row_of])
    if options.four_cards and seats == 1:
        message = _("The variant with four cards passes cards to the left: nobody can play it alone.")
        yield Violation(Rule.FOUR_CARDS, message, binding=True)


def iter_pattern_faults(goal: int | Text, pattern: tuple[int, ...]) -> Iterator[Text]:
    """Yield the faults of a drawn pattern; an empty one has none."""
    if not pattern:
        return
    outside = [cell for cell in pattern if not (1 <= cell // 10 <= GRID and 1 <= cell % 10 <= GRID)]
    if outside:
        yield _(
            "Goal {goal}: {cell} is not a cell of the grid, which has lines and columns 1 to 5.",
            goal=goal,
            cell=outside[0],
        )
    if len(set(pattern)) < len(pattern):
        yield _("Goal {goal}: a cell is listed twice.", goal=goal)
    if not MIN_CELLS <= len(set(pattern)) <= MAX_CELLS:
        yield _("Goal {goal}: a pattern has two to four cells, not {n}.", goal=goal, n=len(set(pattern)))
    elif len({cell % 10 for cell in pattern}) < len(set(pattern)):
        yield _(
            "Goal {goal}: two cells of this pattern lie in one column, but no card has a colour or a handle twice.",
            goal=goal,
        )


def _check_lines(lines: tuple[int, ...]) -> Iterator[Violation]:
    if any(not 1 <= line <= LINES for line in lines):
        yield Violation(Rule.ROWS, _("The lines of a sideboard are 1 to 5, counted from the top."), binding=True)
    elif len(set(lines)) != 2 or len(lines) != 2:
        yield Violation(Rule.ROWS, _("Goals 27 to 30 count in two different lines."), binding=True)


def _check_row_kind(goal: int, kind: Colour | Handle) -> Iterator[Violation]:
    if (goal in HANDLE_ROW_GOALS) is not isinstance(kind, Handle):
        message = _("Goal {goal} counts a handle, and {kind} is a colour.", goal=goal, kind=kind.label)
        if isinstance(kind, Handle):
            message = _("Goal {goal} counts a colour, and {kind} is a handle.", goal=goal, kind=kind.label)
        yield Violation(Rule.ROWS, message, binding=True)
