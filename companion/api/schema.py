"""Endpoints, filters and response fields of the API, for its documentation page."""

from __future__ import annotations

from dataclasses import dataclass, replace

from companion.core.text import Text, _
from companion.exchange.formats import companion_schema
from companion.exchange.schema import Field, FieldType, ObjectType

VERSION = 1
"""Incremented by changes that break clients; a new field does not."""

_URL = _("Its address on this server.")
_GAME = _("The game, as named in the notation.")

DETAIL_ONLY_FIELDS = ("devices", "entries")
"""Fields of a table that only its own endpoint returns."""

PLAYER_SUMMARY = ObjectType(
    "player_summary",
    _("A player in a list"),
    (
        *companion_schema.PLAYER.fields,
        Field("is_left_out", FieldType.BOOLEAN, _("Whether the player is no longer offered for new tables.")),
        Field("url", FieldType.TEXT, _URL),
    ),
)
_BOOK_FIELDS = (
    Field("game", FieldType.TEXT, _GAME),
    Field("language", FieldType.TEXT, _("“en” or “el”.")),
    Field("title", FieldType.TEXT, _("The title of the game in that language.")),
)
ERROR = ObjectType("error", _("An error"), (Field("error", FieldType.TEXT, _("The error, in English.")),))
OBJECT_TYPES = (
    ObjectType(
        "index",
        _("Index"),
        (
            Field(
                "version", FieldType.NUMBER, _("1. Goes up when an older program could not understand the responses.")
            ),
            Field("tables", FieldType.TEXT, _("The address of the tables.")),
            Field("players", FieldType.TEXT, _("The address of the players.")),
            Field("rulebooks", FieldType.TEXT, _("The address of the rulebooks.")),
            Field("help", FieldType.TEXT, _("The address of this page.")),
        ),
    ),
    ObjectType(
        "tables",
        _("A page of tables"),
        (
            Field("tables", FieldType.LIST, _("At most 20, most recent first."), object_type="table_summary"),
            Field(
                "next",
                FieldType.TEXT,
                _("The address of the next page, with older tables, if there is one."),
                is_optional=True,
            ),
        ),
    ),
    ObjectType(
        "table_summary",
        _("A table in a list"),
        (
            *(field for field in companion_schema.TABLE.fields if field.name not in DETAIL_ONLY_FIELDS),
            Field("has_ended", FieldType.BOOLEAN, _("Whether the match is over or the table closed.")),
            Field("url", FieldType.TEXT, _URL),
        ),
    ),
    replace(companion_schema.TABLE, label=_("A table, with its log")),
    companion_schema.ENTRY,
    companion_schema.RESULT,
    ObjectType(
        "players",
        _("The players"),
        (Field("players", FieldType.LIST, _("All players of the circle."), object_type="player_summary"),),
    ),
    PLAYER_SUMMARY,
    ObjectType(
        "player_stats",
        _("Statistics of a player"),
        (
            *PLAYER_SUMMARY.fields,
            Field("plays", FieldType.NUMBER, _("Finished matches.")),
            Field("decided", FieldType.NUMBER, _("Matches that somebody could win.")),
            Field("wins", FieldType.NUMBER, _("Matches that the player won.")),
            Field("shared", FieldType.NUMBER, _("Of these, the wins shared with somebody else.")),
            Field("longest_streak", FieldType.NUMBER, _("The longest winning streak.")),
            Field("streak", FieldType.NUMBER, _("The current winning streak.")),
            Field("first", FieldType.TIME, _("When the first match started."), is_optional=True),
            Field("last", FieldType.TIME, _("When the last match started."), is_optional=True),
            Field("games", FieldType.LIST, _("By game, most played first."), object_type="game_stats"),
            Field("against", FieldType.LIST, _("The 12 most frequent opponents."), object_type="head_to_head"),
            Field("together", FieldType.LIST, _("The 12 most frequent partners."), object_type="head_to_head"),
            Field("unread", FieldType.NUMBER, _("Tables not counted yet: try again later.")),
        ),
    ),
    ObjectType(
        "game_stats",
        _("A player at a game"),
        (
            Field("game", FieldType.TEXT, _GAME),
            Field("called", FieldType.TEXT, _("Its name in English, or as its players call it.")),
            Field("plays", FieldType.NUMBER, _("Finished matches.")),
            Field("wins", FieldType.NUMBER, _("Matches that the player won.")),
            Field("shared", FieldType.NUMBER, _("Of these, the wins shared with somebody else.")),
            Field("best", FieldType.NUMBER, _("The best total.")),
            Field("usual", FieldType.NUMBER, _("The median total, from four matches on."), is_optional=True),
        ),
    ),
    ObjectType(
        "head_to_head",
        _("An opponent or partner"),
        (
            Field("player", FieldType.TEXT, _("The id of the player.")),
            Field("plays", FieldType.NUMBER, _("Matches that both played.")),
            Field("ahead", FieldType.NUMBER, _("Matches in which the requested player was ahead.")),
            Field("level", FieldType.NUMBER, _("Matches in which both had the same rank.")),
            Field("behind", FieldType.NUMBER, _("Matches in which the other player was ahead.")),
            Field("wins", FieldType.NUMBER, _("Matches that the other player won.")),
        ),
    ),
    ObjectType(
        "rulebooks",
        _("The rulebooks"),
        (Field("rulebooks", FieldType.LIST, _("One for each game and language."), object_type="rulebook_summary"),),
    ),
    ObjectType(
        "rulebook_summary",
        _("A rulebook in a list"),
        (
            *_BOOK_FIELDS,
            Field("url", FieldType.TEXT, _URL),
        ),
    ),
    ObjectType(
        "rulebook",
        _("A rulebook"),
        (
            *_BOOK_FIELDS,
            Field("intro", FieldType.TEXT, _("The text before the first section, as Markdown.")),
            Field("sections", FieldType.LIST, _("The rules, in order."), object_type="section"),
        ),
    ),
    ObjectType(
        "section",
        _("A section of a rulebook"),
        (
            Field("id", FieldType.TEXT, _("The id of the rule, as in refusals: the same in every language.")),
            Field("title", FieldType.TEXT, _("Its heading.")),
            Field("text", FieldType.TEXT, _("Its text, as Markdown.")),
            Field("examples", FieldType.LIST, _("Its worked examples."), object_type="example"),
        ),
    ),
    ObjectType(
        "example",
        _("A worked example"),
        (
            Field("caption", FieldType.TEXT, _("What the example shows.")),
            Field("tried", FieldType.LIST, _("The plays tried in it."), object_type="trial"),
        ),
    ),
    ObjectType(
        "trial",
        _("A play in an example"),
        (
            Field("text", FieldType.TEXT, _("The play, in words.")),
            Field("rule", FieldType.TEXT, _("The rule that it breaks, or null."), is_optional=True),
            Field("reason", FieldType.TEXT, _("Why it is refused."), is_optional=True),
        ),
    ),
    ERROR,
)


