"""Form fields of the page that matches players and games."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from companion.core.text import Text, _
from companion.exchange.name_matching import Confidence, GameChoice, GameMatch, PlayerMatch
from companion.games import get_games, get_generic_game
from companion.people.models import Player

MAX_OPTIONS = 60
"""Players or games offered per field."""
_SIGNS = {Confidence.KNOWN: "✓", Confidence.SUGGESTED: "?", Confidence.NEW: "+"}
_LABELS = {Confidence.KNOWN: _("known"), Confidence.SUGGESTED: _("suggested"), Confidence.NEW: _("new")}


@dataclass(frozen=True)
class SelectOption:
    value: str
    label: Text


@dataclass(frozen=True)
class MatchField:
    """A select field for one player or game; `name` is its name in the file."""

    field: str
    name: str
    confidence: Confidence
    options: tuple[SelectOption, ...]
    value: str

    @property
    def sign(self) -> str:
        return _SIGNS[self.confidence]

    @property
    def label(self) -> Text:
        return _LABELS[self.confidence]


def build_player_field(
    match: PlayerMatch, index: int, players: Sequence[Player], data: Mapping[str, str]
) -> MatchField:
    matched = [match.player] if match.player and match.player not in players else []
    options = (
        SelectOption("new", _("new player: {name}", name=match.imported.name)),
        *(SelectOption(f"p{player.pk}", _wrap_name(player.name)) for player in (*matched, *players)),
    )
    value = f"p{match.player.pk}" if match.player else "new"
    return _build_field(f"person.{index}", match.imported.name, match.confidence, options, value, data)


def build_game_field(match: GameMatch, index: int, game_names: Iterable[str], data: Mapping[str, str]) -> MatchField:
    choice = match.choice
    names = dict.fromkeys([*([choice.name] if choice.name else []), *game_names])
    options = (
        SelectOption("new", _format_own_game(match.name)),
        *(
            SelectOption(_format_value(GameChoice(game.slug)), game.title)
            for game in get_games().values()
            if not game.is_generic
        ),
        *(
            SelectOption(_format_value(GameChoice(name=name)), _format_own_game(name))
            for name in names
            if name != match.name
        ),
    )
    value = "new" if choice == GameChoice(name=match.name) else _format_value(choice)
    return _build_field(f"game.{index}", match.name, match.confidence, options, value, data)


def _build_field(
    field: str,
    name: str,
    confidence: Confidence,
    options: tuple[SelectOption, ...],
    value: str,
    data: Mapping[str, str],
) -> MatchField:
    """Build a field that keeps the submitted value if it is still an option."""
    submitted = data.get(field, value)
    is_option = any(option.value == submitted for option in options)
    return MatchField(field, name, confidence, options, submitted if is_option else value)


def _format_value(choice: GameChoice) -> str:
    return f"slug:{choice.slug}" if choice.slug else f"called:{choice.name}"


def _wrap_name(name: str) -> Text:
    return Text("{name}", (("name", name),))


def _format_own_game(name: str) -> Text:
    return _("{name} ({title})", name=name, title=get_generic_game().title)
