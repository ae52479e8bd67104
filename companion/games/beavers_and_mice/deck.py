"""Deck of Beavers and Mice."""

from dataclasses import dataclass

from companion.core.schema import Incomplete, LabelledEnum, Malformed, display_word
from companion.core.text import Text, _

ROW = 4
"""Cards in each player's row."""
MAX_REPLACEMENTS = 25
"""More than all specials of a deck and the number that ends the chain."""


class Face(LabelledEnum):
    """Face of a card: a number, or one of the three specials."""

    ZERO = "0"
    ONE = "1"
    TWO = "2"
    THREE = "3"
    FOUR = "4"
    FIVE = "5"
    SIX = "6"
    SEVEN = "7"
    EIGHT = "8"
    NINE = "9"
    EXCHANGE = "exchange", _("Exchange")
    PEEK = "peek", _("Peek")
    TWO_CHANCES = "two-chances", _("Two Chances")

    @property
    def is_special(self) -> bool:
        return self in SPECIALS

    @property
    def points(self) -> int:
        """Value of a number; specials have none."""
        return 0 if self in SPECIALS else int(self)


SPECIALS = (Face.EXCHANGE, Face.PEEK, Face.TWO_CHANCES)
NUMBERS = tuple(face for face in Face if face not in SPECIALS)
SIGNS = {"⇄": Face.EXCHANGE, "◉": Face.PEEK, "②": Face.TWO_CHANCES}
"""How specials are typed on the pad, where their names are too long for a box."""


class Deck(LabelledEnum):
    """The two editions: 66 cards, or 54 with three of each special."""

    EUROPEAN = "european", _("66 cards"), _("Nine Exchange, seven Peek and five Two Chances.")
    AMERICAN = "american", _("54 cards"), _("The American edition: three of each special.")

    @property
    def cards(self) -> dict[Face, int]:
        """Number of cards of each face."""
        return _DECKS[self]

    @property
    def size(self) -> int:
        return sum(self.cards.values())


_COUNTED = {face: 9 if face is Face.NINE else 4 for face in NUMBERS}
_DECKS = {
    Deck.EUROPEAN: {**_COUNTED, Face.EXCHANGE: 9, Face.PEEK: 7, Face.TWO_CHANCES: 5},
    Deck.AMERICAN: {**_COUNTED, **dict.fromkeys(SPECIALS, 3)},
}


@dataclass(frozen=True)
class Revealed:
    """A revealed card: a number, or specials and the number that finally replaced them."""

    faces: tuple[Face, ...]

    @classmethod
    def read(cls, word: str) -> "Revealed":
        """Parse `7`, `peek>8` or `peek>exchange>3`, or the same with signs (`◉⇄3`). Raises Malformed."""
        notation = word.strip()
        if not notation:
            raise Incomplete(_("Some of these boxes are still empty."))
        for sign, face in SIGNS.items():
            notation = notation.replace(sign, f"{face}>")
        parts = notation.split(">", MAX_REPLACEMENTS)
        if unknown := next((part for part in parts if part and part not in list(Face)), ""):
            raise Malformed(
                _("“{word}” is not a card: the cards are 0 to 9 and the three specials.", word=display_word(unknown))
            )
        *before, last = (Face(part) if part else None for part in parts)
        if last is None or last.is_special:
            raise Malformed(_("“{word}” doesn’t end with a number: what was the last one?", word=display_word(word)))
        specials = tuple(face for face in before if face is not None and face.is_special)
        if len(specials) < len(before):
            raise Malformed(_("“{word}”: only a special is replaced.", word=display_word(word)))
        return cls((*specials, last))

    def __str__(self) -> str:
        return ">".join(self.faces)

    @property
    def points(self) -> int:
        return self.faces[-1].points

    @property
    def replacements(self) -> int:
        """Number of cards drawn to replace it."""
        return len(self.faces) - 1

    @property
    def label(self) -> Text:
        gaps = tuple((f"card{index}", face.label) for index, face in enumerate(self.faces))
        return Text(" → ".join("{" + name + "}" for name, _label in gaps), gaps)
