"""Form that matches the players and games of a file to those of the circle."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice

from companion.core.errors import Malformed
from companion.core.sanitize import fold_text
from companion.core.text import Text, _
from companion.exchange.import_data import ImportFile
from companion.exchange.name_matching import (
    Choices,
    Confidence,
    FileMatch,
    GameChoice,
    GameMatch,
    PlayerMatch,
    list_named_games,
)
from companion.games import get_games, get_generic_game
from companion.people.models import Circle, Player

MAX_FIELDS = 200
"""Players or games shown on the page; the others keep their matches."""
MAX_OPTIONS = 60
"""Players or named games offered per field."""
NEW = "new"
_SIGNS = {Confidence.KNOWN: "✓", Confidence.SUGGESTED: "?", Confidence.NEW: "+"}
_LABELS = {Confidence.KNOWN: _("known"), Confidence.SUGGESTED: _("suggested"), Confidence.NEW: _("new")}


@dataclass(frozen=True)
class MatchOption:
    value: str
    label: Text
    is_selected: bool


@dataclass(frozen=True)
class MatchField:
    """A select field for one player or game; `name` is its name in the file."""

    field: str
    name: str
    confidence: Confidence
    options: tuple[MatchOption, ...]

    @property
    def sign(self) -> str:
        return _SIGNS[self.confidence]

    @property
    def label(self) -> Text:
        return _LABELS[self.confidence]


class MatchForm:
    """The choices for a file, posted or not. Fields are named by the index of their player or game in the file."""

    def __init__(self, circle: Circle, file: ImportFile, file_match: FileMatch, data: Mapping[str, str]) -> None:
        self._file_match, self._data = file_match, data
        self._players = {f"p{player.pk}": player for player in Player.objects.of(circle)}
        self._named_games = list_named_games(circle)
        self._player_fields = {player.id: f"person.{index}" for index, player in enumerate(file.players)}
        game_names = dict.fromkeys(fold_text(table.game_name) for table in file.tables)
        self._game_fields = {name: f"game.{index}" for index, name in enumerate(game_names)}

    def parse_choices(self) -> Choices:
        """Return the posted choices; fields that were not shown keep their matches. Raises Malformed."""
        matches = self._file_match
        return Choices(
            {match.imported.id: self._parse_player(match) for match in matches.players},
            {fold_text(match.name): self._parse_game(match) for match in matches.games},
        )

    def _parse_player(self, match: PlayerMatch) -> Player | None:
        value = self._data.get(self._player_fields[match.imported.id])
        if value is None:
            return match.player
        if value != NEW and value not in self._players:
            raise Malformed(_("There is no such player here."), match.imported.id)
        return self._players.get(value)

    def _parse_game(self, match: GameMatch) -> GameChoice:
        value = self._data.get(self._game_fields[fold_text(match.name)])
        if value is None:
            return match.choice
        for choice in (GameChoice(name=match.name), *self._list_games(match)):
            if value == _format_game(choice, match):
                return choice
        raise Malformed(_("That game isn’t known here."), "game")

    def build_player_fields(self) -> tuple[MatchField, ...]:
        return tuple(map(self._build_player_field, self._file_match.players[:MAX_FIELDS]))

    def build_game_fields(self) -> tuple[MatchField, ...]:
        return tuple(map(self._build_game_field, self._file_match.games[:MAX_FIELDS]))

    def _build_player_field(self, match: PlayerMatch) -> MatchField:
        value = f"p{match.player.pk}" if match.player else NEW
        offered = dict(islice(self._players.items(), MAX_OPTIONS))
        if match.player:
            offered = offered if value in offered else {value: match.player, **offered}
        labels = {NEW: _("new player: {name}", name=match.imported.name)}
        labels |= {key: Text("{name}", (("name", player.name),)) for key, player in offered.items()}
        field = self._player_fields[match.imported.id]
        return MatchField(field, match.imported.name, match.confidence, self._build_options(field, labels, value))

    def _build_game_field(self, match: GameMatch) -> MatchField:
        labels = {NEW: _format_named_game(match.name)}
        for choice in self._list_games(match, MAX_OPTIONS):
            label = get_games()[choice.slug].title if choice.slug else _format_named_game(choice.name)
            labels[_format_game(choice, match)] = label
        field = self._game_fields[fold_text(match.name)]
        options = self._build_options(field, labels, _format_game(match.choice, match))
        return MatchField(field, match.name, match.confidence, options)

    def _list_games(self, match: GameMatch, limit: int | None = None) -> Iterable[GameChoice]:
        """Yield the games that the name can stand for: those that are implemented, then those that have only a name."""
        yield from (GameChoice(game.slug) for game in get_games().values() if not game.is_generic)
        names = dict.fromkeys([match.choice.name, *self._named_games[:limit]])
        yield from (GameChoice(name=name) for name in names if name not in ("", match.name))

    def _build_options(self, field: str, labels: Mapping[str, Text], value: str) -> tuple[MatchOption, ...]:
        """Build the options; the posted one stays selected if it is still offered."""
        posted = self._data.get(field, value)
        selected = posted if posted in labels else value
        return tuple(MatchOption(key, label, key == selected) for key, label in labels.items())


def _format_game(choice: GameChoice, match: GameMatch) -> str:
    """Return the value that stands for a game in a form."""
    if choice == GameChoice(name=match.name):
        return NEW
    return f"slug:{choice.slug}" if choice.slug else f"called:{choice.name}"


def _format_named_game(name: str) -> Text:
    return _("{name} ({title})", name=name, title=get_generic_game().title)
