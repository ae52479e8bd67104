"""What a page shows of The Game, computed; templates only print it."""

from __future__ import annotations

from dataclasses import dataclass

from companion.core.text import Text
from companion.games.the_game.entries import DECK, FIRE, Place, Row
from companion.games.the_game.rules import judge
from companion.games.the_game.state import ROWS, TRICK, State, is_trick


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
    trick: int | None
    """The card that the backwards trick would take, if it is still to come."""


@dataclass(frozen=True)
class Card:
    """A card of the deck: laid, or the ids of the rows that take it now, and of those that take it by the trick."""

    number: int
    is_laid: bool
    rows: str
    tricks: str
    is_fire: bool

    @property
    def is_special(self) -> bool:
        """Whether there is more to say of it than its number."""
        return self.is_laid or self.is_fire or bool(self.tricks)

    @property
    def marks(self) -> str:
        """How it looks: the words ` legal`, ` trick` and ` laid`, each with a space before it."""
        return " legal" * bool(self.rows) + " trick" * bool(self.tricks) + " laid" * self.is_laid


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

    @property
    def tens(self) -> tuple[tuple[Card, ...], ...]:
        """The cards by their tens."""
        return tuple(tuple(card for card in self.cards if card.number // 10 == ten) for ten in range(10))


def board(state: State) -> Board:
    laid = frozenset().union(*state.rows)
    return Board(
        turn=None if state.ending else state.turn,
        rows=tuple(_row(state, row, laid) for row in ROWS),
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


def _row(state: State, row: Row, laid: frozenset[int]) -> RowOnTable:
    top = state.top(row)
    cards = len(state.rows[ROWS.index(row)])
    trick = top - TRICK if row.is_ascending else top + TRICK
    return RowOnTable(
        row.value,
        row.label,
        row.is_ascending,
        top,
        cards,
        top in state.burning,
        top in state.due,
        trick if trick in DECK and trick not in laid else None,
    )


def _card(state: State, card: int, is_laid: bool) -> Card:
    seat = state.turn or 0
    rows = [] if is_laid else [row for row in ROWS if next(judge(state, Place(seat, card, row)), None) is None]
    tricks = [row for row in rows if is_trick(row, state.top(row), card)]
    return Card(card, is_laid, " ".join(rows), " ".join(tricks), state.options.on_fire and card in FIRE)
