"""Patterns and cards of Sideboards while they are being tapped."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple, Self

from companion.core.schema import Malformed, display_word
from companion.core.text import Text, _
from companion.games.sideboards.deck import CARD, LINES, UNFINISHED, Colour, Handle
from companion.games.sideboards.packing import Mask
from companion.games.sideboards.plays import COLUMNS

NONE = "-" * LINES
"""A column in which nothing is known."""


class PatternKey(NamedTuple):
    """A button: what it sends, whether it is pressed, what stands on it and what it is called."""

    word: str
    is_on: bool
    kind: str
    face: Text
    label: Text


@dataclass(frozen=True)
class DrawnPattern:
    """A letter or `-` for every drawer, column by column; a card has no letter twice."""

    kinds: ClassVar[tuple[Colour | Handle, ...]]

    columns: tuple[str, ...] = (NONE,) * COLUMNS

    @classmethod
    def read(cls, word: str) -> Self:
        """As the words of an address spell them: `R--T-.-R---`, with `-` for a column in which nothing is known."""
        columns = tuple(NONE if column == "-" else column for column in word.split("."))
        if len(columns) > COLUMNS or not all(map(cls._is_column, columns)):
            raise Malformed(_("“{word}” does not describe the drawers of a sideboard.", word=display_word(word)))
        return cls((*columns, *(NONE,) * (COLUMNS - len(columns))))

    @classmethod
    def _is_column(cls, column: str) -> bool:
        letters = column.replace("-", "")
        return len(column) == LINES and set(letters) <= set(cls.kinds) and len(set(letters)) == len(letters)

    def __str__(self) -> str:
        return re.sub(r"(\.-)+$", "", ".".join("-" if column == NONE else column for column in self.columns))

    def mask(self, kind: Colour | Handle) -> Mask:
        positions = ((place, column.index(kind)) for place, column in enumerate(self.columns) if kind in column)
        return sum(1 << (LINES * column + line) for column, line in positions)

    def tapped(self, kind: Colour | Handle, line: int, column: int) -> Self:
        """With a drawer of this kind there, and so no other on that card; or without it, if it was there."""
        before = self.columns[column]
        freed = before.replace(kind, "-")
        after = freed if before[line] == kind else self._completed(freed[:line] + kind + freed[line + 1 :])
        return replace(self, columns=(*self.columns[:column], after, *self.columns[column + 1 :]))

    def _completed(self, column: str) -> str:
        """The last drawer of a card has the colour that is left."""
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
    """A card from the top, as far as it has been tapped; there need not be such a card."""

    word: str = ""

    @classmethod
    def read(cls, word: str) -> PartialCard:
        if not (UNFINISHED.fullmatch(word) or CARD.fullmatch(word)):
            raise Malformed(_("“{word}” does not describe the drawers of a card.", word=display_word(word)))
        return cls(word)

    def __str__(self) -> str:
        return self.word

    @property
    def drawers(self) -> tuple[str, ...]:
        """Each as its letter of colour, with that of its handle."""
        return tuple(re.findall("[RTPOB][fsb]?", self.word))

    @property
    def is_whole(self) -> bool:
        return len(self.drawers) == LINES

    @property
    def shorter(self) -> str:
        return self.word[:-1]

    def with_colour(self, colour: Colour) -> str:
        """Spelt with one more drawer."""
        return "" if self.is_whole else self.word + colour

    def with_handle(self, handle: Handle) -> str:
        """Spelt with a handle on the last drawer, in place of another one."""
        return self.word.rstrip("fsb") + handle if self.word else ""
