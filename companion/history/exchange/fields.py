"""Every field of our own format, and what it means: for the writer, the reader and the page that documents it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from companion.core.text import Text, _

FORMAT, VERSION = "companion", 1


class Shape(StrEnum):
    """What stands in a field."""

    TEXT = "text"
    NUMBER = "number"
    TRUTH = "truth"
    TIME = "time"
    WORDS = "words"
    TEXTS = "texts"
    NUMBERS = "numbers"
    LIST = "list"
    PART = "part"

    @property
    def label(self) -> Text:
        return _LABELS[self]


_LABELS: Mapping[Shape, Text] = {
    Shape.TEXT: _("text"),
    Shape.NUMBER: _("a whole number"),
    Shape.TRUTH: _("true or false"),
    Shape.TIME: _("a time in UTC, such as 2026-11-20T19:30:00+00:00"),
    Shape.WORDS: _("an object of texts"),
    Shape.TEXTS: _("a list of texts"),
    Shape.NUMBERS: _("a list of whole numbers"),
    Shape.LIST: _("a list of objects"),
    Shape.PART: _("an object"),
}


@dataclass(frozen=True)
class Field:
    """A field: what stands in it, what it means, and whether it may be null."""

    name: str
    shape: Shape
    means: Text
    is_optional: bool = False
    part: str = ""
    """Which kind of object is in it."""


@dataclass(frozen=True)
class Part:
    """A kind of object in the file, with all its fields: each of them is always there."""

    name: str
    label: Text
    fields: tuple[Field, ...]


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
