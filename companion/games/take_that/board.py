"""Board of Take That, as its pages show it."""

from dataclasses import dataclass
from functools import cache

from companion.core.card_view import CardView
from companion.core.text import Text, _
from companion.games.take_that.deck import DECK, TOADS, reverse_digits
from companion.games.take_that.plays import Reverse
from companion.games.take_that.rules import is_within_reach, judge
from companion.games.take_that.state import State

TOAD, PLAYED = _("toad"), _("played")


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
        row=tuple(map(build_card, state.row)),
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
        return build_card(card, is_used=True)
    extends = is_within_reach(state.row, card) and not state.is_over and state.hands[state.turn] > 0
    reverses = reverse_digits(card) in state.row and next(judge(state, Reverse(state.turn, card)), None) is None
    return build_card(card, is_legal=extends or reverses, reverses=reverses)


@cache
def build_card(card: int, *, is_used: bool = False, is_legal: bool = False, reverses: bool = False) -> CardView:
    """Return a card tagged `swap` (it reverses a card of the row), `laid` and `toad`."""
    is_toad = card in TOADS
    tags = ("swap",) * reverses + ("laid",) * is_used + ("toad",) * is_toad
    notes = (TOAD,) * is_toad + (PLAYED,) * is_used
    if reverses:
        notes += (_("reverses {card}", card=reverse_digits(card)),)
    return CardView(str(card), str(card), is_legal, tags, notes)
