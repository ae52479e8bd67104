"""What a page shows of a round of Take That, computed; templates only print it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from companion.core.text import Text, _
from companion.games.take_that.deck import DECK, TOADS, reversal
from companion.games.take_that.plays import Reverse
from companion.games.take_that.rules import judge, reaches
from companion.games.take_that.state import State

TOAD, PLAYED = _("toad"), _("played")


class Card(NamedTuple):
    """A card of the deck: whether it has been seen, and what it could legally do now. A tuple, for a page has 79."""

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
    def data(self) -> tuple[tuple[str, str], ...]:
        """Nothing more for the page to know."""
        return ()

    @property
    def says(self) -> tuple[Text, ...]:
        """What there is to say of it beside its number."""
        said = (self.is_toad, TOAD), (self.is_used, PLAYED)
        reverses = (_("reverses {card}", card=reversal(self.number)),) if self.reverses else ()
        return (*(text for holds, text in said if holds), *reverses)

    @property
    def marks(self) -> str:
        """How it looks: the words ` legal`, ` swap`, ` laid` and ` toad`, each with a space before it."""
        legal = " legal" if self.extends or self.reverses else ""
        return legal + " swap" * self.reverses + " laid" * self.is_used + " toad" * self.is_toad


@dataclass(frozen=True)
class Place:
    """What lies before a player, in cards."""

    seat: int
    is_turn: bool
    hand: int
    face_up: int
    face_down: int
    toads: int


@dataclass(frozen=True)
class Board:
    turn: int | None
    pile: int
    row: tuple[Card, ...]
    right_end: int | None
    must_open: bool
    must_take: bool
    can_take: bool
    is_penalty_due: bool
    places: tuple[Place, ...]
    cards: tuple[Card, ...]


def board(state: State) -> Board:
    empty_handed = state.hands[state.turn] == 0
    return Board(
        turn=None if state.is_over else state.turn,
        pile=state.pile,
        row=tuple(Card(card) for card in state.row),
        right_end=state.row[-1] if state.row else None,
        must_open=state.must_open,
        must_take=empty_handed and bool(state.row),
        can_take=bool(state.row) and not state.is_over,
        is_penalty_due=state.is_penalty_due,
        places=tuple(_place(state, seat) for seat in range(state.seats)),
        cards=tuple(_card(state, card) for card in DECK),
    )


def _place(state: State, seat: int) -> Place:
    down = state.face_down[seat]
    is_turn = seat == state.turn and not state.is_over
    return Place(seat, is_turn, state.hands[seat], len(state.face_up[seat]), len(down), len(TOADS.intersection(down)))


def _card(state: State, card: int) -> Card:
    """What the law says of a card; the tests hold it against `judge`."""
    if card in state.seen:
        return Card(card, is_used=True)
    extends = reaches(state.row, card) and not state.is_over and state.hands[state.turn] > 0
    reverses = reversal(card) in state.row and next(judge(state, Reverse(state.turn, card)), None) is None
    return Card(card, extends=extends, reverses=reverses)
