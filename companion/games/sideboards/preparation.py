"""Preparation steps and paper score sheet of Sideboards."""

from __future__ import annotations

from collections.abc import Iterator

from companion.core.explanations import PaperSheet, Preparation, PreparationStep
from companion.core.text import Text, _, format_number, ngettext
from companion.games.sideboards.plays import Options
from companion.games.sideboards.rules import Rule
from companion.games.sideboards.state import START, State, setup

ALONE = "solo"
"""Section of the rulebook on playing alone."""


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
    yield PreparationStep(*_describe_opening(state))
    if options.mirrored:
        yield PreparationStep(Rule.PATTERNS, _("Patterns"), _("count mirrored, too"))
    yield PreparationStep(Rule.MATCH, _("Rounds"), format_number(options.rounds))


def _count_cards(state: State, n: int) -> Text:
    """Return the number of cards dealt, without "each" for a single player."""
    if state.seats == 1:
        return ngettext("{n} card", "{n} cards", n)
    return ngettext("{n} card each", "{n} cards each", n)


def _describe_opening(state: State) -> tuple[str, Text, Text]:
    """Return the rule, label and text of the opening step."""
    rest = state.hand - START
    if state.seats == 1:
        return ALONE, _("Opening"), _("lay {n}, discard {rest}", n=START, rest=rest)
    rule = Rule.FOUR_CARDS if state.options.four_cards else "start"
    return rule, _("Everybody starts"), _("lay {n}, pass {rest} to the left, draw one", n=START, rest=rest)


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
