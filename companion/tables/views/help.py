"""Views of the help at a table, and of the preparation of a game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import SystemRandom
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from companion.core.completion import Ambiguity, NoLegalPlay, complete_play
from companion.core.explanations import Preparation, PreparationStep
from companion.core.game import Game, Violation
from companion.core.legal_moves import LegalPlayGroup, group_legal_plays
from companion.core.match import Match, Round
from companion.core.schema import Malformed, parse_small_number
from companion.core.text import SeatName, Text, _
from companion.tables.auth import get_access_or_404
from companion.tables.forms import calculator, new_table
from companion.tables.forms.calculator import Calculation
from companion.tables.forms.new_table import NewTableForm
from companion.tables.models import Table
from companion.tables.presenters import table_page
from companion.tables.presenters.base_page import BasePage, OptionsForm
from companion.tables.views.htmx import MAX_BUTTONS, is_partial_request


@dataclass(frozen=True)
class HelpPage(BasePage):
    """What can be played in a round, and the rules that matter now."""

    played: Round
    mode: str
    selection: Mapping[str, str]
    """Fields of a play picked on the board."""

    @property
    def is_counting(self) -> bool:
        return self.mode == Table.Mode.PAD or self.played.is_over

    @property
    def round_url(self) -> str:
        return f"{self.table_url}?{urlencode({'way': self.mode, 'round': self.played.number})}"

    @cached_property
    def steps(self) -> Sequence[PreparationStep]:
        """How to set up the first round."""
        is_new = self.played.number == 1 and not self.played.plays and not self.played.counts
        return self.game.help.preparation(self.played.options, self.played.seats).steps if is_new else ()

    @cached_property
    def legal_plays(self) -> Sequence[LegalPlayGroup]:
        """The legal plays that fit the selection, or all if none does."""
        if self.is_counting:
            return ()
        state = self.played.state
        return group_legal_plays(self.game, state, self.selection) or group_legal_plays(self.game, state)

    @cached_property
    def violations(self) -> Sequence[Violation]:
        return () if self.is_counting else _list_violations(self.played, self.selection)

    @property
    def relevant_rules(self) -> Sequence[str]:
        if self.is_counting:
            return self.game.help.counting_rules
        broken = (str(violation.rule) for violation in self.violations)
        return tuple(dict.fromkeys((*broken, *self.game.help.relevant_rules(self.played.state))))


@dataclass(frozen=True)
class PreparationPage:
    """How to set up a game for a number of players, with options."""

    form: Calculation
    preparation: Preparation
    drawn: Sequence[Text]
    """What has been drawn by lot."""

    names = ()

    @property
    def game(self) -> Game:
        return self.form.match.game

    @property
    def match(self) -> Match:
        return self.form.match

    @property
    def has_many_seats(self) -> bool:
        return len(self.game.about.seats) > MAX_BUTTONS

    @cached_property
    def options(self) -> OptionsForm:
        return OptionsForm(NewTableForm(self.game, (), options=self.form.options))

    @property
    def steps(self) -> Sequence[PreparationStep]:
        return self.preparation.steps


@never_cache
@require_safe
def show_help(request: HttpRequest, public_id: str) -> HttpResponse:
    """Show the legal plays and their rules; for a selection on the board, its violations."""
    access = get_access_or_404(request, public_id)
    selection = {
        name: str(word)
        for name, word in request.GET.items()
        if name not in ("round", "way") and word and "." not in name
    }
    page = HelpPage(
        access,
        table_page.get_round(access.match, parse_small_number(request.GET.get("round", "")) or 0),
        table_page.get_mode(access, request.GET.get("way", "")),
        selection,
    )
    template = "tables/_help.html" if is_partial_request(request) else "tables/help.html"
    return render(request, template, {"page": page})


def _list_violations(played: Round, selection: Mapping[str, str]) -> tuple[Violation, ...]:
    """Return the violations of the selected play, if the selection makes up one."""
    if set(selection) <= {"seat", "kind"}:
        return ()
    try:
        what = complete_play(played.game, played.state, selection)
    except Malformed:
        return ()
    if isinstance(what, NoLegalPlay):
        return what.violations
    if isinstance(what, Ambiguity) or played.game.referee is None:
        return ()
    return tuple(played.game.referee.judge(played.state, what))


@never_cache
@require_safe
def show_preparation(request: HttpRequest, slug: str) -> HttpResponse:
    """Show deal, first player and number of rounds for a number of players and options."""
    form = calculator.parse_calculation(request.GET, new_table.get_game_or_404(slug))
    preparation = form.match.game.help.preparation(form.match.options, form.match.seats)
    page = PreparationPage(form, preparation, _draw_lots(preparation, form.match.seats, request.GET.get("draw", "")))
    template = "tables/_preparation.html" if is_partial_request(request) else "tables/preparation.html"
    return render(request, template, {"page": page}, status=400 if form.error else 200)


def _draw_lots(preparation: Preparation, seats: int, what: str) -> tuple[Text, ...]:
    """Draw one player, or a lot for each seat, at random."""
    chance = SystemRandom()
    if what == "one" and preparation.lot:
        return (_("{name}", name=SeatName(chance.randrange(seats))),)
    if what == "seats" and preparation.draws:
        drawn = chance.sample(range(len(preparation.draws)), len(preparation.draws))
        return tuple(
            _("{name}: {text}", name=_("{name}", name=SeatName(seat)), text=preparation.draws[place])
            for seat, place in enumerate(drawn)
        )
    return ()
