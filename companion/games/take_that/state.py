"""State of a round of Take That, and the effect of each play."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

from companion.games.take_that.deck import DECK, HAND, reverse_digits
from companion.games.take_that.plays import Extend, Options, Play, Reverse, Take

T = TypeVar("T")


@dataclass(frozen=True)
class State:
    """State of a round. Hands are known only by their size: cards in hand are not recorded."""

    options: Options
    turn: int
    pile: int
    hands: tuple[int, ...]
    """Hand sizes by seat."""
    face_up: tuple[tuple[int, ...], ...]
    face_down: tuple[tuple[int, ...], ...]
    row: tuple[int, ...] = ()
    """Cards from left to right."""
    must_open: bool = False
    """The player to move has taken the row and opens a new one in the same turn."""
    is_over: bool = False

    @property
    def seats(self) -> int:
        return len(self.hands)

    @cached_property
    def seen(self) -> frozenset[int]:
        """Every card that has been on the table."""
        return frozenset(self.row).union(*self.face_up, *self.face_down)

    @property
    def is_penalty_due(self) -> bool:
        """Whether taking the row now costs a card from the pile (professional variant)."""
        return self.options.professional and len(self.row) == 1 and self.pile > 0


def setup(options: Options, seats: int, rounds: int) -> State:
    """Return the state after dealing: the deal passes to the left, and the player left of the dealer begins."""
    hand = HAND[seats]
    nothing: tuple[tuple[int, ...], ...] = ((),) * seats
    turn = (options.dealer + rounds + 1) % seats
    return State(options, turn, len(DECK) - seats * hand, (hand,) * seats, nothing, nothing)


def apply(state: State, play: Play) -> State:
    """Return the state after the play, legal or not."""
    match play:
        case Extend(seat, card):
            return _draw_and_pass(replace(state, row=(*state.row, card), must_open=False), seat)
        case Reverse(seat, card):
            return _apply_reverse(state, seat, card)
        case Take(seat, penalty):
            return _apply_take(state, seat, penalty)


def _apply_reverse(state: State, seat: int, card: int) -> State:
    """Lay the pair face up and close the gap; with the pile exhausted, an empty row ends the round."""
    partner = reverse_digits(card)
    pairs = _replace_at(state.face_up, seat, (*state.face_up[seat], card, partner))
    was_last_round = state.pile == 0
    state = replace(state, row=tuple(other for other in state.row if other != partner), face_up=pairs, must_open=False)
    state = _draw_and_pass(state, seat)
    ends = not state.row and state.pile == 0 and (was_last_round or not state.options.reopen_after_pile)
    return replace(state, is_over=ends)


def _apply_take(state: State, seat: int, penalty: int | None) -> State:
    """Lay the row face down and let the player open a new one, or end the round if the pile is exhausted."""
    drawn = () if penalty is None else (penalty,)
    down = _replace_at(state.face_down, seat, (*state.face_down[seat], *state.row, *drawn))
    ends = state.pile == 0
    return replace(
        state, row=(), face_down=down, pile=state.pile - len(drawn), turn=seat, must_open=not ends, is_over=ends
    )


def _draw_and_pass(state: State, seat: int) -> State:
    """Remove a card from the hand, draw one while the pile lasts, and pass the turn to the left."""
    draws = 1 if state.pile else 0
    hands = _replace_at(state.hands, seat, max(state.hands[seat] - 1, 0) + draws)
    return replace(state, hands=hands, pile=state.pile - draws, turn=(seat + 1) % state.seats)


def _replace_at(values: tuple[T, ...], index: int, value: T) -> tuple[T, ...]:
    return (*values[:index], value, *values[index + 1 :])
