"""What a page shows of The Game, computed; templates only print it."""

from __future__ import annotations

from dataclasses import dataclass

from companion.core.text import Text
from companion.games.the_game.entries import DECK, FIRE, Place, Row
from companion.games.the_game.rules import judge
from companion.games.the_game.state import ROWS, State, is_trick


@dataclass(frozen=True)
class RowOnTable:
    """A row: its top card (1 or 100 while it is empty), and whether that one burns, and must be covered this turn."""

    id: str
    label: Text
    is_ascending: bool
    top: int
    cards: int
    burns: bool
    is_due: bool


@dataclass(frozen=True)
class Card:
    """A card of the deck: laid, or the ids of the rows that take it now, and of those that take it by the trick."""

    number: int
    is_laid: bool
    rows: str
    tricks: str
    is_fire: bool


@dataclass(frozen=True)
class Board:
    turn: int | None
    rows: tuple[RowOnTable, ...]
    cards: tuple[Card, ...]
    hands: tuple[int, ...]
    pile: int
    played: int
    """Cards that lie, of 98."""
    laid: int
    minimum: int
    draws: int
    """Cards to draw if the turn ended now."""
    can_end: bool
    due: tuple[int, ...]
    """Fire cards to be covered in this turn."""
    is_over: bool


def board(state: State) -> Board:
    laid = frozenset().union(*state.rows)
    return Board(
        turn=None if state.ending else state.turn,
        rows=tuple(_row(state, row) for row in ROWS),
        cards=tuple(_card(state, card, card in laid) for card in DECK),
        hands=state.hands,
        pile=state.pile,
        played=len(laid),
        laid=state.laid,
        minimum=state.minimum,
        draws=min(state.laid, state.pile),
        can_end=state.turn is not None and state.laid >= state.minimum,
        due=tuple(sorted(state.due)),
        is_over=state.ending is not None,
    )


def _row(state: State, row: Row) -> RowOnTable:
    top = state.top(row)
    cards = len(state.rows[ROWS.index(row)])
    return RowOnTable(row.value, row.label, row.is_ascending, top, cards, top in state.burning, top in state.due)


def _card(state: State, card: int, is_laid: bool) -> Card:
    seat = state.turn or 0
    rows = [] if is_laid else [row for row in ROWS if next(judge(state, Place(seat, card, row)), None) is None]
    tricks = [row for row in rows if is_trick(row, state.top(row), card)]
    return Card(card, is_laid, " ".join(rows), " ".join(tricks), state.options.on_fire and card in FIRE)
