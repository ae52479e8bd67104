"""Positions of Take That to check without a table."""

from dataclasses import dataclass, replace
from typing import ClassVar

from companion.core.explanations import Position, Proposal
from companion.core.schema import Malformed, field
from companion.core.text import _
from companion.games.take_that.deck import DECK
from companion.games.take_that.plays import Extend, Options, Reverse, Take
from companion.games.take_that.state import State, setup


@dataclass(frozen=True)
class RowAndCard:
    """A row and a card in hand."""

    title: ClassVar = _("A row and a card")

    row: tuple[int, ...] = field(_("The row"), _("from left to right"), default=())
    card: int | None = field(_("My card"), default=None)


def build_position(question: RowAndCard) -> Position:
    """Build a position. Raises Malformed for cards outside the deck and duplicate cards."""
    cards = (*question.row, *(() if question.card is None else (question.card,)))
    for place, card in enumerate(cards):
        if card not in DECK:
            raise Malformed(_("There is no card {card} in the deck.", card=card), "row")
        if card in cards[:place]:
            raise Malformed(_("There is only one {card}.", card=card), "row")
    state = replace(setup(Options(), 2, 0), row=question.row)
    if question.card is None:
        return Position(state)
    return Position(state, tuple(_list_proposals(state, question.card)))


def _list_proposals(state: State, card: int) -> list[Proposal]:
    if not state.row:
        return [Proposal(_("Start the row with {card}", card=card), Extend(state.turn, card))]
    return [
        Proposal(_("Lay {card} at the right end", card=card), Extend(state.turn, card)),
        Proposal(_("Reverse with {card}", card=card), Reverse(state.turn, card)),
        Proposal(_("Take the row"), Take(state.turn)),
    ]
