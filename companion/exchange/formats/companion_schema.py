"""Schema of Companion JSON."""

import re
from datetime import datetime

from companion.avatars import COLOURS, get_sign
from companion.core import refusals
from companion.core.text import _
from companion.exchange.schema import Field, ObjectType, clean_start, require
from companion.people.validators import clean_name, clean_note, clean_place
from companion.tables.forms.entry import KEY
from companion.tables.models import Table

FORMAT, VERSION = "companion", 1
_KEY = re.compile(rf"(?=.{{1,80}}\Z){KEY.pattern}(\.[a-z0-9-]{{1,40}}\.([0-9]{{1,9}}|all))?", re.ASCII)
"""The key that a page makes; a pad submitted as a whole appends the kind and seat of each entry."""
_clean_id = require(re.compile(r"[A-Za-z0-9_-]{1,40}").fullmatch, refusals.INVALID_ID)
_clean_slug = require(re.compile(r"[a-z0-9-]{1,40}").fullmatch, _("There is no such game."))
_clean_key = require(_KEY.fullmatch, _("Not a key that the app makes."))
_clean_colour = require(range(len(COLOURS)).__contains__, _("There is no such colour."))
_clean_version = require(range(1, 32_768).__contains__, _("There is no such version."))
_clean_mode = require(Table.Mode.values.__contains__, _("There is no such mode."))


def _clean_sign(name: str) -> str | None:
    """Return the name of the sign; None if a newer version of the app added it."""
    sign = get_sign(name)
    return sign.name if sign else None


FILE = ObjectType(
    "file",
    _("The file"),
    Field("format", str, _("“companion”, always.")),
    Field("version", int, _("1. Goes up when an older reader could not understand the file.")),
    Field("written_at", datetime, _("When the file was written.")),
    Field("players", list, _("Everybody who sat at one of the tables."), object_type="player"),
    Field("tables", list, _("The tables, most recent first."), object_type="table"),
)
PLAYER = ObjectType(
    "player",
    _("A player"),
    Field("id", str, _("The same in every file, even if the player is renamed."), "uid", clean=_clean_id),
    Field("name", str, _("The name of the player."), clean=clean_name),
    Field("colour", int, _("The index of the colour among those on offer, from 0."), clean=_clean_colour),
    Field("sign", str, _("The name of the sign, or empty."), clean=_clean_sign),
)
TABLE = ObjectType(
    "table",
    _("A table"),
    Field(
        "id", str, _("The same in every file: a table imported twice is one table."), "table.public_id", clean=_clean_id
    ),
    Field("game", str, _("The game, as named in the notation."), "game.slug", clean=_clean_slug),
    Field(
        "game_version",
        int,
        _("The version of the game’s rules when the table was opened."),
        "table.game_version",
        clean=_clean_version,
    ),
    Field("options", dict[str, str], _("The options agreed on, as the notation writes them."), "table.options"),
    Field("way", str, _("“pad” or “referee”."), "table.mode", clean=_clean_mode),
    Field("note", str, _("A note, or empty."), "table.note", clean=clean_note),
    Field("place", str, _("Where it was played, or empty."), clean=clean_place),
    Field("began_at", datetime, _("When it started."), "table.began_at", clean=clean_start),
    Field("ended_at", datetime, _("When it ended, if known."), "table.ended_at", is_optional=True),
    Field("hides_counts", bool, _("Whether counts stay hidden until the round is complete."), "table.hides_counts"),
    Field("seats", list[str], _("The ids of the players, clockwise; null for one who has been erased.")),
    Field("devices", list[str], _("The names of the phones that entered something.")),
    Field("entries", list, _("The whole log, oldest first. Nothing is left out."), object_type="entry"),
    Field("result", dict, _("The outcome according to the log, for readers to check."), object_type="result"),
)
ENTRY = ObjectType(
    "entry",
    _("An entry"),
    Field("number", int, _("From 1, without gaps.")),
    Field("key", str, _("Made by the phone: entries with the same key are one entry."), clean=_clean_key),
    Field("kind", str, _("A play or count of the game, or an action on an earlier entry.")),
    Field("round", int, _("From 1; 0 for an entry that belongs to no round.")),
    Field("words", dict[str, str], _("Its fields, as the notation writes them.")),
    Field("overruled", list[str], _("The rules that the table overruled for it.")),
    Field("game_version", int, _("The version of the game’s rules that judged it."), clean=_clean_version),
    Field("who", int, _("The index of the phone in “devices”, from 0."), is_optional=True),
    Field("at", datetime, _("When it was entered.")),
)
RESULT = ObjectType(
    "result",
    _("The result"),
    Field("game_version", int, _("The version of the game’s rules that computed it."), "game.about.version"),
    Field("totals", list[int], _("The total of each side."), "match.standing.totals"),
    Field("ranks", list[int], _("The rank of each side, from 1; empty if nobody is ranked."), "match.standing.ranks"),
    Field("rounds", int, _("Rounds that count.")),
)
OBJECT_TYPES = (FILE, PLAYER, TABLE, ENTRY, RESULT)
