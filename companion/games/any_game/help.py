"""What is prepared before any other game, and its score sheet on paper: nothing but what the sheet says."""

from __future__ import annotations

from collections.abc import Iterator

from companion.core.explanations import PaperSheet, Preparation, PreparationStep
from companion.core.schema import get_choices, get_label
from companion.core.text import SeatName, Text, _
from companion.games.any_game.counts import Options, Wins, boxes, category
from companion.games.any_game.rules import Rule
from companion.games.any_game.sheet import rounds, sides

COUNTING = (Rule.POINTS, Rule.CATEGORIES, Rule.TEAMS, Rule.END, "pad")


def prepare(options: Options, seats: int) -> Preparation:
    return Preparation(tuple(_steps(options, seats)), lot=_("Who starts?") if seats > 1 else None)


def _steps(options: Options, seats: int) -> Iterator[PreparationStep]:
    wins = next(choice.label for choice in get_choices(Options, "wins") if choice.value == options.wins)
    yield _step(Rule.SHARED if options.wins is Wins.SHARED else "winner", "wins", wins)
    found = sides(options, seats)
    if options.wins is not Wins.SHARED:
        yield from _teams(found) if options.teams else (_step("players", "teams", _("Each for themselves")),)
    if options.categories:
        yield _step(Rule.CATEGORIES, "categories", _("{names}", names=tuple(map(category, options.categories))))
    yield _step(Rule.START, "start", _number(options.start))
    agreed = rounds(options, seats)
    yield _step("rounds", "rounds", _("as many as you like") if agreed is None else _number(agreed))
    if options.target is not None:
        yield _step(Rule.TARGET, "target", _number(options.target))


def _step(rule: str, field: str, value: Text) -> PreparationStep:
    """A step that is called as the option is."""
    return PreparationStep(rule, get_label(Options, field) or Text(field), value)


def _teams(found: tuple[tuple[int, ...], ...]) -> Iterator[PreparationStep]:
    for number, side in enumerate(found, start=1):
        names = tuple(_("{name}", name=SeatName(seat)) for seat in side)
        yield PreparationStep(Rule.TEAMS, _("Team {n}", n=number), _("{names}", names=names))


def _number(number: int) -> Text:
    return Text("{n}", (("n", number),))


def form(options: Options, seats: int) -> PaperSheet:
    return PaperSheet(side_lines=boxes(options, seats) if options.categories else (), points=_("points"))
