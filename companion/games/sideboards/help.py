"""Explanations, relevant rules, preparation and paper score sheet of Sideboards."""

from collections.abc import Iterator

from companion.core.explanations import Explanation, PaperSheet, Preparation, PreparationStep
from companion.core.text import SeatName, Text, _, format_number, ngettext
from companion.games.sideboards.goals import Claim, explain_claim
from companion.games.sideboards.plays import COLUMNS, Options, PlaceCard, Play, Swap
from companion.games.sideboards.rules import Rule, judge
from companion.games.sideboards.state import START, State, setup

COUNTING_RULES = (Rule.TOTAL, Rule.DRAWER_ONCE, Rule.ROWS, "row-bonus", "pad")
ALONE = "solo"
"""Section of the rulebook on playing alone."""


def explain(state: State, entry: Play | Claim) -> Explanation:
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
    may_swap = any(not any(judge(state, Swap(seat))) for seat in range(state.seats))
    swap = (Rule.SWAP,) if may_swap else ()
    ending = (Rule.EIGHT_CARDS,) if laid == COLUMNS - 1 else ()
    return *ending, "placement", *swap, Rule.DRAWER_ONCE, Rule.ROWS, way


def build_preparation(options: Options, seats: int) -> Preparation:
    lot = _("Who chooses the goals?") if seats > 1 else None
    return Preparation(tuple(_iter_steps(setup(options, seats, 0))), lot=lot)


def _iter_steps(state: State) -> Iterator[PreparationStep]:
    options = state.options
    yield PreparationStep("setup", _("Colour goal"), format_number(options.colour_goal))
    yield PreparationStep("setup", _("Handle goal"), format_number(options.handle_goal))
    yield PreparationStep("setup", _("Row goal"), _("{n}: {text}", n=options.row_goal, text=options.row_text))
    if not options.four_cards:
        yield PreparationStep(Rule.SWAP, _("swap card, +1 up"), _count_cards(state, 1))
    dealing = Rule.FOUR_CARDS if options.four_cards else "setup"
    yield PreparationStep(dealing, _("Shuffle and deal"), _count_cards(state, state.hand))
    yield PreparationStep("setup", _("Draw pile, face down"), ngettext("{n} card", "{n} cards", state.pile))
    opening = {"n": START, "rest": state.hand - START}
    if state.seats == 1:
        yield PreparationStep(ALONE, _("Opening"), _("lay {n}, discard {rest}", **opening))
    else:
        rule = Rule.FOUR_CARDS if options.four_cards else "start"
        text = _("lay {n}, pass {rest} to the left, draw one", **opening)
        yield PreparationStep(rule, _("Everybody starts"), text)
    if options.mirrored:
        yield PreparationStep(Rule.PATTERNS, _("Patterns"), _("count mirrored, too"))
    yield PreparationStep(Rule.MATCH, _("Rounds"), format_number(options.rounds))


def _count_cards(state: State, n: int) -> Text:
    """Return the number of cards dealt, without "each" for a single player."""
    if state.seats == 1:
        return ngettext("{n} card", "{n} cards", n)
    return ngettext("{n} card each", "{n} cards each", n)


def build_paper_sheet(options: Options, seats: int) -> PaperSheet:
    swap = () if options.four_cards else (_("swap card"),)
    return PaperSheet(
        side_lines=(
            _("colour goal: times × points"),
            _("handle goal: times × points"),
            _("row: 2 × drawers"),
            _("row bonus"),
            *swap,
        ),
        points=_("points"),
        table_lines=(_("goals, and points each time"),),
    )
