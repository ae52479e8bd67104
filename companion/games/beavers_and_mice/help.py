"""Explanations, relevant rules, preparation and paper score sheet of Beavers and Mice."""

from companion.core.explanations import Explanation, PaperSheet, Preparation, PreparationStep
from companion.core.text import SeatName, Text, _, format_number, ngettext
from companion.games.beavers_and_mice import plays
from companion.games.beavers_and_mice.deck import ROW, Face
from companion.games.beavers_and_mice.rules import Rule, judge
from companion.games.beavers_and_mice.scoring import round_count
from companion.games.beavers_and_mice.state import CHANCES, State, apply, setup

COUNTING_RULES = (Rule.REPLACE_SPECIALS, Rule.SCORE, Rule.ROUNDS, "pad")


def explain(state: State, play: plays.Play) -> Explanation:
    match play:
        case plays.TurnUp():
            return _explain_turn_up(state)
        case plays.Reshuffle():
            reason = ngettext(
                "The pile is exhausted: {n} discard is shuffled into a new one.",
                "The pile is exhausted: {n} discards are shuffled into a new one.",
                len(state.discards),
            )
            return Explanation(Rule.RESHUFFLE, _("Shuffle the discards, and turn one card up"), reason=reason)
        case plays.Knock(seat):
            name = SeatName(seat)
            reason = _("All {n} players have had a turn, and {name} has just acted.", n=state.seats, name=name)
            return Explanation(Rule.KNOCK, _name_actor(state, seat, _("Knock: end of the round")), reason=reason)
        case plays.Reveal():
            return _explain_reveal(play)
        case _:
            rule, heading, reason = _explain_turn(state, play)
            return Explanation(rule, _name_actor(state, play.seat, heading), reason=reason)


def _explain_turn_up(state: State) -> Explanation:
    if state.top is None:
        reason = _("The top card of the pile is the first of the discards.")
        return Explanation(Rule.DEAL, _("Turn up the first discard"), reason=reason)
    reason = _("{card} lies first, and this table covers a special until a number lies there.", card=state.top.label)
    return Explanation("options", _("Turn up another card"), reason=reason)


def _explain_reveal(play: plays.Reveal) -> Explanation:
    if any(card.replacements for card in play.cards):
        reason = _("The last turns are over, and cards from the pile replace the specials, clockwise from the knocker.")
        return Explanation(
            Rule.REPLACE_SPECIALS, _("Turn over the four cards, and replace the specials"), reason=reason
        )
    reason = _("The last turns are over: all four cards are turned over and added up.")
    return Explanation(Rule.SCORE, _("Turn over the four cards, all of them numbers"), reason=reason)


def _name_actor(state: State, seat: int, heading: Text) -> Text:
    """Prefix the text with the player's name while two players can act: one may knock, the next may play."""
    if state.acted is None or any(judge(state, plays.Knock(state.acted))):
        return heading
    return _("{name}: {said}", name=SeatName(seat), said=heading)


def _explain_turn(state: State, play: plays.Take | plays.Draw) -> tuple[Rule, Text, Text]:
    match play:
        case plays.Take():
            top = state.top.label if state.top is not None else ""
            reason = _("The top discard is a number: {card}. It goes in the place of one of the four cards.", card=top)
            return Rule.TAKE_DISCARD, _("Take the top discard ({card})", card=top), reason
        case plays.Discard() if state.chances == CHANCES:
            reason = _("The first chance need not be used: discarded, it gives way to a second one.")
            return Rule.SPECIALS, _("Draw, and discard it for the second chance"), reason
        case plays.Discard():
            reason = _("Any card that is drawn may be discarded, but a special then does nothing.")
            return Rule.DRAW, _("Draw and discard"), reason
        case plays.Swap():
            reason = _("A number that you draw may replace one of your four cards.")
            return Rule.DRAW, _("Draw, and keep a number"), reason
        case _:
            heading = _("Draw {card}, and play it", card=play.card.label)
            return Rule.SPECIALS, heading, _explain_special(state, play)


