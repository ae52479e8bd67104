"""State of a round of The Game, and the effect of each play."""

from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property

from companion.games.the_game.deck import DECK, FIRE
from companion.games.the_game.plays import EndTurn, Expert, Options, PlaceCard, Play, Row, Stuck

ROWS = tuple(Row)
TRICK = 10
"""Step of the backwards trick, against the direction of a row."""


class Ending(StrEnum):
    WON = "won"
    STUCK = "stuck"
    BURNT = "burnt"


@dataclass(frozen=True)
class State:
    """State of the game. Hands are known only by their size: cards in hand are not recorded."""

    options: Options
    hands: tuple[int, ...]
    """Hand sizes by seat."""
    pile: int
    rows: tuple[tuple[int, ...], ...] = ((), (), (), ())
    """Cards of each row in the order of ROWS, in the order laid."""
    turn: int | None = None
    """None until the first card is laid: the players agree who begins."""
    laid: int = 0
    """Cards laid this turn."""
    due: frozenset[int] = frozenset()
    """Fire cards to cover by the end of this turn."""
    ending: Ending | None = None
    held: frozenset[int] | None = None
    """The hand of the player to move, if a question gives it; None at a table."""

    @property
    def seats(self) -> int:
        return len(self.hands)

    @property
    def is_over(self) -> bool:
        return self.ending is not None

    def top(self, row: Row) -> int:
        cards = self.rows[ROWS.index(row)]
        return cards[-1] if cards else row.start

    @cached_property
    def seen(self) -> frozenset[int]:
        """Every card that has been laid."""
        return frozenset().union(*self.rows)

    @property
    def minimum(self) -> int:
        """Cards that the turn requires, at most the hand it began with (rule `minimum-after-pile`)."""
        least = self.options.minimum
        if self.pile == 0:
            keeps_three = self.options.minimum_after_pile == 3 and self.options.expert is not Expert.NO
            least = 3 if keeps_three else 1
        return least if self.turn is None else min(least, self.hands[self.turn] + self.laid)

    @property
    def burning(self) -> tuple[int, ...]:
        """Fire cards on top of a row, due or not."""
        tops = (cards[-1] for cards in self.rows if cards)
        return tuple(card for card in tops if self.options.on_fire and card in FIRE)


def setup(options: Options, seats: int, rounds: int) -> State:
    hand = options.hand(seats)
    return State(options, (hand,) * seats, len(DECK) - seats * hand)


def apply(state: State, play: Play) -> State:
    """Return the state after the play, legal or not."""
    if state.turn not in (None, play.seat):  # playing out of turn ends the turn before
        state = _apply_end_turn(state)
    match play:
        case PlaceCard(seat, card, row):
            return _apply_place(replace(state, turn=seat), seat, card, row)
        case EndTurn(seat):
            return _apply_end_turn(replace(state, turn=seat))
        case Stuck(seat):
            return replace(state, turn=seat, ending=Ending.STUCK)


def is_trick(row: Row, top: int, card: int) -> bool:
    return card == (top - TRICK if row.is_ascending else top + TRICK)


def _apply_place(state: State, seat: int, card: int, row: Row) -> State:
    index = ROWS.index(row)
    rows = (*state.rows[:index], (*state.rows[index], card), *state.rows[index + 1 :])
    hands = tuple(max(held - 1, 0) if other == seat else held for other, held in enumerate(state.hands))
    is_won = sum(map(len, rows)) == len(DECK)
    due = state.due - {state.top(row)}
    return replace(
        state,
        rows=rows,
        hands=hands,
        laid=state.laid + 1,
        due=due,
        ending=Ending.WON if is_won else state.ending,
        held=None if state.held is None else state.held - {card},
    )


def _apply_end_turn(state: State) -> State:
    """Draw as many cards as were laid while the pile lasts; end the game if a fire card that is due still burns."""
    seat = state.turn if state.turn is not None else 0
    drawn = min(state.laid, state.pile)
    hands = tuple(held + drawn if other == seat else held for other, held in enumerate(state.hands))
    following = [(seat + step) % state.seats for step in range(1, state.seats + 1)]
    turn = next((other for other in following if hands[other]), seat)
    return replace(
        state,
        hands=hands,
        pile=state.pile - drawn,
        turn=turn,
        laid=0,
        due=frozenset(state.burning),
        ending=Ending.BURNT if state.due else state.ending,
    )
