"""Preparation steps and paper score sheet of Beavers and Mice."""

from __future__ import annotations

from companion.core.explanations import PaperSheet, Preparation, PreparationStep
from companion.core.text import Text, _, format_number, ngettext
from companion.games.beavers_and_mice.deck import ROW, Face
from companion.games.beavers_and_mice.plays import Options, TurnUp
from companion.games.beavers_and_mice.rules import Rule
from companion.games.beavers_and_mice.scoring import rounds
from companion.games.beavers_and_mice.state import apply, setup


def build_preparation(options: Options, seats: int) -> Preparation:
    """Return the steps without a draw for the dealer: the oldest player deals first."""
    state = setup(options, seats, 0)
    state = apply(state, TurnUp(state.dealer, Face.ZERO))
    return Preparation(
        (
            PreparationStep(Rule.DECK, _("Deck"), _count_cards(options.deck.size)),
            PreparationStep(Rule.DECK, _("Specials"), _list_specials(options)),
            PreparationStep(Rule.DEAL, _("Who deals"), _("the oldest player, and then the next to the left")),
            PreparationStep(Rule.DEAL, _("Shuffle and deal"), ngettext("{n} card each", "{n} cards each", ROW)),
            PreparationStep(Rule.DEAL, _("First discard, turned up"), _count_cards(len(state.discards))),
            PreparationStep(Rule.DEAL, _("Draw pile, face down"), _count_cards(state.pile)),
            _build_first_discard_step(options),
            PreparationStep(Rule.DEAL, _("Look once"), _("at the leftmost and the rightmost of your own cards")),
            PreparationStep(Rule.TURN, _("Who starts"), _("whoever sits to the left of the dealer")),
            PreparationStep(Rule.ROUNDS, _("Rounds"), format_number(rounds(options, seats))),
        )
    )


def _count_cards(n: int) -> Text:
    return ngettext("{n} card", "{n} cards", n)


def _list_specials(options: Options) -> Text:
    cards = options.deck.cards
    return _(
        "{exchanges} Exchange, {peeks} Peek, {chances} Two Chances",
        exchanges=cards[Face.EXCHANGE],
        peeks=cards[Face.PEEK],
        chances=cards[Face.TWO_CHANCES],
    )


def _build_first_discard_step(options: Options) -> PreparationStep:
    label = _("If the first discard is a special")
    if options.turn_another:
        return PreparationStep("options", label, _("turn up another card, until a number lies there"))
    return PreparationStep(Rule.DEAL, label, _("it stays there"))


def build_paper_sheet(options: Options, seats: int) -> PaperSheet:
    return PaperSheet(side_lines=(_("the four cards"),), points=_("points"), table_lines=(_("who knocked"),))
