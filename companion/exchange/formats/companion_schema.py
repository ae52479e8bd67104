"""Schema of Companion JSON."""

from __future__ import annotations

from companion.core.text import _
from companion.exchange.schema import Field, FieldType, ObjectType

FORMAT, VERSION = "companion", 1

FILE = ObjectType(
    "file",
    _("The file"),
    (
        Field("format", FieldType.TEXT, _("“companion”, always.")),
        Field("version", FieldType.NUMBER, _("1. Goes up when an older reader could not understand the file.")),
        Field("written_at", FieldType.TIME, _("When the file was written.")),
        Field("players", FieldType.LIST, _("Everybody who sat at one of the tables."), object_type="player"),
        Field("tables", FieldType.LIST, _("The tables, most recent first."), object_type="table"),
    ),
)
PLAYER = ObjectType(
    "player",
    _("A player"),
    (
        Field("id", FieldType.TEXT, _("The same in every file, even if the player is renamed.")),
        Field("name", FieldType.TEXT, _("The name of the player.")),
        Field("colour", FieldType.NUMBER, _("The index of the colour among those on offer, from 0.")),
        Field("sign", FieldType.TEXT, _("The name of the sign, or empty.")),
    ),
)
TABLE = ObjectType(
    "table",
    _("A table"),
    (
        Field("id", FieldType.TEXT, _("The same in every file: a table imported twice is one table.")),
        Field("game", FieldType.TEXT, _("The game, as named in the notation.")),
        Field("game_version", FieldType.NUMBER, _("The version of the game’s rules when the table was opened.")),
        Field("options", FieldType.TEXT_OBJECT, _("The options agreed on, as the notation writes them.")),
        Field("way", FieldType.TEXT, _("“pad” or “referee”.")),
        Field("note", FieldType.TEXT, _("A note, or empty.")),
        Field("place", FieldType.TEXT, _("Where it was played, or empty.")),
        Field("began_at", FieldType.TIME, _("When it started.")),
        Field("ended_at", FieldType.TIME, _("When it ended, if known."), is_optional=True),
        Field("hides_counts", FieldType.BOOLEAN, _("Whether counts stay hidden until the round is complete.")),
        Field("seats", FieldType.TEXTS, _("The ids of the players, clockwise; null for one who has been erased.")),
        Field("devices", FieldType.TEXTS, _("The names of the phones that entered something.")),
        Field("entries", FieldType.LIST, _("The whole log, oldest first. Nothing is left out."), object_type="entry"),
        Field(
            "result",
            FieldType.OBJECT,
            _("The outcome according to the log, for readers to check."),
            object_type="result",
        ),
    ),
)
ENTRY = ObjectType(
    "entry",
    _("An entry"),
    (
        Field("number", FieldType.NUMBER, _("From 1, without gaps.")),
        Field("key", FieldType.TEXT, _("Made by the phone: entries with the same key are one entry.")),
        Field("kind", FieldType.TEXT, _("A play or count of the game, or an action on an earlier entry.")),
        Field("round", FieldType.NUMBER, _("From 1; 0 for an entry that belongs to no round.")),
        Field("words", FieldType.TEXT_OBJECT, _("Its fields, as the notation writes them.")),
        Field("overruled", FieldType.TEXTS, _("The rules that the table overruled for it.")),
        Field("game_version", FieldType.NUMBER, _("The version of the game’s rules that judged it.")),
        Field("who", FieldType.NUMBER, _("The index of the phone in “devices”, from 0."), is_optional=True),
        Field("at", FieldType.TIME, _("When it was entered.")),
    ),
)
RESULT = ObjectType(
    "result",
    _("The result"),
    (
        Field("game_version", FieldType.NUMBER, _("The version of the game’s rules that computed it.")),
        Field("totals", FieldType.NUMBERS, _("The total of each side.")),
        Field("ranks", FieldType.NUMBERS, _("The rank of each side, from 1; empty if nobody is ranked.")),
        Field("rounds", FieldType.NUMBER, _("Rounds that count.")),
    ),
)
OBJECT_TYPES = (FILE, PLAYER, TABLE, ENTRY, RESULT)
