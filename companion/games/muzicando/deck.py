"""Deck of Muzicando."""

from dataclasses import dataclass
from functools import cached_property

from companion.core.errors import Malformed, display_word
from companion.core.schema import LabelledEnum
from companion.core.text import Text, _

NOTES = (_("Do"), _("Re"), _("Mi"), _("Fa"), _("Sol"), _("La"), _("Si"))
COLOURS = (_("red"), _("orange"), _("yellow"), _("green"), _("blue"), _("indigo"), _("violet"))
STEPS = len(NOTES)
DO = 0
SIGN = STEPS
"""Step of the sign cards, which are not notes."""

_COLOUR_WORDS = ("red", "orange", "yellow", "green", "blue", "indigo", "violet")
_NOTE_WORDS = ("do", "re", "mi", "fa", "sol", "la", "si")


class Sign(LabelledEnum):
    """Signs, which make players miss a turn."""

    SHARP = "sharp", _("sharp")
    NATURAL = "natural", _("natural")
    FLAT = "flat", _("flat")
    REST = "rest", _("rest")


SIGNS = (Sign.SHARP, Sign.SHARP, Sign.NATURAL, Sign.NATURAL, Sign.FLAT, Sign.FLAT, Sign.REST)
"""The sign of each colour."""
_SIGN_CARDS = (
    _("red sharp"),
    _("orange sharp"),
    _("yellow natural"),
    _("green natural"),
    _("blue flat"),
    _("indigo flat"),
    _("violet rest"),
)


@dataclass(frozen=True, order=True)
class Card:
    """A card by colour number and step: 0 to 6 are Do to Si, 7 is the sign. Written `red-do`."""

    colour: int
    step: int

    @classmethod
    def read(cls, word: str) -> "Card":
        if word not in _BY_WORD:
            raise Malformed(_("There is no card “{word}” in the deck.", word=display_word(word)))
        return _BY_WORD[word]

    def __str__(self) -> str:
        return f"{_COLOUR_WORDS[self.colour]}-{self.sign or _NOTE_WORDS[self.step]}"

    def __hash__(self) -> int:
        """Return a small unique int: much faster than the generated hash, and every page looks up every card."""
        return self.colour << 3 | self.step

    @cached_property
    def sign(self) -> Sign | None:
        return SIGNS[self.colour] if self.step == SIGN else None

    @property
    def has_oval(self) -> bool:
        """Whether the note opens its colour: red Do, orange Re, and so on up to violet Si."""
        return self.step == self.colour

    @cached_property
    def name(self) -> Text:
        """Name of the note or sign, without its colour."""
        return self.sign.label if self.sign else NOTES[self.step]

    @cached_property
    def label(self) -> Text:
        if self.sign:
            return _SIGN_CARDS[self.colour]
        return _("{colour} {note}", colour=COLOURS[self.colour], note=NOTES[self.step])


DECK = tuple(Card(colour, step) for colour in range(len(COLOURS)) for step in range(STEPS + 1))
_BY_WORD = {str(card): card for card in DECK}


def are_neighbours(one: int, other: int) -> bool:
    """Return whether two notes are a step apart; Do is beside Si."""
    return (one - other) % STEPS in (1, STEPS - 1)
