"""Form for a new table: players, seating order, options and mode."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from random import SystemRandom
from typing import Any, Self

from django.http import Http404, QueryDict

from companion import limits
from companion.core import refusals
from companion.core.game import Game
from companion.core.notation import build_options
from companion.core.schema import (
    Malformed,
    display_word,
    encode,
    encode_field,
    get_field_metadata,
    is_sequence,
)
from companion.core.text import Text, _
from companion.games import get_games
from companion.people.models import Circle, Player
from companion.people.services import get_or_create_player
from companion.people.validators import clean_name
from companion.tables.auth import TableAccess
from companion.tables.forms.pad import Box, build_box
from companion.tables.models import Table
from companion.tables.services import tables

MAX_OPTION_LENGTH = 1_000
"""Characters; the longest are texts, such as a list of categories."""
MAX_LISTED_PLAYERS = 60
"""How many names are listed; others can be typed."""


NOBODY_SEATED = _("Who’s playing? Tap names, or type new ones.")


@dataclass(frozen=True)
class PlayerChoice:
    """A player of the circle (`value` p17) or a new name (`value` n:Bo)."""

    value: str
    name: str
    colour: int | None = None
    sign: str = ""


@dataclass(frozen=True)
class NewTableForm:
    """A parsed form: the names to choose from, and the seated players, clockwise."""

    game: Game
    players: tuple[PlayerChoice, ...]
    seated: tuple[PlayerChoice, ...] = ()
    options: Mapping[str, str] = field(default_factory=dict)
    mode: str = Table.Mode.PAD
    new_name: str = ""
    """A name that has been typed, but not added."""

    def move_player(self, index: int, by: int) -> Self:
        """Return the form with a seated player moved up or down."""
        seated = list(self.seated)
        if 0 <= index < len(seated) and 0 <= index + by < len(seated):
            seated[index], seated[index + by] = seated[index + by], seated[index]
        return replace(self, seated=tuple(seated))

    def shuffle_seats(self) -> Self:
        """Return the form with the seats drawn at random."""
        return replace(self, seated=tuple(SystemRandom().sample(self.seated, len(self.seated))))

    def add_player(self, name: str) -> Self:
        """Return the form with a player seated, and listed if the name is new. Raises Malformed."""
        player = _find_player(name, self.players)
        players = self.players if player in self.players else (*self.players, player)
        seated = self.seated if player in self.seated else (*self.seated, player)
        return replace(self, players=players, seated=seated, new_name="")

    @property
    def dealer_hint(self) -> Text | None:
        """How the first dealer is chosen, in games with a dealer."""
        return get_field_metadata(self.game.options.cls, "dealer").get("hint")


def build_initial_form(game: Game, circle: Circle | None, last: Table | None) -> NewTableForm:
    """Return a form with the circle's players and the options of its last table of this game.

    The options of the generic game are not carried over: last time it may have stood for a different game.
    """
    last_options = last.options if last and not game.is_generic else {}
    options = {name: word for name, word in last_options.items() if name != "dealer"}
    return NewTableForm(game, _list_player_choices(circle), options=options, mode=last.mode if last else Table.Mode.PAD)


def build_rematch_form(access: TableAccess) -> NewTableForm:
    """Return a form with the players of a table, its options and the next dealer. Raises Malformed if one is gone."""
    players = [seat.player for seat in access.table.seats.select_related("player") if seat.player]
    if len(players) != len(access.names):
        raise Malformed(NOBODY_SEATED, "seat")
    seated = tuple(map(_build_choice, players))
    options = tables.build_rematch_options(access.table, access.cached_log)
    return NewTableForm(access.game, seated, seated, options, access.table.mode)


def parse_form(data: QueryDict, game: Game, circle: Circle | None) -> NewTableForm:
    """Parse the posted form: ticked players sit in the posted order, others after them. Raises Malformed."""
    known = {player.value: player for player in _list_player_choices(circle)}
    ticked = {value: _parse_player(value, known) for value in data.getlist("seat")[:MAX_LISTED_PLAYERS]}
    added = {value: _parse_player(value, known) for value in data.getlist("person")[:MAX_LISTED_PLAYERS]}
    order = [value for value in data.getlist("order")[:MAX_LISTED_PLAYERS] if value in ticked]
    seated = tuple(dict.fromkeys(ticked[value] for value in [*order, *ticked]))
    players = tuple(dict.fromkeys([*known.values(), *added.values(), *seated]))
    mode = data.get("way", "")
    return NewTableForm(
        game,
        players,
        seated,
        parse_options(data, game),
        mode if mode in Table.Mode.values else Table.Mode.PAD,
        data.get("new", "")[: 4 * limits.MAX_NAME_LENGTH],
    )


def _list_player_choices(circle: Circle | None) -> tuple[PlayerChoice, ...]:
    return tuple(map(_build_choice, Player.objects.of(circle).present()[:MAX_LISTED_PLAYERS]))


def _build_choice(player: Player) -> PlayerChoice:
    return PlayerChoice(f"p{player.pk}", player.name, player.colour, player.sign)


def _parse_player(value: str, known: Mapping[str, PlayerChoice]) -> PlayerChoice:
    if value in known:
        return known[value]
    if not value.startswith("n:"):
        raise _unknown_player(value)
    return _find_player(value[2:], known.values())


def _find_player(name: str, players: Iterable[PlayerChoice]) -> PlayerChoice:
    """Return the player of that name, or a new one. Raises Malformed."""
    name = clean_name(name)
    return next((player for player in players if player.name == name), PlayerChoice(f"n:{name}", name))


def build_option_fields(game: Game, words: Mapping[str, str], seats: int = 0) -> dict[str, Box]:
    """Return a field for each option that has a label, by name; `words` are the options chosen so far."""
    option_fields = _build_fields(game.options.cls, words, "option.")
    rounds = next((part for part in fields(game.options.cls) if part.name == "rounds"), None)
    if rounds is not None and rounds.default is None:
        option_fields["rounds"] = replace(option_fields["rounds"], default=_get_default_rounds(game, words, seats))
    return option_fields


def _get_default_rounds(game: Game, words: Mapping[str, str], seats: int) -> int | None:
    """Return how many rounds this many players play by default with these options."""
    options = {name: word for name, word in words.items() if name != "rounds"}
    try:
        return game.scoring.round_count(build_options(game, seats, options), seats)
    except Malformed:
        return None


def build_setting_fields(setting: Any) -> dict[str, Box]:
    """Return the form fields of a setting by name, with its current values."""
    return _build_fields(type(setting), encode(setting), "")


def _build_fields(cls: Any, words: Mapping[str, str], prefix: str) -> dict[str, Box]:
    boxes = {}
    for part in fields(cls):
        if "label" in part.metadata and part.name != "dealer":
            value = words.get(part.name, "" if part.default is None else encode_field(cls, part.name, part.default))
            box = build_box(cls, part.name, seats=0)
            boxes[part.name] = replace(box, id=f"option-{part.name}", name=f"{prefix}{part.name}", value=value)
    return boxes


def get_option_labels(game: Game) -> Mapping[str, Text]:
    """Return the label of each option by name."""
    return {part.name: part.metadata["label"] for part in fields(game.options.cls) if "label" in part.metadata}


def format_option_error(game: Game, error: Malformed) -> Text:
    """Return the text of an error, with the label of its option."""
    label = get_option_labels(game).get(error.field)
    return _("{name}: {text}", name=label, text=error.text) if label else error.text


def get_or_create_players(form: NewTableForm, circle: Circle) -> Sequence[Player]:
    """Return the seated players; new names become players of the circle.

    Raises Malformed for a player erased or merged since the form was rendered.
    """
    players_by_value = {f"p{player.pk}": player for player in Player.objects.of(circle)}
    return [players_by_value.get(choice.value) or _create_player(choice, circle) for choice in form.seated]


def _create_player(choice: PlayerChoice, circle: Circle) -> Player:
    if not choice.value.startswith("n:"):
        raise _unknown_player(choice.name)
    return get_or_create_player(circle, choice.name)


def _unknown_player(name: str) -> Malformed:
    return Malformed(_("There is no player “{name}” here.", name=display_word(name)), "seat")


def parse_options(data: QueryDict, game: Game) -> dict[str, str]:
    """Return the posted options as words of the notation; an unticked checkbox is `no`. Raises Malformed."""
    flags = [part.name for part in fields(game.options.cls) if isinstance(part.default, bool)]
    options = dict.fromkeys(flags, "no") if "way" in data else {}
    posted = {name.removeprefix("option."): words for name, words in data.lists() if name.startswith("option.")}
    for name, words in posted.items():
        if is_sequence(game.options.cls, name):  # posted in one field or in several
            words = [",".join(part.strip() for word in words for part in word.split(",") if part.strip())]
        if len(words) > 1:
            raise Malformed(refusals.REPEATED_FIELD.with_values(name=display_word(name)), name)
        if words[0].strip():
            options[name] = words[0].strip()[:MAX_OPTION_LENGTH]
    return options


def get_game_or_404(slug: str) -> Game:
    """Return the game of an address. Raises Http404."""
    if slug not in get_games():
        raise Http404
    return get_games()[slug]
