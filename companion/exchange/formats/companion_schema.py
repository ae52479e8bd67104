"""Every part of our own format, and what its fields mean: for the writer, the reader and the page that documents it."""

from __future__ import annotations

from companion.core.text import _
from companion.exchange.schema import Field, FieldType, ObjectType

FORMAT, VERSION = "companion", 1

FILE = ObjectType(
    "file",
    _("The file"),
    (
        Field("format", FieldType.TEXT, _("“companion”, always.")),
        Field("version", FieldType.NUMBER, _("1. It rises when an older reader could not understand the file.")),
        Field("written_at", FieldType.TIME, _("When the file was written.")),
        Field("players", FieldType.LIST, _("Everybody who sits at one of the tables."), part="player"),
        Field("tables", FieldType.LIST, _("The tables, played last first."), part="table"),
    ),
)
PLAYER = ObjectType(
    "player",
    _("A player"),
    (
        Field("id", FieldType.TEXT, _("The same in every file, whatever the player is called.")),
        Field("name", FieldType.TEXT, _("What everybody says.")),
        Field("colour", FieldType.NUMBER, _("The place of the colour among those to choose from, from 0.")),
        Field("sign", FieldType.TEXT, _("The name of the sign, or nothing.")),
    ),
)
TABLE = ObjectType(
    "table",
    _("A table"),
    (
        Field("id", FieldType.TEXT, _("The same in every file: a table that comes twice is one table.")),
        Field("game", FieldType.TEXT, _("The game, as the notation calls it.")),
        Field("game_version", FieldType.NUMBER, _("The version of the game with which the table was opened.")),
        Field("options", FieldType.WORDS, _("What was agreed on, in the words of the notation.")),
        Field("way", FieldType.TEXT, _("“pad” or “referee”.")),
        Field("note", FieldType.TEXT, _("A note, or nothing.")),
        Field("place", FieldType.TEXT, _("Where it was, or nothing.")),
        Field("began_at", FieldType.TIME, _("When it began.")),
        Field("ended_at", FieldType.TIME, _("When it ended, if that is known."), is_optional=True),
        Field("hides_counts", FieldType.TRUTH, _("Whether counts stay secret until the round is whole.")),
        Field("seats", FieldType.TEXTS, _("The ids of the players, clockwise; null for one who has been erased.")),
        Field("devices", FieldType.TEXTS, _("The names of the phones that entered something.")),
        Field("entries", FieldType.LIST, _("The whole log, the oldest first. Nothing is left out."), part="entry"),
        Field("result", FieldType.PART, _("What the log says: a reader checks it."), part="result"),
    ),
)
ENTRY = ObjectType(
    "entry",
    _("An entry"),
    (
        Field("number", FieldType.NUMBER, _("From 1, without gaps.")),
        Field("key", FieldType.TEXT, _("Made by the phone: the same key twice is one entry.")),
        Field("kind", FieldType.TEXT, _("A play or a count of the game, or what is said of an earlier entry.")),
        Field("round", FieldType.NUMBER, _("From 1; 0 where an entry belongs to no round.")),
        Field("words", FieldType.WORDS, _("Its fields, in the words of the notation.")),
        Field("overruled", FieldType.TEXTS, _("The rules against which the table insisted on it.")),
        Field("game_version", FieldType.NUMBER, _("The version of the game that judged it.")),
        Field("who", FieldType.NUMBER, _("The place of the phone in “devices”, from 0."), is_optional=True),
        Field("at", FieldType.TIME, _("When it was entered.")),
    ),
)
RESULT = ObjectType(
    "result",
    _("The result"),
    (
        Field("game_version", FieldType.NUMBER, _("The version of the game that reckoned it.")),
        Field("totals", FieldType.NUMBERS, _("The total of each side.")),
        Field("ranks", FieldType.NUMBERS, _("The place of each side, from 1; nothing where nobody is ranked.")),
        Field("rounds", FieldType.NUMBER, _("How many rounds count.")),
    ),
)
PARTS = (FILE, PLAYER, TABLE, ENTRY, RESULT)
