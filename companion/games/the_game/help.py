"""Explanations, relevant rules, preparation and paper score sheet of The Game."""

from dataclasses import replace

from companion.core.explanations import Explanation, PaperSheet, Preparation, PreparationStep
from companion.core.text import Text, _, format_number, ngettext
from companion.games.the_game.deck import FIRE
from companion.games.the_game.plays import EndTurn, Expert, Options, PlaceCard, Play, Row, Stuck
from companion.games.the_game.rules import Rule, find_longest_sequence
from companion.games.the_game.state import Ending, State, is_trick, setup

COUNTING_RULES = ("score", Rule.GAME_END, "pad")
LEAST_ROOM = 10
"""Room in the widest row below which being stuck is near."""


def explain(state: State, play: Play) -> Explanation:
    match play:
        case PlaceCard(card=card, row=row):
            return _explain_place(state, card, row, state.top(row))
        case EndTurn():
            return _explain_end_turn(state)
        case Stuck():
            return Explanation(Rule.GAME_END, _("Say that you are stuck"), reason=_explain_stuck(state))


def _explain_place(state: State, card: int, row: Row, top: int) -> Explanation:
    if is_trick(row, top, card):
        heading = _("Backwards trick on the {row} ({top})", top=top, row=row.label)
        lower = _("{card} is exactly 10 lower than {top}.", card=card, top=top)
        higher = _("{card} is exactly 10 higher than {top}.", card=card, top=top)
        return Explanation("backwards-trick", heading, str(card), lower if row.is_ascending else higher)
    heading = _("Lay on the {row} ({top})", top=top, row=row.label)
    if top in state.burning:
        heading = _("Cover the fire card {top} on the {row}", top=top, row=row.label)
    if row.is_ascending:
        return Explanation(Rule.ASCENDING, heading, str(card), _("{card} is higher than {top}.", card=card, top=top))
    return Explanation(Rule.DESCENDING, heading, str(card), _("{card} is lower than {top}.", card=card, top=top))


def _explain_end_turn(state: State) -> Explanation:
    heading = _("End the turn")
    if state.due:
        burning = ", ".join(map(str, sorted(state.due)))
        return Explanation(
            "on-fire", heading, reason=_("You can, but the fire wins: {cards} is still burning.", cards=burning)
        )
    rule = Rule.MINIMUM if state.pile else Rule.MINIMUM_AFTER_PILE
    reason = ngettext(
        "{n} card is laid, and the minimum is {minimum}. To be drawn: {drawn}.",
        "{n} cards are laid, and the minimum is {minimum}. To be drawn: {drawn}.",
        state.laid,
        minimum=state.minimum,
        drawn=min(state.laid, state.pile),
    )
    return Explanation(rule, heading, reason=reason)


def _explain_stuck(state: State) -> Text:
    missing = state.minimum - state.laid
    if state.held is None:
        return ngettext(
            "If you cannot lay {n} more card, the game is over.",
            "If you cannot lay {n} more cards, the game is over.",
            missing,
        )
    count = len(find_longest_sequence(state))
    if not count:
        return _("None of your cards fits on any row.")
    return ngettext(
        "In no order can you lay more than {n} card, and the minimum is {minimum}.",
        "In no order can you lay more than {n} cards, and the minimum is {minimum}.",
        count,
        minimum=state.minimum,
    )


def get_relevant_rules(state: State) -> tuple[str, ...]:
    rows = (Rule.ASCENDING, Rule.DESCENDING)
    if state.is_over:
        return ("on-fire",) * (state.ending is Ending.BURNT) + (Rule.GAME_END, "score")
    fire = ("on-fire",) * bool(state.burning)
    if state.turn is None:
        return (Rule.TURN, _get_minimum_rule(state), *rows, "backwards-trick", "silence")
    if state.laid >= state.minimum:
        return (*fire, Rule.DRAW if state.pile else Rule.MINIMUM_AFTER_PILE, "backwards-trick", *rows)
    end = (Rule.GAME_END,) if state.pile == 0 or _measure_room(state) < LEAST_ROOM else ("silence",)
    return (*fire, _get_minimum_rule(state), *rows, "backwards-trick", *end)


def _get_minimum_rule(state: State) -> str:
    if state.pile == 0:
        return Rule.MINIMUM_AFTER_PILE
    return Rule.MINIMUM if state.options.expert is Expert.NO else "expert"


def _measure_room(state: State) -> int:
    """Return how many numbers are left in the widest row."""
    return max(100 - state.top(row) if row.is_ascending else state.top(row) - 1 for row in Row) - 1


def build_paper_sheet(options: Options, seats: int) -> PaperSheet:
    """Return a sheet with one column for the whole table."""
    burnt = (_("lost to the fire"),) if options.on_fire else ()
    return PaperSheet(side_lines=(_("in hand"), _("draw pile"), *burnt), points=_("cards left"))


def build_preparation(options: Options, seats: int) -> Preparation:
    state = setup(options, seats, 0)
    up, down = Row.UP_1.start, Row.DOWN_1.start
    is_alone, held, after = seats == 1, state.hands[0], replace(state, pile=0).minimum
    dealt = ngettext("{n} card", "{n} cards", held) if is_alone else ngettext("{n} card each", "{n} cards each", held)
    steps = (
        PreparationStep(
            Rule.DECK,
            _("Row cards"),
            _("two that begin at {up}, two that begin at {down}", up=up, down=down),
        ),
        PreparationStep("on-fire", _("Fire cards"), _describe_fire(options)),
        PreparationStep(Rule.DEAL, _("Shuffle and deal"), dealt),
        PreparationStep(Rule.DEAL, _("Draw pile, face down"), ngettext("{n} card", "{n} cards", state.pile)),
        PreparationStep(Rule.TURN, _("Who starts"), _("you") if is_alone else _("look at your hands, then agree")),
        PreparationStep(
            Rule.MINIMUM if options.expert is Expert.NO else "expert",
            _("Cards a turn"),
            _("at least {n}", n=state.minimum),
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
