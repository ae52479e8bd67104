"""Deck of Sideboards."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, lru_cache
from itertools import chain, islice, permutations
from typing import Self

from companion.core.schema import Incomplete, Malformed, display_word
from companion.core.text import Text, _


class Feature(StrEnum):
    """Colour or handle of a drawer; the value is its letter in the notation."""

    label: Text
    letter: Text
    """The letter on the drawer, for players who cannot tell the colours apart."""

    def __new__(cls, word: str, label: Text | None = None, letter: Text | None = None) -> Self:
        member = str.__new__(cls, word)
        member._value_, member.label, member.letter = word, label or Text(word), letter or Text(word)
        return member


class Colour(Feature):
    RED = "R", _("red"), _("R")
    TURQUOISE = "T", _("turquoise"), _("T")
    PINK = "P", _("pink"), _("P")
    ORANGE = "O", _("orange"), _("O")
    BLACK = "B", _("black"), _("B")


class Handle(Feature):
    FLOWER = "f", _("flower"), _("f")
    SQUARE = "s", _("square"), _("s")
    BAR = "b", _("bar"), _("b")


DECK_SIZE = 60
LINES = 5
"""Drawers of a card, and lines of a sideboard."""
DRAWER = "[RTPOB][fsb]?"
CARD = re.compile(f"({DRAWER}){{{LINES}}}", re.ASCII)
UNFINISHED = re.compile(f"({DRAWER}){{0,{LINES - 1}}}", re.ASCII)
_GREEK = str.maketrans("ΚΤΡΠΜλτμ", "RTPOBfsb")
"""Letters on Greek pages."""


@dataclass(frozen=True)
class SideboardCard:
    """Five drawers from top to bottom; `list_faults` says whether such a card can exist."""

    colours: str
    """Five letters."""
    handles: str
    """A letter for each drawer, `-` for one without a handle."""

    @classmethod
    def read(cls, word: str) -> "SideboardCard":
        """Parse a card such as `RfTPsOBb`. Raises Malformed, or Incomplete for fewer than five drawers."""
        plain = word.translate(_GREEK)
        if UNFINISHED.fullmatch(plain):
            raise Incomplete(_("“{word}” is not a whole card yet: it has five drawers.", word=display_word(word)))
        if not CARD.fullmatch(plain):
            message = _(
                "“{word}” is not a card: a card has five drawers from top to bottom, each with the letter of its "
                "colour (R, T, P, O, B) and of its handle, if any (f, s, b).",
                word=display_word(word),
            )
            raise Malformed(message)
        drawers = re.findall(DRAWER, plain)
        return cls("".join(drawer[0] for drawer in drawers), "".join(drawer[1:] or "-" for drawer in drawers))

    def __str__(self) -> str:
        return "".join(chain.from_iterable(zip(self.colours, self.handles, strict=True))).replace("-", "")

    @property
    def turned(self) -> "SideboardCard":
        """The card upside down."""
        return SideboardCard(self.colours[::-1], self.handles[::-1])

    @property
    def label(self) -> Text:
        """The card in the letters of the reader's language."""
        return Text("{a}{b}{c}{d}{e}", tuple(zip("abcde", map(_label_drawer, self.colours, self.handles), strict=True)))

    @property
    def drawers(self) -> tuple[Text, ...]:
        """The card in words, from top to bottom."""
        return tuple(map(describe_drawer, self.colours, self.handles))

    @cached_property
    def lines(self) -> dict[str, int]:
        """The line of each colour and handle, from 0 at the top."""
        lines = {letter: line for line, letter in enumerate(self.colours + self.handles)}
        return {letter: line % LINES for letter, line in lines.items() if letter != "-"}


@lru_cache(maxsize=4_000)
def list_faults(card: SideboardCard) -> tuple[Text, ...]:
    """Return why a card cannot exist: it needs every colour once, and each handle on one drawer."""
    return tuple(_iter_faults(card))


def _iter_faults(card: SideboardCard) -> Iterator[Text]:
    missing = tuple(colour.label for colour in Colour if colour not in card.colours)
    if missing:
        yield _(
            "{card} has no {missing}: every card has each of the five colours once.", card=card.label, missing=missing
        )
    missing = tuple(handle.label for handle in Handle if handle not in card.handles)
    if missing:
        yield _(
            "{card} has no {missing}: every card has each of the three handles once.", card=card.label, missing=missing
        )
    doubled = tuple(handle.label for handle in Handle if card.handles.count(handle) > 1)
    if doubled:
        yield _(
            "{card} has {doubled} more than once: every card has each of the three handles once.",
            card=card.label,
            doubled=doubled,
        )


def _label_drawer(colour: str, handle: str) -> Text:
    if handle == "-":
        return Colour(colour).letter
    return Text("{colour}{handle}", (("colour", Colour(colour).letter), ("handle", Handle(handle).letter)))


def describe_drawer(colour: str, handle: str) -> Text:
    """Return a drawer in words; `-` is no handle."""
    if handle == "-":
        return Colour(colour).label
    return _("{colour} ({handle})", colour=Colour(colour).label, handle=Handle(handle).label)


def _build_samples() -> Iterator[SideboardCard]:
    """Yield every second order of the colours, with the handles moving along."""
    places = tuple(permutations(range(LINES), len(Handle)))
    for number, colours in enumerate(islice(permutations("".join(Colour)), 0, None, 2)):
        held = dict(zip(places[number], Handle, strict=True))
        yield SideboardCard("".join(colours), "".join(held.get(line, "-") for line in range(LINES)))


SAMPLES = tuple(_build_samples())
"""Sixty different well-formed cards; the sixty in the box are not published."""