@dataclass(frozen=True)
class Endpoint:
    """A URL, with parameters in braces, and the type of object that it returns."""

    route: str
    path: str
    description: Text
    object_type: str


ENDPOINTS = (
    Endpoint("api", "/api/v1/", _("The list of endpoints."), "index"),
    Endpoint("api-tables", "/api/v1/tables/", _("The tables of the circle, 20 at a time."), "tables"),
    Endpoint("api-table", "/api/v1/tables/{id}/", _("A table, as in the Companion file."), "table"),
    Endpoint("api-players", "/api/v1/players/", _("The players of the circle."), "players"),
    Endpoint("api-player", "/api/v1/players/{id}/", _("A player’s statistics."), "player_stats"),
    Endpoint("api-rulebooks", "/api/v1/rulebooks/", _("All rulebooks."), "rulebooks"),
    Endpoint("api-rulebook", "/api/v1/rulebooks/{game}/{language}/", _("A rulebook, by sections."), "rulebook"),
)


FILTERS = {
    "game": _("Tables of this game, as named in the notation."),
    "player": _("Tables at which the player with this id sat."),
    "place": _("Tables played at this place."),
    "period": _("“recent” for the last 30 days, a year such as 2026, or a month such as 2026-11."),
    "q": _("Words in the names of players, in the place or in the note."),
    "before": _("Where a page starts: the value of “next”."),
}
"""Query parameters of the table list."""

ERRORS = {
    400: _("Unknown filter, or a value that it can’t have."),
    401: _("The key is missing or no longer valid."),
    404: _("There is nothing at this address, or it isn’t yours."),
    405: _("Only GET and HEAD are answered."),
    429: _("Too many wrong keys, or too many requests with one key: Retry-After gives the seconds to wait."),
    503: _("The database is busy. Try again."),
}
"""Status codes with their meaning."""
