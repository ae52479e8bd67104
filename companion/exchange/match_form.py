"""The boxes of the page that says who is who in a file: what each offers, and what it holds. Finding is elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from companion.core.text import Text, _
from companion.exchange.matching import Confidence, GameChoice, GameMatch, PlayerMatch
from companion.games import get_games, get_generic_game
from companion.people.models import Player

MAX_OPTIONS = 60
"""Players, and games, in a list to choose from."""
_SIGNS = {Confidence.KNOWN: "✓", Confidence.SUGGESTED: "?", Confidence.NEW: "+"}
_LABELS = {Confidence.KNOWN: _("known"), Confidence.SUGGESTED: _("suggested"), Confidence.NEW: _("new")}


@dataclass(frozen=True)
class SelectOption:
    """One of those to choose from."""

    value: str
    label: Text


@dataclass(frozen=True)
class MatchField:
    """Somebody, or a game, of the file: the field, what it is called there, how sure it is, and what to choose from."""

    field: str
    name: str
    how: Confidence
    picks: tuple[SelectOption, ...]
    value: str

    @property
    def sign(self) -> str:
        return _SIGNS[self.how]

    @property
    def label(self) -> Text:
        return _LABELS[self.how]


def build_player_field(own: PlayerMatch, place: int, offered: Sequence[Player], sent: Mapping[str, str]) -> MatchField:
    known = [own.player] if own.player and own.player not in offered else []
    picks = (
        SelectOption("new", _("new player: {name}", name=own.stranger.name)),
        *(SelectOption(f"p{player.pk}", _wrap_name(player.name)) for player in (*known, *offered)),
    )
    value = f"p{own.player.pk}" if own.player else "new"
    return _build_field(f"person.{place}", own.stranger.name, own.how, picks, value, sent)


def build_game_field(own: GameMatch, place: int, called: Iterable[str], sent: Mapping[str, str]) -> MatchField:
    chosen = own.chosen
    names = dict.fromkeys([*([chosen.called] if chosen.called else []), *called])
    picks = (
        SelectOption("new", _format_own_game(own.name)),
        *(
            SelectOption(_format_value(GameChoice(game.slug)), game.title)
            for game in get_games().values()
            if not game.is_generic
        ),
        *(
            SelectOption(_format_value(GameChoice(called=name)), _format_own_game(name))
            for name in names
            if name != own.name
        ),
    )
    value = "new" if chosen == GameChoice(called=own.name) else _format_value(chosen)
    return _build_field(f"game.{place}", own.name, own.how, picks, value, sent)


def _build_field(
    field: str, name: str, how: Confidence, picks: tuple[SelectOption, ...], value: str, sent: Mapping[str, str]
) -> MatchField:
    """What was chosen before an error stays chosen."""
    word = sent.get(field, value)
    return MatchField(field, name, how, picks, word if any(pick.value == word for pick in picks) else value)


def _format_value(chosen: GameChoice) -> str:
    return f"slug:{chosen.slug}" if chosen.slug else f"called:{chosen.called}"


def _wrap_name(name: str) -> Text:
    return Text("{name}", (("name", name),))


def _format_own_game(name: str) -> Text:
    return _("{name} ({title})", name=name, title=get_generic_game().title)
