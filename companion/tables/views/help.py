"""View of the help at a table: what can be played, and the rules that matter now."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from companion.core.completion import Ambiguity, NoLegalPlay, complete_play
from companion.core.explanations import PreparationStep
from companion.core.game import Violation
from companion.core.legal_moves import LegalPlayGroup, group_legal_plays
from companion.core.match import Round
from companion.core.schema import Malformed, parse_small_number
from companion.tables.auth import get_access_or_404
from companion.tables.models import Table
from companion.tables.presenters import table_page
from companion.tables.presenters.board_page import BoardPage
from companion.tables.views.htmx import is_partial_request


@dataclass(frozen=True)
class HelpPage(BoardPage):
    """What can be played in a round, and the rules that matter now."""

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
        if not self.is_new or self.played.number > 1:
            return ()
        return self.game.help.preparation(self.played.options, self.played.seats).steps

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
