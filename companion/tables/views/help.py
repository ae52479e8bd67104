"""Views of the help at a table, and of the preparation of a game."""

from __future__ import annotations

from collections.abc import Mapping
from random import SystemRandom
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from companion.core.completion import Ambiguity, NoLegalPlay, complete_play
from companion.core.explanations import Preparation
from companion.core.game import Violation
from companion.core.legal_moves import group_legal_plays
from companion.core.match import Round
from companion.core.schema import Malformed, parse_small_number
from companion.core.text import SeatName, Text, _
from companion.tables.auth import TableAccess, get_access_or_404
from companion.tables.forms import calculator, new_table
from companion.tables.forms.new_table import NewTableForm
from companion.tables.models import Table
from companion.tables.presenters import table_page
from companion.tables.views.htmx import is_partial_request


@never_cache
@require_safe
def show_help(request: HttpRequest, public_id: str) -> HttpResponse:
    """Show the legal plays and their rules; for a selection on the board, its violations."""
    access = get_access_or_404(request, public_id)
    played = table_page.get_round(access.match, parse_small_number(request.GET.get("round", "")) or 0)
    mode = table_page.get_mode(access, request.GET.get("way", ""))
    selection = {
        name: str(word)
        for name, word in request.GET.items()
        if name not in ("round", "way") and word and "." not in name
    }
    context = {
        **table_page.build_common_context(access),
        "mode": mode,
        "round_number": played.number,
        **_build_help_context(access, played, mode, selection),
    }
    template = "tables/_help.html" if is_partial_request(request) else "tables/help.html"
    return render(request, template, context)


def _build_help_context(access: TableAccess, played: Round, mode: str, selection: Mapping[str, str]) -> dict[str, Any]:
    game = access.game
    is_new = not played.plays and not played.counts
    steps = game.help.preparation(played.options, played.seats).steps if is_new and played.number == 1 else ()
    if mode == Table.Mode.PAD or played.is_over:
        return {"relevant_rules": game.help.counting_rules, "steps": steps}
    violations = _list_violations(played, selection)
    rules = dict.fromkeys((*(str(violation.rule) for violation in violations), *game.help.relevant_rules(played.state)))
    legal_plays = group_legal_plays(game, played.state, selection) or group_legal_plays(game, played.state)
    return {"relevant_rules": tuple(rules), "steps": steps, "legal_plays": legal_plays, "violations": violations}


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
    game, match = form.match.game, form.match
    preparation = game.help.preparation(match.options, match.seats)
    context = {
        "game": game,
        "match": match,
        "names": (),
        **new_table.build_options_context(NewTableForm(game, (), options=form.options)),
        "steps": preparation.steps,
        "preparation": preparation,
        "drawn": _draw_lots(preparation, match.seats, request.GET.get("draw", "")),
        "error": form.error,
        "url": reverse("prepare", args=[slug]),
    }
    template = "tables/_preparation.html" if is_partial_request(request) else "tables/preparation.html"
    return render(request, template, context, status=400 if form.error else 200)


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
