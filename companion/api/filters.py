"""Query parameters of the table list, validated strictly."""

from __future__ import annotations

from collections.abc import Mapping

from companion.api.schema import FILTERS
from companion.core.errors import Malformed
from companion.core.sanitize import clean_text
from companion.exchange.export_records import make_player_uid
from companion.games import get_games
from companion.history.queries import MAX_QUERY_LENGTH, Cursor, Filters, parse_period
from companion.people.models import Circle, Player
from companion.tables.models import Place


class InvalidFilter(Exception):
    """A query parameter is unknown or has no valid value."""


def parse_filters(circle: Circle, params: Mapping[str, str]) -> Filters:
    """Parse the query parameters of the table list; empty ones are ignored. Raises InvalidFilter."""
    for name in params:
        if name not in FILTERS:
            raise InvalidFilter(f"unknown filter: use {', '.join(FILTERS)}")
    values = {name: value for name, value in params.items() if value}
    return Filters(
        game=_parse_game(values["game"]) if "game" in values else "",
        player=get_player(circle, values["player"]) if "player" in values else None,
        place=_parse_place(circle, values["place"]) if "place" in values else None,
        period=_parse_period(values["period"]) if "period" in values else "",
        query=_parse_query(values["q"]) if "q" in values else "",
        before=_parse_cursor(values["before"]) if "before" in values else None,
    )


def get_player(circle: Circle, uid: str) -> Player:
    """Return the circle's player with this exported id. Raises InvalidFilter."""
    for player in Player.objects.of(circle):
        if make_player_uid(circle, player) == uid:
            return player
    raise InvalidFilter("player: no player has this id")


def _parse_game(value: str) -> str:
    if value not in get_games():
        raise InvalidFilter("game: unknown game")
    return value


def _parse_place(circle: Circle, value: str) -> Place:
    for place in circle.places.all():
        if place.name == value:
            return place
    raise InvalidFilter("place: no place has this name")


def _parse_period(value: str) -> str:
    if not parse_period(value):
        raise InvalidFilter("period: use recent, a year such as 2026, or a month such as 2026-11")
    return value


def _parse_query(value: str) -> str:
    try:
        return clean_text(value, longest=MAX_QUERY_LENGTH)
    except Malformed:
        raise InvalidFilter(f"q: at most {MAX_QUERY_LENGTH} printable characters") from None


def _parse_cursor(value: str) -> Cursor:
    cursor = Cursor.parse(value)
    if cursor is None:
        raise InvalidFilter("before: use the value in “next” of the previous page")
    return cursor
