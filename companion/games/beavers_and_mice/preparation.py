"""What is prepared before a round of Beavers and Mice, and the lines of a score sheet on paper."""

from __future__ import annotations

from companion.core.explanations import Form, Preparation, Step
from companion.core.text import Text, _, ngettext
from companion.games.beavers_and_mice.deck import ROW, Face
from companion.games.beavers_and_mice.plays import Options, TurnUp
from companion.games.beavers_and_mice.rules import Rule
from companion.games.beavers_and_mice.scoring import rounds
from companion.games.beavers_and_mice.state import apply, setup


def prepare(options: Options, seats: int) -> Preparation:
    """The oldest player deals first, so nothing is left to the lot."""
    state = setup(options, seats, 0)
    state = apply(state, TurnUp(state.dealer, Face.ZERO))
    return Preparation(
        (
            Step(Rule.DECK, _("Deck"), _cards(options.deck.size)),
            Step(Rule.DECK, _("Specials"), _specials(options)),
            Step(Rule.DEAL, _("Who deals"), _("the oldest player, and then the next to the left")),
            Step(Rule.DEAL, _("Shuffle and deal"), ngettext("{n} card each", "{n} cards each", ROW)),
            Step(Rule.DEAL, _("First discard, turned up"), _cards(len(state.discards))),
            Step(Rule.DEAL, _("Draw pile, face down"), _cards(state.pile)),
            _special_first(options),
            Step(Rule.DEAL, _("Look once"), _("at the leftmost and the rightmost of your own cards")),
            Step(Rule.TURN, _("Who begins"), _("whoever sits to the left of the dealer")),
            Step(Rule.ROUNDS, _("Rounds"), Text("{n}", (("n", rounds(options, seats)),))),
        )
    )


def _cards(n: int) -> Text:
    return ngettext("{n} card", "{n} cards", n)


def _specials(options: Options) -> Text:
    cards = options.deck.cards
    return _(
        "{exchanges} Exchange, {peeks} Peek, {chances} Two Chances",
        exchanges=cards[Face.EXCHANGE],
        peeks=cards[Face.PEEK],
        chances=cards[Face.TWO_CHANCES],
    )


def _special_first(options: Options) -> Step:
    label = _("If the first discard is a special")
    if options.turn_another:
        return Step("options", label, _("turn up another card, until a number lies there"))
    return Step(Rule.DEAL, label, _("it just lies there"))


def form(options: Options, seats: int) -> Form:
    return Form(side=(_("the four cards"),), points=_("points"), table=(_("who knocked"),))
