"""Patterns and cards of Sideboards while they are being tapped."""

import re
from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple, Self

from companion.core.schema import Malformed, display_word
from companion.core.text import Text, _
from companion.games.sideboards.deck import CARD, LINES, UNFINISHED, Colour, Handle
from companion.games.sideboards.packing import Mask
from companion.games.sideboards.plays import COLUMNS

BLANK_COLUMN = "-" * LINES
"""A column with no known drawer."""


class PatternKey(NamedTuple):
    """A button: the value it posts, its colour or handle, its face and label, and whether it is pressed."""

    word: str
    kind: str
    face: Text | None
    label: Text
    is_on: bool = False
    number: int = 0
    """The number of the instance that counts the drawer, or 0."""


@dataclass(frozen=True)
class DrawnPattern:
    """A letter or `-` for every drawer, column by column; no letter twice in a column."""

    kinds: ClassVar[tuple[Colour | Handle, ...]]

    columns: tuple[str, ...] = (BLANK_COLUMN,) * COLUMNS

    @classmethod
    def read(cls, word: str) -> Self:
        """Parse `R--T-.-R---`, one part per column, `-` for a column in which nothing is known."""
        columns = tuple(BLANK_COLUMN if column == "-" else column for column in word.split("."))
        if len(columns) > COLUMNS or not all(map(cls._is_column, columns)):
            raise Malformed(_("“{word}” does not describe the drawers of a sideboard.", word=display_word(word)))
        return cls((*columns, *(BLANK_COLUMN,) * (COLUMNS - len(columns))))

    @classmethod
    def _is_column(cls, column: str) -> bool:
        letters = column.replace("-", "")
        return len(column) == LINES and set(letters) <= set(cls.kinds) and len(set(letters)) == len(letters)

    def __str__(self) -> str:
        return re.sub(r"(\.-)+$", "", ".".join("-" if column == BLANK_COLUMN else column for column in self.columns))

    def mask(self, kind: Colour | Handle) -> Mask:
        positions = ((place, column.index(kind)) for place, column in enumerate(self.columns) if kind in column)
        return sum(1 << (LINES * column + line) for column, line in positions)

    def with_toggled(self, kind: Colour | Handle, line: int, column: int) -> Self:
        """Return the pattern with a drawer toggled; a card has each colour or handle only once."""
        before = self.columns[column]
        freed = before.replace(kind, "-")
        after = freed if before[line] == kind else self._complete_column(freed[:line] + kind + freed[line + 1 :])
        return replace(self, columns=(*self.columns[:column], after, *self.columns[column + 1 :]))

    def _complete_column(self, column: str) -> str:
        """Return the column with its last drawer filled in, which can only have the colour that is left."""
        missing = "".join(kind for kind in self.kinds if kind not in column)
        return column.replace("-", missing) if len(missing) == column.count("-") == 1 else column


@dataclass(frozen=True)
class Colours(DrawnPattern):
    kinds: ClassVar = tuple(Colour)


@dataclass(frozen=True)
class Handles(DrawnPattern):
    kinds: ClassVar = tuple(Handle)


@dataclass(frozen=True)
class PartialCard:
    """The drawers of a card tapped so far, from the top; not necessarily a possible card."""

    word: str = ""

    @classmethod
    def read(cls, word: str) -> "PartialCard":
        if not (UNFINISHED.fullmatch(word) or CARD.fullmatch(word)):
            raise Malformed(_("“{word}” does not describe the drawers of a card.", word=display_word(word)))
        return cls(word)

    def __str__(self) -> str:
        return self.word

    @property
    def drawers(self) -> tuple[str, ...]:
        """The notation of each drawer."""
        return tuple(re.findall("[RTPOB][fsb]?", self.word))

    @property
    def is_whole(self) -> bool:
        return len(self.drawers) == LINES

    @property
    def shorter(self) -> str:
        return self.word[:-1]

    def with_colour(self, colour: Colour) -> str:
        """Return the notation with one more drawer."""
        return "" if self.is_whole else self.word + colour

    def with_handle(self, handle: Handle) -> str:
        """Return the notation with a handle on the last drawer, replacing any other."""
        return self.word.rstrip("fsb") + handle if self.word else ""
