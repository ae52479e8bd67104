"""Preparation steps and paper score sheet of Any Game."""

from collections.abc import Iterator

from companion.core.explanations import PaperSheet, Preparation, PreparationStep
from companion.core.schema import get_label
from companion.core.text import Text, _, format_number, name_seats
from companion.games.any_game.plays import Options, Wins, list_boxes, translate_category
from companion.games.any_game.rules import Rule
from companion.games.any_game.scoring import round_count, sides

COUNTING_RULES = (Rule.POINTS, Rule.CATEGORIES, Rule.TEAMS, Rule.END, "pad")


def build_preparation(options: Options, seats: int) -> Preparation:
    return Preparation(tuple(_iter_steps(options, seats)), lot=_("Who starts?") if seats > 1 else None)


def _iter_steps(options: Options, seats: int) -> Iterator[PreparationStep]:
    yield _build_step(Rule.SHARED if options.wins is Wins.SHARED else "winner", "wins", options.wins.label)
    if options.teams and options.wins is not Wins.SHARED:
        for number, side in enumerate(sides(options, seats), start=1):
            yield PreparationStep(Rule.TEAMS, _("Team {n}", n=number), _("{names}", names=name_seats(side)))
    elif options.wins is not Wins.SHARED:
        yield _build_step("players", "teams", _("Each for themselves"))
    if options.categories:
        yield _build_step(
            Rule.CATEGORIES, "categories", _("{names}", names=tuple(map(translate_category, options.categories)))
        )
    yield _build_step(Rule.START, "start", format_number(options.start))
    agreed = round_count(options, seats)
    yield _build_step("rounds", "rounds", _("as many as you like") if agreed is None else format_number(agreed))
    if options.target is not None:
        yield _build_step(Rule.TARGET, "target", format_number(options.target))


def _build_step(rule: str, field: str, value: Text) -> PreparationStep:
    return PreparationStep(rule, get_label(Options, field), value)


def build_paper_sheet(options: Options, seats: int) -> PaperSheet:
    return PaperSheet(side_lines=list_boxes(options, seats) if options.categories else (), points=_("points"))
