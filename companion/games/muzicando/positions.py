"""Positions of Muzicando to check without a table."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from typing import ClassVar

from companion.core.explanations import Position, Proposal
from companion.core.schema import Malformed, field
from companion.core.text import _
from companion.games.muzicando.bids import HIGH_ENDS, LOW_ENDS, Bid, Kind, LayPosition
from companion.games.muzicando.deck import Card
from companion.games.muzicando.plays import TEAM, Call, Lay, Options, Pass
from companion.games.muzicando.rules import judge
from companion.games.muzicando.state import State, apply, setup
from companion.games.muzicando.tableau import Tableau


@dataclass(frozen=True)
class TableauAndCard:
    """Cards laid in order in a kind, and a card in hand.

    `places` holds the position of each card that fits in more than one, in order; the first position is the default.
    """

    title: ClassVar = _("A card")
    kinds: ClassVar = tuple(Kind)

    kind: Kind = field(_("Kind"), default=Kind.SARABANDA)
    cards: tuple[Card, ...] = field(_("On the table"), _("as they were laid"), default=())
    places: tuple[LayPosition, ...] = field(_("Where does it go?"), default=())
    card: Card | None = field(_("My card"), default=None)
    parada_wrap: bool = field(_("Do beside Si in Parada"), default=False)
    signs_between: bool = field(_("Signs only between notes"), default=False)
    any_row: bool = field(_("New rows at any note"), default=False)

    @cached_property
    def replay(self) -> "Replay":
        """The tableau after all cards. Raises Malformed if they cannot have been laid in this order."""
        state, given = self._build_state(), list(self.places)
        positions: list[LayPosition] = []
        choices: tuple[LayPosition, ...] = ()
        for card in self.cards:
            tableau, at = _get_tableau(state), None
            choices = tuple(place for place in tableau.open_places(card) if place)
            if len(choices) > 1:
                at = given.pop(0) if given else choices[0]
                positions.append(at)
            if violation := next(judge(state, Lay(state.turn, card, at)), None):
                raise Malformed(violation.message, "cards")
            state = replace(state, tableau=tableau.with_card(card, at))
        return Replay(state, tuple(positions), choices if len(choices) > 1 else ())

    def _build_state(self) -> State:
        """Return the state of a team game after a bid of the kind at level 1."""
        options = Options(parada_wrap=self.parada_wrap, signs_between=self.signs_between, any_row=self.any_row)
        state = setup(options, TEAM, 0)
        state = apply(state, Call(state.turn, Bid(f"1{self.kind.upper()}")))
        return reduce(lambda current, _seat: apply(current, Pass(current.turn)), range(TEAM - 1), state)


@dataclass(frozen=True)
class Replay:
    """The state after all cards, and the positions of those that fitted in several."""

    state: State
    positions: tuple[LayPosition, ...]
    choices: tuple[LayPosition, ...]
    """Positions of the last card, if there is a choice."""

    @property
    def earlier_positions(self) -> tuple[LayPosition, ...]:
        """Positions of all cards but the last."""
        return self.positions[:-1] if self.choices else self.positions


def _get_tableau(state: State) -> Tableau:
    assert state.tableau is not None  # the bidding is over before a card is laid
    return state.tableau


@dataclass(frozen=True)
class LastAndBid:
    """The last bid of a bidding, and the bid to check."""

    title: ClassVar = _("A bid")

    last: Bid | None = field(_("Last bid"), default=None)
    bid: Bid | None = field(_("My bid"), default=None)


def build_position(question: TableauAndCard | LastAndBid) -> Position:
    """Build a position from cards or bids. Raises Malformed for cards that cannot have been laid."""
    if isinstance(question, LastAndBid):
        return _build_bidding(question)
    state = question.replay.state
    return Position(state, tuple(_iter_proposals(state, question.card)) if question.card else ())


def _build_bidding(question: LastAndBid) -> Position:
    state = setup(Options(), TEAM, 0)
    if question.last:
        state = apply(state, Call(state.turn, question.last))
    if question.bid is None:
        return Position(state)
    return Position(state, (Proposal(_("Bid {bid}", bid=question.bid.label), Call(state.turn, question.bid)),))


def _iter_proposals(state: State, card: Card) -> Iterator[Proposal]:
    """Yield a proposal for each position of a card that fits, legal ones first, or one for any other card."""
    tableau = _get_tableau(state)
    fits = tableau.open_places(card)
    if any(fits) and not (tableau.kind is Kind.SARABANDA and len(tableau.rows[0]) == 1):
        for at in sorted(_list_positions(tableau, card), key=lambda place: place not in fits):
            text = _("Lay the {card}: {place}", card=card.label, place=at.label)
            yield Proposal(text, Lay(state.turn, card, at))
    elif tableau.is_open:
        yield Proposal(_("Lay the {card}", card=card.label), Lay(state.turn, card))
    else:
        yield Proposal(_("Open with {card}", card=card.label), Lay(state.turn, card))


def _list_positions(tableau: Tableau, card: Card) -> tuple[LayPosition, ...]:
    if tableau.kind is Kind.SARABANDA:
        return LayPosition.LEFT, LayPosition.RIGHT
    if card.has_oval:
        return LayPosition.ABOVE, LayPosition.BELOW
    return tuple(ends[opener.step] for opener in tableau.openers for ends in (LOW_ENDS, HIGH_ENDS))
