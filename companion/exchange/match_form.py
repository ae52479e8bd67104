"""The boxes of the page that says who is who in a file: what each offers, and what it holds. Finding is elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from companion.core.text import Text, _
from companion.exchange.matching import Chosen, How, Person, Title
from companion.games import get_games, get_generic_game
from companion.people.models import Player

MOST_OFFERED = 60
"""Players, and games, in a list to choose from."""
_SIGNS = {How.KNOWN: "✓", How.SUGGESTED: "?", How.NEW: "+"}
_LABELS = {How.KNOWN: _("known"), How.SUGGESTED: _("suggested"), How.NEW: _("new")}


@dataclass(frozen=True)
class Pick:
    """One of those to choose from."""

    value: str
    label: Text


@dataclass(frozen=True)
class Box:
    """Somebody, or a game, of the file: the field, what it is called there, how sure it is, and what to choose from."""

    field: str
    name: str
    how: How
    picks: tuple[Pick, ...]
    value: str

    @property
    def sign(self) -> str:
        return _SIGNS[self.how]

    @property
    def label(self) -> Text:
        return _LABELS[self.how]


def person_box(own: Person, place: int, offered: Sequence[Player], sent: Mapping[str, str]) -> Box:
    known = [own.player] if own.player and own.player not in offered else []
    picks = (
        Pick("new", _("new player: {name}", name=own.stranger.name)),
        *(Pick(f"p{player.pk}", _named(player.name)) for player in (*known, *offered)),
    )
    value = f"p{own.player.pk}" if own.player else "new"
    return _box(f"person.{place}", own.stranger.name, own.how, picks, value, sent)


def game_box(own: Title, place: int, called: Iterable[str], sent: Mapping[str, str]) -> Box:
    chosen = own.chosen
    names = dict.fromkeys([*([chosen.called] if chosen.called else []), *called])
    picks = (
        Pick("new", _of_its_own(own.name)),
        *(Pick(_value(Chosen(game.slug)), game.title) for game in get_games().values() if not game.is_for_all_others),
        *(Pick(_value(Chosen(called=name)), _of_its_own(name)) for name in names if name != own.name),
    )
    value = "new" if chosen == Chosen(called=own.name) else _value(chosen)
    return _box(f"game.{place}", own.name, own.how, picks, value, sent)


def _box(field: str, name: str, how: How, picks: tuple[Pick, ...], value: str, sent: Mapping[str, str]) -> Box:
    """What was chosen before an error stays chosen."""
    word = sent.get(field, value)
    return Box(field, name, how, picks, word if any(pick.value == word for pick in picks) else value)


def _value(chosen: Chosen) -> str:
    return f"slug:{chosen.slug}" if chosen.slug else f"called:{chosen.called}"


def _named(name: str) -> Text:
    return Text("{name}", (("name", name),))


def _of_its_own(name: str) -> Text:
    return _("{name} ({title})", name=name, title=get_generic_game().title)
