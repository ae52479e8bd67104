"""What the address of a list for programs narrows it to: as in the history, but nothing is passed over in silence."""

from __future__ import annotations

from collections.abc import Mapping

from companion.core.errors import Malformed
from companion.core.sanitize import clean
from companion.exchange.export_records import player_uid
from companion.games import games
from companion.history.queries import LONGEST_QUERY, Filters, Key, period_of
from companion.people.models import Circle, Player
from companion.tables.models import Place


class BadFilter(Exception):
    """The address asks for what there is not: a program would take any other answer for the one it wants."""


NAMES = ("game", "player", "place", "period", "q", "before")


def filters_of(circle: Circle, asked: Mapping[str, str]) -> Filters:
    """Raises BadFilter."""
    for name in asked:
        if name not in NAMES:
            raise BadFilter(f"there is no such filter: the filters are {', '.join(NAMES)}")
    said = {name: word for name, word in asked.items() if word}
    return Filters(
        game=_game(said["game"]) if "game" in said else "",
        player=player_of(circle, said["player"]) if "player" in said else None,
        place=_place(circle, said["place"]) if "place" in said else None,
        period=_period(said["period"]) if "period" in said else "",
        query=_query(said["q"]) if "q" in said else "",
        before=_key(said["before"]) if "before" in said else None,
    )


def player_of(circle: Circle, uid: str) -> Player:
    """The player of that lasting id. Raises BadFilter."""
    for player in Player.objects.of(circle):
        if player_uid(circle, player) == uid:
            return player
    raise BadFilter("player: there is none of that id")


def _game(word: str) -> str:
    if word not in games():
        raise BadFilter("game: there is no such game")
    return word


def _place(circle: Circle, word: str) -> Place:
    for place in circle.places.all():
        if place.name == word:
            return place
    raise BadFilter("place: there is none of that name")


def _period(word: str) -> str:
    if not period_of(word):
        raise BadFilter("period: recent, a year such as 2026, or a month such as 2026-11")
    return word


def _query(word: str) -> str:
    try:
        return clean(word, longest=LONGEST_QUERY)
    except Malformed:
        raise BadFilter(f"q: at most {LONGEST_QUERY} letters that can be shown") from None


def _key(word: str) -> Key:
    key = Key.read(word)
    if key is None:
        raise BadFilter("before: take it from “next” of the page before")
    return key
