"""Endpoints, filters and response fields of the API, for its documentation page."""

from dataclasses import dataclass
from datetime import datetime

from companion.core.text import Text, _
from companion.exchange.formats.companion_schema import ENTRY, PLAYER, RESULT, TABLE
from companion.exchange.schema import Field, ObjectType

VERSION = 1
"""Incremented by changes that break clients; a new field does not."""

_URL = Field("url", str, _("Its address on this server."))
_GAME = Field("game", str, _("The game, as named in the notation."), "slug")
_PLAYS = Field("plays", int, _("Finished matches."), "matches")
_WINS = Field("wins", int, _("Matches that the player won."))
_SHARED = Field("shared", int, _("Of these, the wins shared with somebody else."), "shared_wins")

DETAIL_ONLY_FIELDS = ("devices", "entries")
"""Fields of a table that only its own endpoint returns."""

INDEX = ObjectType(
    "index",
    _("Index"),
    Field("version", int, _("1. Goes up when an older program could not understand the responses.")),
    Field("tables", str, _("The address of the tables.")),
    Field("players", str, _("The address of the players.")),
    Field("rulebooks", str, _("The address of the rulebooks.")),
    Field("help", str, _("The address of this page.")),
)
TABLES = ObjectType(
    "tables",
    _("A page of tables"),
    Field("tables", list, _("At most 20, most recent first."), object_type="table_summary"),
    Field("next", str, _("The address of the next page, with older tables, if there is one."), is_optional=True),
)
TABLE_SUMMARY = ObjectType(
    "table_summary",
    _("A table in a list"),
    *(field for field in TABLE.fields if field.name not in DETAIL_ONLY_FIELDS),
    Field("has_ended", bool, _("Whether the match is over or the table closed.")),
    _URL,
)
PLAYERS = ObjectType(
    "players",
    _("The players"),
    Field("players", list, _("All players of the circle."), object_type="player_summary"),
)
PLAYER_SUMMARY = ObjectType(
    "player_summary",
    _("A player in a list"),
    *PLAYER.fields,
    Field("is_left_out", bool, _("Whether the player is no longer offered for new tables.")),
    _URL,
)
PLAYER_STATS = ObjectType(
    "player_stats",
    _("Statistics of a player"),
    *PLAYER_SUMMARY.fields,
    _PLAYS,
    Field("decided", int, _("Matches that somebody could win.")),
    _WINS,
    _SHARED,
    Field("longest_streak", int, _("The longest winning streak."), "streak.longest"),
    Field("streak", int, _("The current winning streak."), "streak.current"),
    Field("first", datetime, _("When the first match started."), is_optional=True),
    Field("last", datetime, _("When the last match started."), is_optional=True),
    Field("games", list, _("By game, most played first."), object_type="game_stats"),
    Field("against", list, _("The 12 most frequent opponents."), object_type="head_to_head"),
    Field("together", list, _("The 12 most frequent partners."), object_type="head_to_head"),
    Field("unread", int, _("Tables not counted yet: try again later.")),
)
GAME_STATS = ObjectType(
    "game_stats",
    _("A player at a game"),
    _GAME,
    Field("called", str, _("Its name in English, or as its players call it.")),
    _PLAYS,
    _WINS,
    _SHARED,
    Field("best", int, _("The best total.")),
    Field("usual", int, _("The median total, from four matches on."), "median_total", is_optional=True),
)
HEAD_TO_HEAD = ObjectType(
    "head_to_head",
    _("An opponent or partner"),
    Field("player", str, _("The id of the player.")),
    Field("plays", int, _("Matches that both played."), "matches"),
    Field("ahead", int, _("Matches in which the requested player was ahead.")),
    Field("level", int, _("Matches in which both had the same rank."), "tied"),
    Field("behind", int, _("Matches in which the other player was ahead.")),
    Field("wins", int, _("Matches that the other player won.")),
)
RULEBOOKS = ObjectType(
    "rulebooks",
    _("The rulebooks"),
    Field("rulebooks", list, _("One for each game and language."), object_type="rulebook_summary"),
)
RULEBOOK_SUMMARY = ObjectType(
    "rulebook_summary",
    _("A rulebook in a list"),
    _GAME,
    Field("language", str, _("“en” or “el”.")),
    Field("title", str, _("The title of the game in that language.")),
    _URL,
)
RULEBOOK = ObjectType(
    "rulebook",
    _("A rulebook"),
    *RULEBOOK_SUMMARY.fields[:-1],
    Field("intro", str, _("The text before the first section, as Markdown."), "intro.source"),
    Field("sections", list, _("The rules, in order."), object_type="section"),
)
SECTION = ObjectType(
    "section",
    _("A section of a rulebook"),
    Field("id", str, _("The id of the rule, as in refusals: the same in every language.")),
    Field("title", str, _("Its heading.")),
    Field("text", str, _("Its text, as Markdown.")),
    Field("examples", list, _("Its worked examples."), object_type="example"),
)
EXAMPLE = ObjectType(
    "example",
    _("A worked example"),
    Field("caption", str, _("What the example shows.")),
    Field("tried", list, _("The plays tried in it."), object_type="trial"),
)
TRIAL = ObjectType(
    "trial",
    _("A play in an example"),
    Field("text", str, _("The play, in words.")),
    Field("rule", str, _("The rule that it breaks, or null."), is_optional=True),
    Field("reason", str, _("Why it is refused."), is_optional=True),
)
ERROR = ObjectType("error", _("An error"), Field("error", str, _("The error, in English.")))
OBJECT_TYPES = (
    INDEX,
    TABLES,
    TABLE_SUMMARY,
    ObjectType("table", _("A table, with its log"), *TABLE.fields),
    ENTRY,
    RESULT,
    PLAYERS,
    PLAYER_SUMMARY,
    PLAYER_STATS,
    GAME_STATS,
    HEAD_TO_HEAD,
    RULEBOOKS,
    RULEBOOK_SUMMARY,
    RULEBOOK,
    SECTION,
    EXAMPLE,
    TRIAL,
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
