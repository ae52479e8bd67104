"""Preparation steps and paper score sheet of Muzicando."""

from __future__ import annotations

from collections.abc import Iterator

from companion.core.explanations import PaperSheet, Preparation, PreparationStep
from companion.core.text import SeatName, Text, _, format_number, ngettext
from companion.games.muzicando.bids import Bid
from companion.games.muzicando.deck import NOTES, SIGN, Card
from companion.games.muzicando.plays import Options
from companion.games.muzicando.rules import Rule
from companion.games.muzicando.state import setup

GUIDO = Card(6, SIGN)
"""Card for the seat of any player beyond the seven notes: Guido d'Arezzo."""


def build_preparation(options: Options, seats: int) -> Preparation:
    draws = () if options.is_team(seats) else _list_seat_cards(seats)
    return Preparation(tuple(_iter_steps(options, seats)), lot=_("Who deals first?"), draws=draws)


def _list_seat_cards(seats: int) -> tuple[Text, ...]:
    """Return a note per player, from Do up, and Guido d'Arezzo for an eighth."""
    guido = _("Guido d’Arezzo, the {card}: chooses a seat", card=GUIDO.label)
    return (*NOTES[:seats], *([guido] * (seats - len(NOTES))))


def _iter_steps(options: Options, seats: int) -> Iterator[PreparationStep]:
    state = setup(options, seats, 0)
    yield _build_seating_step(options, seats)
    if not options.is_team(seats):
        yield PreparationStep(Rule.PLAYERS, _("Who deals first"), _("whoever drew {note}", note=NOTES[0]))
    yield PreparationStep(Rule.DEAL, _("Shuffle and deal"), ngettext("{n} card each", "{n} cards each", state.hands[0]))
    if state.stock:
        yield PreparationStep(Rule.DEAL, _("Stock, face down"), ngettext("{n} card", "{n} cards", state.stock))
    left = _("whoever sits to the left of the dealer")
    if state.has_bidding:
        bids = tuple(Bid)
        yield PreparationStep(Rule.BIDDING, _("Who bids first"), left)
        yield PreparationStep(
            Rule.HIGHER_BID, _("Bids"), _("{first} to {last}", first=bids[0].label, last=bids[-1].label)
        )
        yield PreparationStep(Rule.CONTRACT, _("Who starts"), _("whoever bid highest"))
    else:
        yield PreparationStep(Rule.CHOOSING, _("Who starts"), left)
        yield PreparationStep(Rule.CHOOSING, _("Kind"), _("chosen by whoever starts"))
    yield PreparationStep(Rule.DEALS, _("Deals"), format_number(options.deals(seats)))
    yield from _iter_variant_steps(options, has_bidding=state.has_bidding)


def _build_seating_step(options: Options, seats: int) -> PreparationStep:
    if options.is_team(seats):
        north, east, south, west = (SeatName(seat) for seat in range(seats))
        teams = _("{north} + {south} against {east} + {west}", north=north, east=east, south=south, west=west)
        return PreparationStep(Rule.PLAYERS, _("Teams"), teams)
    last = NOTES[min(seats, len(NOTES)) - 1]
    if seats > len(NOTES):
        notes = _("draw {first} to {last}, and Guido d’Arezzo", first=NOTES[0], last=last)
    else:
        notes = _("draw {first} to {last}", first=NOTES[0], last=last)
    return PreparationStep(Rule.PLAYERS, _("Seats"), notes)


def _iter_variant_steps(options: Options, *, has_bidding: bool) -> Iterator[PreparationStep]:
    """Yield a step for each variant that changes the rules of this deal."""
    if options.parada_wrap:
        yield PreparationStep(Rule.PARADA, _("Do beside Si in Parada"), _("a column continues beyond Do and Si"))
    if options.redeal and has_bidding:
        yield PreparationStep(Rule.BIDDING, _("New deal when all pass"), _("if nobody bids, deal again"))
    if options.chooser_only and not has_bidding:
        yield PreparationStep(Rule.SCORE, _("Kind for the chooser only"), _("the others score only their place"))
    if options.signs_between:
        yield PreparationStep(Rule.SIGNS, _("Signs only between notes"), _("no sign at the end of a row"))
    if options.any_row:
        yield PreparationStep(Rule.GLISSANDO, _("New rows at any note"), _("not only at the opening note"))


def build_paper_sheet(options: Options, seats: int) -> PaperSheet:
    if options.has_bidding(seats):
        table, value = (_("who bid what"), _("order of going out")), _("contract, + or −")
    else:
        table, value = (_("who chose what"), _("order of going out")), _("kind")
    return PaperSheet(side_lines=(_("places"), value), points=_("points"), table_lines=table)
