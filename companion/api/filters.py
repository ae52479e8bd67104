"""What the address of a list for programs narrows it to: as in the history, but nothing is passed over in silence."""

from __future__ import annotations

from collections.abc import Mapping

from companion.core.errors import Malformed
from companion.core.sanitize import clean_text
from companion.exchange.export_records import make_player_uid
from companion.games import get_games
from companion.history.queries import MAX_QUERY_LENGTH, Cursor, Filters, parse_period
from companion.people.models import Circle, Player
from companion.tables.models import Place


class InvalidFilter(Exception):
    """The address asks for what there is not: a program would take any other answer for the one it wants."""


FILTER_NAMES = ("game", "player", "place", "period", "q", "before")


def parse_filters(circle: Circle, asked: Mapping[str, str]) -> Filters:
    """Raises BadFilter."""
    for name in asked:
        if name not in FILTER_NAMES:
            raise InvalidFilter(f"there is no such filter: the filters are {', '.join(FILTER_NAMES)}")
    said = {name: word for name, word in asked.items() if word}
    return Filters(
        game=_parse_game(said["game"]) if "game" in said else "",
        player=get_player(circle, said["player"]) if "player" in said else None,
        place=_parse_place(circle, said["place"]) if "place" in said else None,
        period=_parse_period(said["period"]) if "period" in said else "",
        query=_parse_query(said["q"]) if "q" in said else "",
        before=_parse_cursor(said["before"]) if "before" in said else None,
    )


def get_player(circle: Circle, uid: str) -> Player:
    """The player of that lasting id. Raises BadFilter."""
    for player in Player.objects.of(circle):
        if make_player_uid(circle, player) == uid:
            return player
    raise InvalidFilter("player: there is none of that id")


def _parse_game(word: str) -> str:
    if word not in get_games():
        raise InvalidFilter("game: there is no such game")
    return word


def _parse_place(circle: Circle, word: str) -> Place:
    for place in circle.places.all():
        if place.name == word:
            return place
    raise InvalidFilter("place: there is none of that name")


def _parse_period(word: str) -> str:
    if not parse_period(word):
        raise InvalidFilter("period: recent, a year such as 2026, or a month such as 2026-11")
    return word


def _parse_query(word: str) -> str:
    try:
        return clean_text(word, longest=MAX_QUERY_LENGTH)
    except Malformed:
        raise InvalidFilter(f"q: at most {MAX_QUERY_LENGTH} letters that can be shown") from None


def _parse_cursor(word: str) -> Cursor:
    key = Cursor.read(word)
    if key is None:
        raise InvalidFilter("before: take it from “next” of the page before")
    return key