def _explain_special(state: State, play: plays.Exchange | plays.Peek | plays.TwoChances) -> Text:
    match play:
        case plays.Exchange(other=other) if other == state.knocker:
            return _("{name} has knocked, but those four cards may still be exchanged.", name=SeatName(other))
        case plays.Exchange():
            return _("Exchange works when it is drawn: one of the four cards for one of another player, unseen.")
        case plays.Peek():
            return _("Peek works when it is drawn: a look at one of the four cards.")
        case plays.TwoChances() if state.chances:
            return _("Two Chances, drawn as a chance, gives two new chances.")
        case plays.TwoChances():
            return _("Two Chances works when it is drawn: another card, and a second one if the first is discarded.")


def get_relevant_rules(state: State) -> tuple[str, ...]:
    """Return the rules of the phase first, then of the top discard and the pile, the knock last unless it is near."""
    if state.is_over:
        return Rule.SCORE, Rule.REPLACE_SPECIALS, Rule.ROUNDS
    if state.is_dealing:
        return (Rule.DEAL, *(("options",) if state.top else ()), Rule.TURN, Rule.DECK)
    if state.is_revealing:
        return Rule.REPLACE_SPECIALS, Rule.SCORE, Rule.RESHUFFLE
    if state.chances:
        return Rule.SPECIALS, Rule.DRAW, Rule.NO_SPECIAL_INTO_ROW
    top = Rule.TAKE_DISCARD if state.can_take else Rule.NO_SPECIAL_FROM_DISCARDS
    if state.pile == 0:
        return Rule.RESHUFFLE, top, Rule.KNOCK
    turn = top, Rule.DRAW, Rule.SPECIALS, Rule.NO_SPECIAL_INTO_ROW
    if len(state.had_turn) < state.seats and state.knocker is None:
        return Rule.TURN, *turn, Rule.KNOCK
    return (Rule.KNOCK, *turn, *((Rule.RESHUFFLE,) if state.pile <= state.seats else ()))


def build_preparation(options: plays.Options, seats: int) -> Preparation:
    """Return the steps without a draw for the dealer: the oldest player deals first."""
    state = setup(options, seats, 0)
    state = apply(state, plays.TurnUp(state.dealer, Face.ZERO))
    special_first = _("If the first discard is a special")
    return Preparation(
        (
            PreparationStep(Rule.DECK, _("Deck"), _count_cards(options.deck.size)),
            PreparationStep(Rule.DECK, _("Specials"), _list_specials(options)),
            PreparationStep(Rule.DEAL, _("Who deals"), _("the oldest player, and then the next to the left")),
            PreparationStep(Rule.DEAL, _("Shuffle and deal"), ngettext("{n} card each", "{n} cards each", ROW)),
            PreparationStep(Rule.DEAL, _("First discard, turned up"), _count_cards(len(state.discards))),
            PreparationStep(Rule.DEAL, _("Draw pile, face down"), _count_cards(state.pile)),
            PreparationStep("options", special_first, _("turn up another card, until a number lies there"))
            if options.turn_another
            else PreparationStep(Rule.DEAL, special_first, _("it stays there")),
            PreparationStep(Rule.DEAL, _("Look once"), _("at the leftmost and the rightmost of your own cards")),
            PreparationStep(Rule.TURN, _("Who starts"), _("whoever sits to the left of the dealer")),
            PreparationStep(Rule.ROUNDS, _("Rounds"), format_number(round_count(options, seats))),
        )
    )


def _count_cards(n: int) -> Text:
    return ngettext("{n} card", "{n} cards", n)


def _list_specials(options: plays.Options) -> Text:
    cards = options.deck.cards
    return _(
        "{exchanges} Exchange, {peeks} Peek, {chances} Two Chances",
        exchanges=cards[Face.EXCHANGE],
        peeks=cards[Face.PEEK],
        chances=cards[Face.TWO_CHANCES],
    )


def build_paper_sheet(options: plays.Options, seats: int) -> PaperSheet:
    return PaperSheet(side_lines=(_("the four cards"),), points=_("points"), table_lines=(_("who knocked"),))
