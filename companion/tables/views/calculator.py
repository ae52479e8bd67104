"""Views of the calculator and the preparation of a game: one round, without a table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import SystemRandom

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from companion.core.explanations import Preparation
from companion.core.game import Game
from companion.core.match import Match
from companion.core.text import Text, _, name_seats
from companion.tables.forms import calculator, new_table, pad
from companion.tables.forms.pad import Box, Pad, Preview
from companion.tables.presenters.score_sheet import name_sides
from companion.tables.views.htmx import MAX_BUTTONS, is_partial_request


@dataclass(frozen=True)
class RoundPage:
    """A round of a game for a number of players, with options."""

    match: Match
    options: Mapping[str, str]
    error: Text | None
    """What is wrong with the players or options asked for."""

    names = ()

    @property
    def game(self) -> Game:
        return self.match.game

    @property
    def has_many_seats(self) -> bool:
        return len(self.game.about.seats) > MAX_BUTTONS

    @cached_property
    def option_fields(self) -> Mapping[str, Box]:
        return new_table.build_option_fields(self.game, self.options)


@dataclass(frozen=True)
class CalculatorPage(RoundPage):
    """The pad of one round and its score."""

    boxes: Mapping[str, Sequence[str]]
    is_result_wanted: bool

    @cached_property
    def preview(self) -> Preview:
        return calculator.preview_boxes(self.match, self.boxes)

    @property
    def missing(self) -> Text | None:
        """What the result still needs, if it is wanted."""
        is_unscored = not (self.preview.sheet or self.preview.violations or self.preview.malformed)
        is_missing = self.boxes and self.is_result_wanted and is_unscored
        return calculator.describe_missing(self.match, self.boxes, self.preview) if is_missing else None

    @cached_property
    def pad(self) -> Pad:
        played = self.match.get_round(1)
        return Pad(played, pad.build_groups(played, self.boxes), {}, self.preview)

    @property
    def sides(self) -> tuple[Text, ...]:
        return name_sides(self.match)


@dataclass(frozen=True)
class PreparationPage(RoundPage):
    """How to set up a round."""

    preparation: Preparation
    drawn: Sequence[Text]
    """What has been drawn by lot."""


@never_cache
@require_safe
def show_calculator(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the pad with its checks and score, without a table."""
    match, options, error = calculator.parse_round(request.GET, new_table.get_game_or_404(slug))
    boxes = calculator.parse_boxes(request.GET, match)
    page = CalculatorPage(match, options, error, boxes, is_result_wanted="change" not in request.GET)
    if is_partial_request(request):  # requested on every change, so options may be incomplete
        return render(request, "tables/_calculator_update.html", {"page": page, "preview": page.preview})
    return render(request, "tables/calculator.html", {"page": page}, status=400 if error else 200)


@never_cache
@require_safe
def show_preparation(request: HttpRequest, slug: str) -> HttpResponse:
    """Show deal, first player and number of rounds for a number of players and options."""
    match, options, error = calculator.parse_round(request.GET, new_table.get_game_or_404(slug))
    preparation = match.game.help.preparation(match.options, match.seats)
    drawn = _draw_lots(preparation, match.seats, request.GET.get("draw", ""))
    page = PreparationPage(match, options, error, preparation, drawn)
    template = "tables/_preparation.html" if is_partial_request(request) else "tables/preparation.html"
    return render(request, template, {"page": page}, status=400 if error else 200)


def _draw_lots(preparation: Preparation, seats: int, what: str) -> tuple[Text, ...]:
    """Draw one player, or a lot for each seat, at random."""
    chance = SystemRandom()
    if what == "one" and preparation.lot:
        return name_seats([chance.randrange(seats)])
    if what == "seats" and preparation.draws:
        drawn = chance.sample(preparation.draws, len(preparation.draws))
        names = name_seats(range(len(drawn)))
        return tuple(_("{name}: {text}", name=name, text=text) for name, text in zip(names, drawn, strict=True))
    return ()
