"""Form that matches the players and games of a file to those of the circle."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import ClassVar, Generic

from companion.core.errors import Malformed
from companion.core.sanitize import fold_text
from companion.core.text import Text, _
from companion.exchange.import_data import format_location
from companion.exchange.name_matching import Choice, FileMatch, GameChoice, Match, list_named_games
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
class MatchField(Generic[Choice]):
    """A select field for a player or game of the file, with the posted value, if any."""

    name: str
    match: Match[Choice]
    value: str | None
    here: Mapping[str, Choice]
    """The players or named games of the circle, by posted value."""
    refusal: ClassVar[Text]

    @property
    def options(self) -> list[tuple[str, Text, bool]]:
        """Value and label of each option, and whether it is selected: the posted one, if it is still offered."""
        choices = self.list_choices(MAX_OPTIONS)
        matched = next(value for value, choice in choices.items() if choice == self.match.choice)
        selected = self.value if self.value in choices else matched
        return [(value, self.format_label(choice), value == selected) for value, choice in choices.items()]

    def parse(self) -> Choice:
        """Return the posted choice; the match if the field was not shown. Raises Malformed."""
        if self.value is None:
            return self.match.choice
        choices = self.list_choices()
        if self.value not in choices:
            raise Malformed(self.refusal, self.match.id)
        return choices[self.value]

    def list_choices(self, limit: int | None = None) -> Mapping[str, Choice]:
        """Return what the name can stand for, by posted value, with up to `limit` choices from the circle."""
        raise NotImplementedError

    def format_label(self, choice: Choice) -> Text:
        raise NotImplementedError


class PlayerField(MatchField[Player | None]):
    """Somebody new, or a player of the circle."""

    refusal = _("There is no such player here.")

    def list_choices(self, limit: int | None = None) -> Mapping[str, Player | None]:
        players, player = dict(islice(self.here.items(), limit)), self.match.choice
        matched = {f"p{player.pk}": player} if player and player not in players.values() else {}
        return {NEW: None, **matched, **players}

    def format_label(self, choice: Player | None) -> Text:
        return Text("{name}", (("name", choice.name),)) if choice else _("new player: {name}", name=self.match.name)


class GameField(MatchField[GameChoice]):
    """The game by its own name, an implemented one, or one of those that have only a name."""

    refusal = _("That game isn’t known here.")

    def list_choices(self, limit: int | None = None) -> Mapping[str, GameChoice]:
        installed = (GameChoice(game.slug) for game in get_games().values() if not game.is_generic)
        named = [self.match.choice, *islice(self.here.values(), limit)]
        return {
            NEW: GameChoice(name=self.match.name),
            **{f"slug:{choice.slug}": choice for choice in installed},
            **{f"called:{choice.name}": choice for choice in named if choice.name not in ("", self.match.name)},
        }

    def format_label(self, choice: GameChoice) -> Text:
        if choice.slug:
            return get_games()[choice.slug].title
        return _("{name} ({title})", name=choice.name, title=get_generic_game().title)


@dataclass(frozen=True)
class MatchForm:
    """An upload, with a field for each player and game of its new tables: who or what it is here.

    Fields are named by the index of their player or game in the file; `data` are their posted values.
    """

    upload: Upload
    file_match: FileMatch
    data: Mapping[str, str]
    error: Text | None = None
    max_fields: ClassVar[int] = MAX_FIELDS

    @cached_property
    def players(self) -> list[PlayerField]:
        here = {f"p{player.pk}": player for player in Player.objects.of(self.upload.circle)}
        names = {player.id: f"person.{index}" for index, player in enumerate(self.file_match.file.players)}
        matches = [(names[match.id], match) for match in self.file_match.players]
        return [PlayerField(name, match, self.data.get(name), here) for name, match in matches]

    @cached_property
    def games(self) -> list[GameField]:
        here = {name: GameChoice(name=name) for name in list_named_games(self.upload.circle)}
        ids = dict.fromkeys(fold_text(table.game_name) for table in self.file_match.file.tables)
        names = {game_id: f"game.{index}" for index, game_id in enumerate(ids)}
        matches = [(names[match.id], match) for match in self.file_match.games]
        return [GameField(name, match, self.data.get(name), here) for name, match in matches]

    def parse_match(self) -> FileMatch:
        """Return the match with the posted choices; fields that were not shown keep their matches. Raises Malformed.

        An interrupted import keeps the players it started with, whatever an old page posts.
        """
        if self.upload.is_begun:
            return self.file_match
        players = [replace(field.match, choice=field.parse()) for field in self.players]
        games = [replace(field.match, choice=field.parse()) for field in self.games]
        return replace(self.file_match, players=players, games=games)

    @property
    def unlisted_count(self) -> int:
        return max(len(self.players) - MAX_FIELDS, 0)

    @property
    def skipped(self) -> list[tuple[Text, Text]]:
        """Where in the file the first tables are that cannot be represented here, and why."""
        return [(format_location(where), reason) for where, reason in self.file_match.file.skipped[:MAX_REASONS]]

    @property
    def has_more_skipped(self) -> bool:
        return len(self.file_match.file.skipped) > MAX_REASONS
