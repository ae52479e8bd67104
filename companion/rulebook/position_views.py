"""Position checker ("Can I?"): questions about a position, which is stored in the URL."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.template.loader import select_template
from django.urls import reverse
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from companion.core.explanations import Position
from companion.core.game import Game
from companion.core.legal_moves import LegalPlayGroup, Ruling, group_legal_plays, judge_proposals
from companion.core.protocols import Board, Question
from companion.core.schema import Malformed, decode, field_names, is_sequence
from companion.core.text import Text
from companion.games import get_games
from companion.rulebook.back_link import find_back_link, remember_back_link
from companion.rulebook.loader import has_rulebook

COLLAPSE_FROM = 6
"""Number of answers from which the negative ones are collapsed."""


@dataclass(frozen=True)
class PositionPage:
    """A question about a position, and its answers."""

    game: Game
    kind: str
    """The kind of question."""
    words: Mapping[str, str]
    """The question as it is in the URL."""
    into: str
    """The field that the next tap changes."""
    link: str
    back: str
    """URLs: of this answer, and of the page that the reader came from."""
    question: Question
    position: Position
    error: Text | None
    """Why what was asked is no possible position."""

    @cached_property
    def answers(self) -> Sequence[Ruling]:
        return tuple(judge_proposals(self.game, self.position))

    @property
    def kinds(self) -> Sequence[tuple[str, Text]]:
        """The kinds to choose from, with their titles."""
        kinds = self.game.help.questions.items()
        return [(kind, cls.title) for kind, cls in kinds] if len(kinds) > 1 else []

    @property
    def is_long(self) -> bool:
        return len(self.answers) >= COLLAPSE_FROM

    @property
    def shown_answers(self) -> Sequence[Ruling]:
        return [answer for answer in self.answers if answer.explanation or not self.is_long]

    @property
    def collapsed_answers(self) -> Sequence[Ruling]:
        return [answer for answer in self.answers if not answer.explanation]

    @cached_property
    def board(self) -> Board | None:
        return self.game.referee.board(self.position.state) if self.game.referee else None

    @cached_property
    def legal_plays(self) -> Sequence[LegalPlayGroup]:
        return group_legal_plays(self.game, self.position.state) if self.answers else ()

    @cached_property
    def template(self) -> Any:
        return select_template([f"games/{self.game.slug}/position.html", "rulebook/plain_position.html"])

    @property
    def fields(self) -> Sequence[tuple[str, str]]:
        """The fields of the question with their values, for games without a template for positions."""
        return [(name, self.words.get(name, "")) for name in field_names(self.game.help.questions[self.kind])]


@require_safe
@vary_on_headers("Referer", "Cookie")
def position_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the position in the URL. A tap redirects to the URL of the changed position."""
    game = get_games().get(slug)
    if game is None or not game.help.questions:
        raise Http404
    kind = request.GET.get("ask", "")
    kind = kind if kind in game.help.questions else next(iter(game.help.questions))
    cls = game.help.questions[kind]
    words: Mapping[str, str] = _parse_query(request.GET, cls)
    error: Text | None = None
    if "tapped" in request.GET or "drop" in request.GET:
        changed = _apply_tap(words, request.GET, cls)
        error = _find_error(game, cls, changed)
        if error is None:
            return redirect(f"{request.path}?{_build_query(kind, changed, request.GET)}")
    if reason := _find_error(game, cls, words):  # a possible position replaces it
        error, words = reason, _drop_impossible_field(game, cls, words)
    question = decode(cls, words)
    back = find_back_link(request)
    page = PositionPage(
        game,
        kind,
        words,
        into=request.GET.get("into", ""),
        link=request.build_absolute_uri(f"{request.path}?{_build_query(kind, words, QueryDict())}"),
        back=back or (reverse("rules", args=[slug]) if has_rulebook(game) else reverse("home")),
        question=question,
        position=game.help.position(question),
        error=error,
    )
    response = render(request, "rulebook/position.html", {"page": page}, status=422 if error else 200)
    return remember_back_link(request, back, response)


def _find_error(game: Game, cls: Any, words: Mapping[str, str]) -> Text | None:
    """Return why there is no such position."""
    try:
        game.help.position(decode(cls, words))
    except Malformed as malformed:
        return malformed.text
    return None


def _drop_impossible_field(game: Game, cls: Any, words: Mapping[str, str]) -> Mapping[str, str]:
    """Return the fields without the last one whose removal makes the position possible; none if there is no such."""
    for name in reversed(field_names(cls)):
        others = {other: word for other, word in words.items() if other != name}
        if _find_error(game, cls, others) is None:
            return others
    return {}


def _parse_query(data: QueryDict, cls: Any) -> dict[str, str]:
    values = {name: [word.strip() for word in data.getlist(name) if word.strip()] for name in field_names(cls)}
    return {name: ",".join(words) if is_sequence(cls, name) else words[-1] for name, words in values.items() if words}


def _apply_tap(words: Mapping[str, str], data: QueryDict, cls: Any) -> dict[str, str]:
    """Return the fields after a tap, which sets a field, or adds or removes an item of a sequence."""
    changed, into, tapped = dict(words), str(data.get("into", "")), str(data.get("tapped", ""))
    name = str(data.get("drop", ""))
    if name in changed:
        changed[name] = changed[name].rpartition(",")[0] if is_sequence(cls, name) else ""
    elif tapped and into in field_names(cls):
        parts = changed.get(into, "").split(",") if is_sequence(cls, into) else []
        others = [part for part in parts if part and part != tapped]
        changed[into] = ",".join([*others, *([] if tapped in parts else [tapped])])
    return {name: word for name, word in changed.items() if word}


def _build_query(kind: str, words: Mapping[str, str], data: QueryDict) -> str:
    """Return the query string of a question; `into` is the field that the next tap changes."""
    into = {"into": data["into"]} if data.get("into") else {}
    return urlencode({"ask": kind, **words, **into}, safe=",")
