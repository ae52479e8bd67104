"""Positions of Muzicando that can be asked about without a table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from typing import ClassVar

from companion.core.explanations import Position, Proposal
from companion.core.schema import Malformed, field
from companion.core.text import Text, _
from companion.games.muzicando.bids import HIGH_ENDS, LOW_ENDS, Bid, Kind, LayPosition
from companion.games.muzicando.deck import Card
from companion.games.muzicando.plays import TEAM, Call, Lay, Options, Pass
from companion.games.muzicando.rules import judge
from companion.games.muzicando.state import State, apply, setup
from companion.games.muzicando.tableau import Tableau

_PLACE_LABELS = {
    LayPosition.LEFT: _("Left end"),
    LayPosition.RIGHT: _("Right end"),
    LayPosition.ABOVE: _("New row above"),
    LayPosition.BELOW: _("New row below"),
}
"""As short as a choice can be; those not here say it themselves."""


@dataclass(frozen=True)
class EndChoice:
    """A place that the card laid last may have: `is_taken` by it now."""

    at: LayPosition
    is_taken: bool

    @property
    def label(self) -> Text:
        return _PLACE_LABELS.get(self.at, self.at.label)


@dataclass(frozen=True)
class TableauAndCard:
    """Cards as they were laid in a kind, and a card of somebody's hand.

    `places` tells, of each card that fits in more than one place, where it was laid; unsaid, it is the first of them.
    """

    title: ClassVar = _("A card")

    kind: Kind = field(_("Kind"), default=Kind.SARABANDA)
    cards: tuple[Card, ...] = field(_("On the table"), _("as they were laid"), default=())
    places: tuple[LayPosition, ...] = field(_("Where does it go?"), default=())
    card: Card | None = field(_("My card"), default=None)
    parada_wrap: bool = field(_("Do beside Si in Parada"), default=False)
    signs_between: bool = field(_("Signs only between notes"), default=False)
    any_row: bool = field(_("New rows at any note"), default=False)

    @cached_property
    def laid(self) -> LaidCards:
        """Raises Malformed where the cards cannot have been laid so."""
        return reduce(_lay_card, self.cards, LaidCards(self._begun(), self.places))

    def _begun(self) -> State:
        """Four in teams, with the kind bid for."""
        options = Options(parada_wrap=self.parada_wrap, signs_between=self.signs_between, any_row=self.any_row)
        state = setup(options, TEAM, 0)
        state = apply(state, Call(state.turn, Bid(f"1{self.kind.upper()}")))
        return reduce(lambda current, _seat: apply(current, Pass(current.turn)), range(TEAM - 1), state)

    @property
    def kinds(self) -> tuple[Kind, ...]:
        return tuple(Kind)


@dataclass(frozen=True)
class LaidCards:
    """What lies after some of the cards, and the places of those that fitted in several."""

    state: State
    to_say: tuple[LayPosition, ...]
    said: tuple[LayPosition, ...] = ()
    choice: tuple[EndChoice, ...] = ()
    """Where the last card may lie, if there is a choice."""

    @property
    def fixed(self) -> tuple[LayPosition, ...]:
        """The places of all cards but the last."""
        return self.said[:-1] if self.choice else self.said


def _lay_card(laid: LaidCards, card: Card) -> LaidCards:
    state = laid.state
    tableau = _get_tableau(state)
    places = tuple(at for at in tableau.open_places(card) if at)
    at = next(iter((*laid.to_say, *places)), None) if len(places) > 1 else None
    violation = next(judge(state, Lay(state.turn, card, at)), None)
    if violation:
        raise Malformed(violation.message, "cards")
    state = replace(state, tableau=tableau.with_card(card, at))
    if at is None:
        return LaidCards(state, laid.to_say, laid.said)
    choice = tuple(EndChoice(place, place is at) for place in places)
    return LaidCards(state, laid.to_say[1:], (*laid.said, at), choice)


def _get_tableau(state: State) -> Tableau:
    assert state.tableau is not None  # the bidding is over before a card is laid
    return state.tableau


@dataclass(frozen=True)
class LastAndBid:
    """The last bid of a bidding, and one that somebody would make."""

    title: ClassVar = _("A bid")

    last: Bid | None = field(_("Last bid"), default=None)
    bid: Bid | None = field(_("My bid"), default=None)


def build_position(question: TableauAndCard | LastAndBid) -> Position:
    """Raises Malformed for cards that cannot lie so."""
    if isinstance(question, LastAndBid):
        return _build_bidding(question)
    state = question.laid.state
    return Position(state, tuple(_iter_proposals(state, question.card)) if question.card else ())


def _build_bidding(question: LastAndBid) -> Position:
    state = setup(Options(), TEAM, 0)
    if question.last:
        state = apply(state, Call(state.turn, question.last))
    if question.bid is None:
        return Position(state)
    return Position(state, (Proposal(_("Bid {bid}", bid=question.bid.label), Call(state.turn, question.bid)),))


def _iter_proposals(state: State, card: Card) -> Iterator[Proposal]:
    """A card that fits is asked about in each place that its kind has, first where it fits."""
    tableau = _get_tableau(state)
    fits = tableau.open_places(card)
    if any(fits) and not (tableau.kind is Kind.SARABANDA and len(tableau.rows[0]) == 1):
        for at in sorted(_list_places(tableau, card), key=lambda place: place not in fits):
            text = _("Lay the {card}: {place}", card=card.label, place=at.label)
            yield Proposal(text, Lay(state.turn, card, at))
    elif tableau.is_open:
        yield Proposal(_("Lay the {card}", card=card.label), Lay(state.turn, card))
    else:
        yield Proposal(_("Open with {card}", card=card.label), Lay(state.turn, card))


def _list_places(tableau: Tableau, card: Card) -> tuple[LayPosition, ...]:
    if tableau.kind is Kind.SARABANDA:
        return LayPosition.LEFT, LayPosition.RIGHT
    if card.has_oval:
        return LayPosition.ABOVE, LayPosition.BELOW
    return tuple(ends[opener.step] for opener in tableau.openers for ends in (LOW_ENDS, HIGH_ENDS))
