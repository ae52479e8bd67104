"""Board of Take That, as its pages show it."""

from dataclasses import dataclass
from typing import NamedTuple

from companion.core.text import Text, _
from companion.games.take_that.deck import DECK, TOADS, reverse_digits
from companion.games.take_that.plays import Reverse
from companion.games.take_that.rules import is_within_reach, judge
from companion.games.take_that.state import State

TOAD, PLAYED = _("toad"), _("played")


class CardView(NamedTuple):
    """A card of the deck, and its legal plays now. A named tuple, because a page builds 79 of them."""

    number: int
    is_used: bool = False
    extends: bool = False
    reverses: bool = False

    @property
    def is_toad(self) -> bool:
        return self.number in TOADS

    @property
    def word(self) -> str:
        return str(self.number)

    @property
    def face(self) -> str:
        return str(self.number)

    @property
    def is_legal(self) -> bool:
        return self.extends or self.reverses

    @property
    def tags(self) -> tuple[str, ...]:
        """Some of `swap` (it reverses a card of the row), `laid` and `toad`."""
        return ("swap",) * self.reverses + ("laid",) * self.is_used + ("toad",) * self.is_toad

    @property
    def notes(self) -> tuple[Text, ...]:
        """Text for screen readers besides the number."""
        labels = (self.is_toad, TOAD), (self.is_used, PLAYED)
        reverses = (_("reverses {card}", card=reverse_digits(self.number)),) if self.reverses else ()
        return (*(text for holds, text in labels if holds), *reverses)


@dataclass(frozen=True)
class SeatView:
    """A player's cards, by number."""

    seat: int
    is_turn: bool
    face_up: int
    face_down: int


@dataclass(frozen=True)
class Board:
    state: State
    turn: int | None
    row: tuple[CardView, ...]
    right_end: int | None
    must_take: bool
    can_take: bool
    places: tuple[SeatView, ...]
    cards: tuple[CardView, ...]

    @property
    def status(self) -> tuple[Text, ...]:
        """What there is to say of the turn, and the cards left in the pile."""
        notes = (self.state.must_open, _("opens a new row")), (self.must_take, _("has no cards left and takes the row"))
        return (*(text for holds, text in notes if holds), _("pile {n}", n=self.state.pile))


def build_board(state: State) -> Board:
    empty_handed = state.hands[state.turn] == 0
    return Board(
        state,
        turn=None if state.is_over else state.turn,
        row=tuple(CardView(card) for card in state.row),
        right_end=state.row[-1] if state.row else None,
        must_take=empty_handed and bool(state.row),
        can_take=bool(state.row) and not state.is_over,
        places=tuple(_build_seat(state, seat) for seat in range(state.seats)),
        cards=tuple(_build_card(state, card) for card in DECK),
    )


def _build_seat(state: State, seat: int) -> SeatView:
    is_turn = seat == state.turn and not state.is_over
    return SeatView(seat, is_turn, len(state.face_up[seat]), len(state.face_down[seat]))


def _build_card(state: State, card: int) -> CardView:
    """Return a card with its legal plays; tests compare this with `judge`."""
    if card in state.seen:
        return CardView(card, is_used=True)
    extends = is_within_reach(state.row, card) and not state.is_over and state.hands[state.turn] > 0
    reverses = reverse_digits(card) in state.row and next(judge(state, Reverse(state.turn, card)), None) is None
    return CardView(card, extends=extends, reverses=reverses)
