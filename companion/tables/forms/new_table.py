"""Setting a table: which players sit where, and which options they choose. What the form holds is all there is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from random import SystemRandom
from typing import Any

from django.http import Http404, QueryDict
from django.template.loader import select_template

from companion import limits
from companion.core.game import Game
from companion.core.notation import build_options
from companion.core.schema import (
    Choice,
    Malformed,
    display_word,
    encode_field,
    get_choices,
    get_input_type,
    is_sequence,
)
from companion.core.text import Text, _
from companion.games import get_games
from companion.people.models import Circle, Player
from companion.people.services import get_or_create_player
from companion.people.validators import clean_name
from companion.tables.models import Table

LONGEST_OPTION = 40
LONGEST_TEXTS = 1_000
"""Letters of an option that is text: the names of many categories."""
MOST_PLAYERS = 60
"""Names offered to tap; more are typed."""


@dataclass(frozen=True)
class PlayerChoice:
    """Somebody who may sit down: a player of the circle (`value` p17) or a name just typed (`value` n:Bo)."""

    value: str
    name: str
    colour: int | None = None
    sign: str = ""
    """How a player is told apart; nothing of a name just typed."""


@dataclass(frozen=True)
class OptionField:
    """An option as it is asked; `form` is as in `get_input_type`, or `cells`, a small grid to tap a pattern in.

    `field` is its name in the form.
    """

    name: str
    label: Text
    hint: Text | None
    form: str
    value: str
    choices: tuple[Choice, ...]
    usual: int | None = None
    """What stands for a number that is left blank, where that can be said."""
    field: str = ""

    @property
    def values(self) -> tuple[str, ...]:
        """The parts of a sequence."""
        return tuple(self.value.split(",")) if self.value else ()


@dataclass(frozen=True)
class NewTableForm:
    """The form of a new table: the names to choose from, and those who sit, clockwise."""

    game: Game
    people: tuple[PlayerChoice, ...]
    seated: tuple[PlayerChoice, ...] = ()
    options: Mapping[str, str] = field(default_factory=dict)
    way: str = Table.Mode.PAD
    typed: str = ""
    """A name that is being typed."""

    def moved(self, place: int, by: int) -> NewTableForm:
        """The same with somebody moved up or down among those who sit."""
        seated = list(self.seated)
        if 0 <= place < len(seated) and 0 <= place + by < len(seated):
            seated[place], seated[place + by] = seated[place + by], seated[place]
        return replace(self, seated=tuple(seated))

    def drawn(self) -> NewTableForm:
        """The same with the seats drawn by lot."""
        return replace(self, seated=tuple(SystemRandom().sample(self.seated, len(self.seated))))

    def with_person(self, name: str) -> NewTableForm:
        """The same with a name seated, and added where it is new. Raises Malformed."""
        name = clean_name(name)
        person = next((person for person in self.people if person.name == name), PlayerChoice(f"n:{name}", name))
        people = self.people if person in self.people else (*self.people, person)
        seated = self.seated if person in self.seated else (*self.seated, person)
        return replace(self, people=people, seated=seated, typed="")

    @property
    def dealer_hint(self) -> Text | None:
        """Who deals first, in games where somebody deals."""
        dealer = next(part for part in fields(self.game.options) if part.name == "dealer")
        return dealer.metadata.get("hint")


def build_initial_form(game: Game, circle: Circle | None, last: Table | None) -> NewTableForm:
    """A form with the circle's players; the options of the last table of this game are kept.

    What stands for all other games was another game then, and begins anew.
    """
    before = last.options if last and not game.is_generic else {}
    options = {name: word for name, word in before.items() if name != "dealer"}
    return NewTableForm(game, _list_player_choices(circle), options=options, way=last.mode if last else Table.Mode.PAD)


def parse_form(data: QueryDict, game: Game, circle: Circle | None) -> NewTableForm:
    """The form as it was posted: who is ticked sits, in the order of before, and new ones last. Raises Malformed."""
    offered = {person.value: person for person in _list_player_choices(circle)}
    ticked = {value: _parse_player(value, offered) for value in data.getlist("seat")[:MOST_PLAYERS]}
    typed = {value: _parse_player(value, offered) for value in data.getlist("person")[:MOST_PLAYERS]}
    order = [value for value in data.getlist("order")[:MOST_PLAYERS] if value in ticked]
    seated = tuple(dict.fromkeys(ticked[value] for value in [*order, *ticked]))
    people = tuple(dict.fromkeys([*offered.values(), *typed.values(), *seated]))
    way = data.get("way", "")
    return NewTableForm(
        game,
        people,
        seated,
        parse_options(data, game),
        way if way in Table.Mode.values else Table.Mode.PAD,
        data.get("new", "")[: 4 * limits.MAX_NAME_LENGTH],
    )


def _list_player_choices(circle: Circle | None) -> tuple[PlayerChoice, ...]:
    players = Player.objects.of(circle).present()[:MOST_PLAYERS]
    return tuple(PlayerChoice(f"p{player.pk}", player.name, player.colour, player.sign) for player in players)


def _parse_player(value: str, offered: Mapping[str, PlayerChoice]) -> PlayerChoice:
    if value in offered:
        return offered[value]
    if not value.startswith("n:"):
        raise _unknown_player(value)
    name = clean_name(value[2:])
    return next((person for person in offered.values() if person.name == name), PlayerChoice(f"n:{name}", name))


def build_option_fields(setup: NewTableForm) -> tuple[OptionField, ...]:
    """The options to ask: those that have a label."""
    asks_usual = {part.name for part in fields(setup.game.options) if part.default is None} & {"rounds"}
    boxes = _build_fields(setup.game.options, setup.options, "option.")
    return tuple(replace(box, usual=_get_default_rounds(setup)) if box.name in asks_usual else box for box in boxes)


def build_setting_fields(setting: Any) -> tuple[OptionField, ...]:
    """Return a setting as it is asked at the table, filled in as it is."""
    cls = type(setting)
    return _build_fields(
        cls, {part.name: encode_field(cls, part.name, getattr(setting, part.name)) for part in fields(setting)}, ""
    )


def _build_fields(cls: Any, words: Mapping[str, str], prefix: str) -> tuple[OptionField, ...]:
    found = []
    for part in fields(cls):
        if "label" not in part.metadata or part.name == "dealer":
            continue
        value = words.get(part.name, "" if part.default is None else encode_field(cls, part.name, part.default))
        form, choices = get_input_type(cls, part.name), get_choices(cls, part.name)
        label, hint = part.metadata["label"], part.metadata["hint"]
        found.append(OptionField(part.name, label, hint, form, value, choices, field=f"{prefix}{part.name}"))
    return tuple(found)


def _get_default_rounds(setup: NewTableForm) -> int | None:
    """How many rounds these players play with these options, if they agree on nothing else."""
    others = {name: word for name, word in setup.options.items() if name != "rounds"}
    try:
        return setup.game.round_count(build_options(setup.game, len(setup.seated), others), len(setup.seated))
    except Malformed:
        return None


def get_option_labels(game: Game) -> Mapping[str, Text]:
    """What each option is called."""
    return {part.name: part.metadata["label"] for part in fields(game.options) if "label" in part.metadata}


def format_option_error(game: Game, error: Malformed) -> Text:
    """What is wrong, and with which option."""
    label = get_option_labels(game).get(error.field)
    return _("{name}: {text}", name=label, text=error.text) if label else error.text


def encode_options(setup: NewTableForm) -> list[tuple[str, str]]:
    """The options as form fields."""
    return [(f"option.{name}", word) for name, word in setup.options.items()]


def get_or_create_players(setup: NewTableForm, circle: Circle) -> Sequence[Player]:
    """The players who sit, those just typed made players of the circle. Raises Malformed for one who was there when
    the form was read, and has been erased or merged since."""
    known = {f"p{player.pk}": player for player in Player.objects.of(circle)}
    return [known[own.value] if own.value in known else _create_player(own, circle) for own in setup.seated]


def _create_player(person: PlayerChoice, circle: Circle) -> Player:
    if not person.value.startswith("n:"):
        raise _unknown_player(person.name)
    return get_or_create_player(circle, person.name)


def _unknown_player(name: str) -> Malformed:
    return Malformed(_("There is no player “{name}” here.", name=display_word(name)), "seat")


def parse_options(data: QueryDict, game: Game) -> dict[str, str]:
    """The options that the form gives, in the words of the notation; a box that is not ticked says no."""
    found: dict[str, str] = {}
    for part in fields(game.options):
        words = data.getlist(f"option.{part.name}")
        if is_sequence(game.options, part.name):
            words = [join_nonblank(words)] if words else []
        if len(words) > 1:
            raise Malformed(_("The field “{name}” is given twice.", name=part.name), part.name)
        if words and words[0].strip():
            is_text = get_input_type(game.options, part.name) in ("text", "cells")
            found[part.name] = words[0].strip()[: LONGEST_TEXTS if is_text else LONGEST_OPTION]
        elif isinstance(part.default, bool) and "way" in data:
            found[part.name] = "no"
    return found


def join_nonblank(words: Sequence[str]) -> str:
    """A sequence as people type it, in one box or in several, with a comma too many here and there."""
    parts = (part.strip() for word in words for part in word.split(","))
    return ",".join(part for part in parts if part)


def build_options_context(form: NewTableForm) -> dict[str, Any]:
    """The options as the game draws them, or one after the other where it does not."""
    boxes = build_option_fields(form)
    return {
        "option_boxes": boxes,
        "options_by_name": {box.name: box for box in boxes},
        "options_template": select_template([f"games/{form.game.slug}/_options.html", "tables/_options.html"]),
    }


def get_game_or_404(slug: str) -> Game:
    """The game of an address. Raises Http404 where there is none."""
    if slug not in get_games():
        raise Http404
    return get_games()[slug]
