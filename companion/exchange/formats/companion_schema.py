"""Schema of Companion JSON."""

from datetime import datetime

from companion.core.text import _
from companion.exchange.schema import Field, ObjectType

FORMAT, VERSION = "companion", 1

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
    Field("id", str, _("The same in every file, even if the player is renamed."), "uid"),
    Field("name", str, _("The name of the player.")),
    Field("colour", int, _("The index of the colour among those on offer, from 0.")),
    Field("sign", str, _("The name of the sign, or empty.")),
)
TABLE = ObjectType(
    "table",
    _("A table"),
    Field("id", str, _("The same in every file: a table imported twice is one table."), "table.public_id"),
    Field("game", str, _("The game, as named in the notation."), "game.slug"),
    Field("game_version", int, _("The version of the game’s rules when the table was opened."), "table.game_version"),
    Field("options", dict[str, str], _("The options agreed on, as the notation writes them."), "table.options"),
    Field("way", str, _("“pad” or “referee”."), "table.mode"),
    Field("note", str, _("A note, or empty."), "table.note"),
    Field("place", str, _("Where it was played, or empty.")),
    Field("began_at", datetime, _("When it started."), "table.began_at"),
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
    Field("key", str, _("Made by the phone: entries with the same key are one entry.")),
    Field("kind", str, _("A play or count of the game, or an action on an earlier entry.")),
    Field("round", int, _("From 1; 0 for an entry that belongs to no round.")),
    Field("words", dict[str, str], _("Its fields, as the notation writes them.")),
    Field("overruled", list[str], _("The rules that the table overruled for it.")),
    Field("game_version", int, _("The version of the game’s rules that judged it.")),
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
