"""Preparation steps and paper score sheet of The Game."""

from __future__ import annotations

from dataclasses import replace

from companion.core.explanations import Preparation, PreparationStep
from companion.core.text import Text, _, format_number, ngettext
from companion.games.the_game.plays import FIRE, Expert, Options, Row
from companion.games.the_game.rules import Rule
from companion.games.the_game.state import setup


def build_preparation(options: Options, seats: int) -> Preparation:
    state = setup(options, seats, 0)
    up, down = state.top(Row.UP_1), state.top(Row.DOWN_1)
    minimum, after = state.minimum, replace(state, pile=0).minimum
    is_alone = seats == 1
    steps = (
        PreparationStep(
            Rule.DECK, _("Row cards"), _("two that begin at {up}, two that begin at {down}", up=up, down=down)
        ),
        PreparationStep("on-fire", _("Fire cards"), _describe_fire(options)),
        PreparationStep(Rule.DEAL, _("Shuffle and deal"), _count_hand(state.hands[0], is_alone=is_alone)),
        PreparationStep(Rule.DEAL, _("Draw pile, face down"), ngettext("{n} card", "{n} cards", state.pile)),
        PreparationStep(Rule.TURN, _("Who starts"), _("you") if is_alone else _("look at your hands, then agree")),
        PreparationStep(
            Rule.MINIMUM if options.expert is Expert.NO else "expert",
            _("Cards a turn"),
            _("at least {n}", n=minimum),
        ),
        PreparationStep(Rule.MINIMUM_AFTER_PILE, _("Cards a turn after the pile"), _("at least {n}", n=after)),
        PreparationStep(Rule.GAME_END, _("Rounds"), format_number(1)),
    )
    return Preparation(steps, lot=None if is_alone else _("Who starts?"))


def _describe_fire(options: Options) -> Text:
    if not options.on_fire:
        return _("they stay in the box")
    numbers = tuple(format_number(number) for number in sorted(FIRE))
    return _("they replace {numbers}", numbers=numbers)


def _count_hand(cards: int, *, is_alone: bool) -> Text:
    if is_alone:
        return ngettext("{n} card", "{n} cards", cards)
    return ngettext("{n} card each", "{n} cards each", cards)
