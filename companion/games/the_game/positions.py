"""Positions of The Game to check without a table."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

from companion.core.explanations import Position, Proposal
from companion.core.schema import Choice, Malformed, field, get_choices
from companion.core.text import _
from companion.games.the_game.deck import DECK, HAND
from companion.games.the_game.plays import Expert, Options, PlaceCard, Row, Stuck
from companion.games.the_game.rules import find_longest_sequence
from companion.games.the_game.state import ROWS, State, setup

MAX_HAND = max(HAND.values())


@dataclass(frozen=True)
class RowsAndHand:
    """The top card of each row, 1 or 100 while empty, and one or all cards of a hand."""

    title: ClassVar = _("Four rows and my cards")

    up_1: int = field(Row.UP_1.label, default=1)
    up_2: int = field(Row.UP_2.label, default=1)
    down_1: int = field(Row.DOWN_1.label, default=100)
    down_2: int = field(Row.DOWN_2.label, default=100)
    hand: tuple[int, ...] = field(_("My cards"), default=())
    least: int = field(
        _("Minimum"),
        choices=(Choice("2", _("Normal")), Choice("3", _("Expert")), Choice("1", _("After the pile"))),
        default=2,
    )

    @property
    def tops(self) -> tuple[int, ...]:
        """Top cards in the order of ROWS."""
        return self.up_1, self.up_2, self.down_1, self.down_2

    @property
    def minimums(self) -> tuple[tuple[Choice, bool], ...]:
        """The minimums to choose from, and whether each is chosen."""
        return tuple((choice, choice.value == str(self.least)) for choice in get_choices(RowsAndHand, "least"))


def build_position(question: RowsAndHand) -> Position:
    """Build a position: one card is checked on each row, several as a whole hand.

    Raises Malformed for cards outside the deck, duplicate cards and hands that are too large.
    """
    state = replace(setup(Options(), 1, 0), turn=0, held=frozenset(question.hand))
    rows = tuple(() if top == row.start else (top,) for row, top in zip(ROWS, question.tops, strict=True))
    tops = [(row.name.lower(), top) for row, cards in zip(ROWS, rows, strict=True) for top in cards]
    _check_cards([*tops, *(("hand", card) for card in question.hand)])
    if len(question.hand) > MAX_HAND:
        raise Malformed(_("A hand has at most {most} cards.", most=MAX_HAND), "hand")
    options = Options(expert=Expert.THREE if question.least == 3 else Expert.NO)
    pile = 0 if question.least == 1 else state.pile
    hands = (len(question.hand),) if question.hand else state.hands
    state = replace(state, options=options, pile=pile, hands=hands, rows=rows)
    return Position(state, tuple(_iter_proposals(state, question.hand)))


def _check_cards(cards: list[tuple[str, int]]) -> None:
    """Check cards given with their field. Raises Malformed."""
    seen: set[int] = set()
    for name, card in cards:
        if card not in DECK:
            raise Malformed(_("There is no card {card}: the deck goes from 2 to 99.", card=card), name)
        if card in seen:
            raise Malformed(_("There is only one {card}.", card=card), name)
        seen.add(card)


def _iter_proposals(state: State, hand: tuple[int, ...]) -> Iterator[Proposal]:
    if len(hand) == 1:
        for row in ROWS:
            text = _("{card} on the {row}", card=hand[0], row=row.label)
            yield Proposal(text, PlaceCard(0, hand[0], row))
    if len(hand) > 1 or (hand and not find_longest_sequence(state)):
        yield Proposal(_("Saying that you are stuck"), Stuck(0))
