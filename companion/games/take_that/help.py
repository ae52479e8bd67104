"""Explanations, relevant rules, preparation and paper score sheet of Take That."""

from companion.core.explanations import Explanation, PaperSheet, Preparation, PreparationStep
from companion.core.text import _, format_number, ngettext
from companion.games.take_that.deck import reverse_digits
from companion.games.take_that.plays import Extend, Options, Play, Reverse, Take
from companion.games.take_that.rules import Rule
from companion.games.take_that.state import State, setup

COUNTING_RULES = (Rule.SCORE, "pad")


def explain(state: State, play: Play) -> Explanation:
    match play:
        case Extend(card=card) if not state.row:
            reason = _("There is no row, and any card may start one.")
            return Explanation(Rule.OPEN_ROW, _("Start the row"), str(card), reason)
        case Extend(card=card):
            distance, end = abs(card - state.row[-1]), state.row[-1]
            reason = _("{card} is {distance} away from {end}: at most 10.", card=card, distance=distance, end=end)
            return Explanation(Rule.EXTEND_WITHIN_TEN, _("Lay at the right end"), str(card), reason)
        case Reverse(card=card):
            partner = reverse_digits(card)
            reason = _("{partner} lies in the row, and {card} is its reversal.", card=card, partner=partner)
            label = _("{card} (takes {partner})", card=card, partner=partner)
            return Explanation(Rule.REVERSE_PAIR, _("Reverse a card of the row"), label, reason)
        case Take():
            return _explain_take(state)


def _explain_take(state: State) -> Explanation:
    if state.is_penalty_due:
        reason = _("A row of a single card costs the top card of the pile, too.")
        return Explanation(Rule.PROFESSIONAL, _("Take the row and a penalty card"), reason=reason)
    n = len(state.row)
    reason = ngettext("You may always take the row: {n} card.", "You may always take the row: {n} cards.", n)
    return Explanation(Rule.TAKE_ROW, _("Take the row"), reason=reason)


def get_relevant_rules(state: State) -> tuple[str, ...]:
    if state.is_over:
        return Rule.ROUND_END, Rule.SCORE
    if not state.row:
        return (Rule.OPEN_ROW, "draw")
    if state.hands[state.turn] == 0:
        return Rule.TAKE_ROW, Rule.ROUND_END
    penalty = (Rule.PROFESSIONAL,) if state.is_penalty_due else ()
    ending = (Rule.ROUND_END,) if state.pile == 0 else ()
    return (*ending, Rule.EXTEND_WITHIN_TEN, Rule.REVERSE_PAIR, Rule.TOADS_STAY, Rule.TAKE_ROW, *penalty, "draw")


def build_preparation(options: Options, seats: int) -> Preparation:
    state = setup(options, seats, 0)
    hand, pile = state.hands[0], state.pile
    steps = [
        PreparationStep(Rule.DEAL, _("Shuffle and deal"), ngettext("{n} card each", "{n} cards each", hand)),
        PreparationStep(Rule.DEAL, _("Draw pile, face down"), ngettext("{n} card", "{n} cards", pile)),
        PreparationStep(Rule.DEAL, _("Who starts"), _("whoever sits to the left of the dealer")),
        PreparationStep(Rule.MATCH, _("Rounds"), format_number(options.rounds)),
    ]
    if options.professional:
        steps.append(PreparationStep(Rule.PROFESSIONAL, _("Professional"), _("a row of one card costs a penalty card")))
    return Preparation(tuple(steps), lot=_("Who deals first?"))


def build_paper_sheet(options: Options, seats: int) -> PaperSheet:
    return PaperSheet(side_lines=(_("face up"), _("face down"), _("toads")), points=_("points"))
