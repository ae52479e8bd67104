"""Explanations and relevant rules of Sideboards."""

from __future__ import annotations

from companion.core.explanations import Explanation
from companion.core.text import SeatName, Text, _
from companion.games.sideboards.goal_claims import Claim, explain_claim
from companion.games.sideboards.plays import COLUMNS, PlaceCard, Swap
from companion.games.sideboards.preparation import ALONE
from companion.games.sideboards.rules import Rule, judge
from companion.games.sideboards.state import START, State

COUNTING_RULES = (Rule.TOTAL, Rule.DRAWER_ONCE, Rule.ROWS, "row-bonus", "pad")


def explain(state: State, entry: PlaceCard | Swap | Claim) -> Explanation:
    match entry:
        case PlaceCard(seat):
            return _explain_place(state, seat)
        case Swap(seat):
            text = _("Both start cards lie, and the swap card has not been used.")
            return Explanation(Rule.SWAP, _("Swap both hand cards"), _name_player(state, seat), text)
        case Claim():
            return Explanation(entry.rule, _("Count a pattern"), reason=explain_claim(entry))


def _explain_place(state: State, seat: int) -> Explanation:
    text = _("The card has each of the five colours once, and each of the three handles once.")
    if len(state.sideboards[seat]) < START:
        return Explanation("start", _("Lay a start card, any card of your hand"), _name_player(state, seat), text)
    heading = _("Lay any card of your hand at the left or right end, upside down if you like")
    return Explanation("placement", heading, _name_player(state, seat), text)


def _name_player(state: State, seat: int) -> str | Text:
    """Return the player's name, or nothing when playing solo."""
    return "" if state.seats == 1 else _("{name}", name=SeatName(seat))


def get_relevant_rules(state: State) -> tuple[str, ...]:
    if state.is_over:
        return Rule.TOTAL, Rule.DRAWER_ONCE, Rule.ROWS, ALONE if state.seats == 1 else "row-bonus", Rule.MATCH
    laid = min(map(len, state.sideboards))
    way = ALONE if state.seats == 1 else Rule.FOUR_CARDS if state.options.four_cards else "start"
    if laid < START:
        return way, "placement", Rule.PATTERNS, Rule.ROWS
    swap = (Rule.SWAP,) if any(_can_swap(state, seat) for seat in range(state.seats)) else ()
    ending = (Rule.EIGHT_CARDS,) if laid == COLUMNS - 1 else ()
    return *ending, "placement", *swap, Rule.DRAWER_ONCE, Rule.ROWS, way


def _can_swap(state: State, seat: int) -> bool:
    return next(judge(state, Swap(seat)), None) is None
