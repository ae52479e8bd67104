"""Form that matches the players and games of a file to those of the circle."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from companion.core.errors import Malformed
from companion.core.sanitize import fold_text
from companion.core.text import Text, _
from companion.exchange.import_data import ImportFile, format_location
from companion.exchange.name_matching import Choice, Choices, Confidence, FileMatch, GameChoice, Match, list_named_games
from companion.games import get_games, get_generic_game
from companion.history.models import Upload
from companion.people.models import Player

MAX_FIELDS = 200
"""Players or games shown on the page; the others keep their matches."""
MAX_OPTIONS = 60
"""Players or named games offered per field."""
MAX_REASONS = 20
NEW = "new"


@dataclass(frozen=True)
class MatchField:
    """A select field for one player or game; `name` is its name in the file."""

    field: str
    name: str
    confidence: Confidence
    options: list[tuple[str, Text, bool]]
    """Value and label of each option, and whether it is selected."""


@dataclass(frozen=True)
class MatchForm:
    """An upload, with a field for each player and game of its new tables: who or what it is here.

    Fields are named by the index of their player or game in the file; `data` are their posted values.
    """

    upload: Upload
    file: ImportFile
    file_match: FileMatch
    data: Mapping[str, str]
    error: Text | None = None

    @cached_property
    def _players(self) -> Mapping[str, Player]:
        return {f"p{player.pk}": player for player in Player.objects.of(self.upload.circle)}

    @cached_property
    def _named_games(self) -> list[str]:
        return list_named_games(self.upload.circle)

    @cached_property
    def _player_fields(self) -> Mapping[str, str]:
        return {player.id: f"person.{index}" for index, player in enumerate(self.file.players)}

    @cached_property
    def _game_fields(self) -> Mapping[str, str]:
        names = dict.fromkeys(fold_text(table.game_name) for table in self.file.tables)
        return {name: f"game.{index}" for index, name in enumerate(names)}

    def parse_choices(self) -> Choices:
        """Return the posted choices; fields that were not shown keep their matches. Raises Malformed.

        An interrupted import keeps the players it started with, whatever an old page posts.
        """
        if self.upload.is_begun:
            return self.file_match.default_choices
        unknown_player, unknown_game = _("There is no such player here."), _("That game isn’t known here.")
        players, games = self.file_match.players, self.file_match.games
        return Choices(
            {row.id: self._parse(row, self._player_fields, self._list_players, unknown_player) for row in players},
            {row.id: self._parse(row, self._game_fields, self._list_games, unknown_game) for row in games},
        )

    def _parse(
        self,
        match: Match[Choice],
        fields: Mapping[str, str],
        list_choices: Callable[[Match[Choice]], Mapping[str, Choice]],
        refusal: Text,
    ) -> Choice:
        value = self.data.get(fields[match.id])
        if value is None:
            return match.choice
        choices = list_choices(match)
        if value not in choices:
            raise Malformed(refusal, match.id)
        return choices[value]

    @property
    def players(self) -> list[MatchField]:
        return [
            self._build_field(
                self._player_fields[match.id], match, self._list_players(match, MAX_OPTIONS), _label_player
            )
            for match in self.file_match.players[:MAX_FIELDS]
        ]

    @property
    def games(self) -> list[MatchField]:
        return [
            self._build_field(self._game_fields[match.id], match, self._list_games(match, MAX_OPTIONS), _label_game)
            for match in self.file_match.games[:MAX_FIELDS]
        ]

    @property
    def unlisted_count(self) -> int:
        return max(len(self.file_match.players) - MAX_FIELDS, 0)

    @property
    def skipped(self) -> list[tuple[Text, Text]]:
        """Where in the file the first tables are that cannot be represented here, and why."""
        return [(format_location(where), reason) for where, reason in self.file.skipped[:MAX_REASONS]]

    @property
    def has_more_skipped(self) -> bool:
        return len(self.file.skipped) > MAX_REASONS

    def _list_players(self, match: Match[Player | None], limit: int | None = None) -> dict[str, Player | None]:
        """Return whom the name can stand for, by posted value: somebody new, or a player of the circle."""
        players = dict(islice(self._players.items(), limit))
        matched = {f"p{match.choice.pk}": match.choice} if match.choice and match.choice not in players.values() else {}
        return {NEW: None, **matched, **players}

    def _list_games(self, match: Match[GameChoice], limit: int | None = None) -> dict[str, GameChoice]:
        """Return what the name can stand for: itself, games that are implemented, then those that have only a name."""
        installed = (GameChoice(game.slug) for game in get_games().values() if not game.is_generic)
        names = dict.fromkeys([match.choice.name, *self._named_games[:limit]])
        return {
            NEW: GameChoice(name=match.name),
            **{f"slug:{choice.slug}": choice for choice in installed},
            **{f"called:{name}": GameChoice(name=name) for name in names if name not in ("", match.name)},
        }

    def _build_field(
        self,
        field: str,
        match: Match[Choice],
        choices: Mapping[str, Choice],
        format_label: Callable[[Match[Choice], Choice], Text],
    ) -> MatchField:
        """Build a field; the posted option stays selected if it is still offered."""
        matched = next(value for value, choice in choices.items() if choice == match.choice)
        posted = self.data.get(field, matched)
        selected = posted if posted in choices else matched
        options = [(value, format_label(match, choice), value == selected) for value, choice in choices.items()]
        return MatchField(field, match.name, match.confidence, options)


def _label_player(match: Match[Player | None], player: Player | None) -> Text:
    return Text("{name}", (("name", player.name),)) if player else _("new player: {name}", name=match.name)


def _label_game(_match: Match[GameChoice], choice: GameChoice) -> Text:
    if choice.slug:
        return get_games()[choice.slug].title
    return _("{name} ({title})", name=choice.name, title=get_generic_game().title)
