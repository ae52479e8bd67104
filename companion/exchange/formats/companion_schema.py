"""Every part of our own format, and what its fields mean: for the writer, the reader and the page that documents it."""

from __future__ import annotations

from companion.core.text import _
from companion.exchange.schema import Field, Part, Shape

FORMAT, VERSION = "companion", 1

FILE = Part(
    "file",
    _("The file"),
    (
        Field("format", Shape.TEXT, _("“companion”, always.")),
        Field("version", Shape.NUMBER, _("1. It rises when an older reader could not understand the file.")),
        Field("written_at", Shape.TIME, _("When the file was written.")),
        Field("players", Shape.LIST, _("Everybody who sits at one of the tables."), part="player"),
        Field("tables", Shape.LIST, _("The tables, played last first."), part="table"),
    ),
)
PLAYER = Part(
    "player",
    _("A player"),
    (
        Field("id", Shape.TEXT, _("The same in every file, whatever the player is called.")),
        Field("name", Shape.TEXT, _("What everybody says.")),
        Field("colour", Shape.NUMBER, _("The place of the colour among those to choose from, from 0.")),
        Field("sign", Shape.TEXT, _("The name of the sign, or nothing.")),
    ),
)
TABLE = Part(
    "table",
    _("A table"),
    (
        Field("id", Shape.TEXT, _("The same in every file: a table that comes twice is one table.")),
        Field("game", Shape.TEXT, _("The game, as the notation calls it.")),
        Field("game_version", Shape.NUMBER, _("The version of the game with which the table was opened.")),
        Field("options", Shape.WORDS, _("What was agreed on, in the words of the notation.")),
        Field("way", Shape.TEXT, _("“pad” or “referee”.")),
        Field("note", Shape.TEXT, _("A note, or nothing.")),
        Field("place", Shape.TEXT, _("Where it was, or nothing.")),
        Field("began_at", Shape.TIME, _("When it began.")),
        Field("ended_at", Shape.TIME, _("When it ended, if that is known."), is_optional=True),
        Field("hides_counts", Shape.TRUTH, _("Whether counts stay secret until the round is whole.")),
        Field("seats", Shape.TEXTS, _("The ids of the players, clockwise; null for one who has been erased.")),
        Field("devices", Shape.TEXTS, _("The names of the phones that entered something.")),
        Field("entries", Shape.LIST, _("The whole log, the oldest first. Nothing is left out."), part="entry"),
        Field("result", Shape.PART, _("What the log says: a reader checks it."), part="result"),
    ),
)
ENTRY = Part(
    "entry",
    _("An entry"),
    (
        Field("number", Shape.NUMBER, _("From 1, without gaps.")),
        Field("key", Shape.TEXT, _("Made by the phone: the same key twice is one entry.")),
        Field("kind", Shape.TEXT, _("A play or a count of the game, or what is said of an earlier entry.")),
        Field("round", Shape.NUMBER, _("From 1; 0 where an entry belongs to no round.")),
        Field("words", Shape.WORDS, _("Its fields, in the words of the notation.")),
        Field("overruled", Shape.TEXTS, _("The rules against which the table insisted on it.")),
        Field("game_version", Shape.NUMBER, _("The version of the game that judged it.")),
        Field("who", Shape.NUMBER, _("The place of the phone in “devices”, from 0."), is_optional=True),
        Field("at", Shape.TIME, _("When it was entered.")),
    ),
)
RESULT = Part(
    "result",
    _("The result"),
    (
        Field("game_version", Shape.NUMBER, _("The version of the game that reckoned it.")),
        Field("totals", Shape.NUMBERS, _("The total of each side.")),
        Field("ranks", Shape.NUMBERS, _("The place of each side, from 1; nothing where nobody is ranked.")),
        Field("rounds", Shape.NUMBER, _("How many rounds count.")),
    ),
)
PARTS = (FILE, PLAYER, TABLE, ENTRY, RESULT)
