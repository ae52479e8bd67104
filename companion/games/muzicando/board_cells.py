"""Cards, columns and bids as the board of Muzicando shows them."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from companion.core.text import Text, _
from companion.games.muzicando.bids import Bid, Kind
from companion.games.muzicando.deck import COLOURS, DO, NOTES, SIGN, STEPS, Card, Sign

LAID, OVAL = _("laid"), _("oval")
SYMBOLS = {Sign.SHARP: "♯", Sign.NATURAL: "♮", Sign.FLAT: "♭", Sign.REST: "𝄽"}
"""How signs look."""


class CardView(NamedTuple):
    """A card of the deck: whether it lies, and whether it may be laid now. A tuple, for a page has 56 and looks up
    each by its value; the card is told by its word, which is quicker to compare."""

    word: str
    is_laid: bool
    is_legal: bool

    @property
    def card(self) -> Card:
        return Card.read(self.word)

    @property
    def face(self) -> Text:
        return Text(SYMBOLS[self.card.sign]) if self.card.sign else self.card.name

    @property
    def data(self) -> tuple[tuple[str, str], ...]:
        """Nothing more for the page to know."""
        return ()

    @property
    def says(self) -> tuple[Text, ...]:
        """What a screen reader says of it beside its face."""
        labels = (self.card.has_oval, OVAL), (self.is_laid, LAID)
        colour = self.card.label if self.card.sign else COLOURS[self.card.colour]
        return (colour, *(text for holds, text in labels if holds))

    @property
    def marks(self) -> str:
        """How it looks: colour, sign and oval, and the words ` legal` and ` laid`, each with a space before it."""
        return _get_css_names(self.card) + " legal" * self.is_legal + " laid" * self.is_laid


class NoteView(NamedTuple):
    """A note as it lies in Sarabanda and Glissando, with the sign that was laid on it."""

    card: Card
    sign: Card | None
    is_end: bool

    @property
    def marks(self) -> str:
        return _get_css_names(self.card) + " end" * self.is_end + (f" with-{self.sign.sign}" if self.sign else "")

    @property
    def symbol(self) -> str:
        return SYMBOLS[self.sign.sign] if self.sign and self.sign.sign else ""

    @property
    def label(self) -> Text:
        if self.sign:
            return _("{card} with {sign}", card=self.card.label, sign=self.sign.label)
        return self.card.label


class ColumnView(NamedTuple):
    """A colour in Parada and Muzicando: which notes lie, from Si down to Do, and whether its sign does."""

    colour: int
    notes: tuple[bool, ...]
    has_sign: bool
    kind: Kind

    @property
    def label(self) -> Text:
        laid = [NOTES[STEPS - 1 - index] for index, lies in enumerate(self.notes) if lies][::-1]
        sign = (Card(self.colour, SIGN).name,) if self.has_sign else ()
        cards = (*laid, *sign) or (_("nothing"),)
        return _("{colour}: {cards}", colour=COLOURS[self.colour], cards=cards)

    @property
    def cells(self) -> tuple[str, ...]:
        """How each of its notes looks; one of them opens the column: the oval in Parada, Do in Muzicando."""
        step, look = (self.colour, " oval") if self.kind is Kind.PARADA else (DO, " first")
        opener = STEPS - 1 - step
        return tuple(" on" * lies + look * (index == opener) for index, lies in enumerate(self.notes))

    @property
    def symbol(self) -> str:
        return SYMBOLS[Card(self.colour, SIGN).sign or Sign.REST] if self.has_sign else ""

    @property
    def sign(self) -> Sign | None:
        return Card(self.colour, SIGN).sign if self.has_sign else None


class BidView(NamedTuple):
    """A bid of the ladder: whether it can be made now, and whether it is the last one."""

    bid: Bid
    is_legal: bool
    is_last: bool

    @property
    def word(self) -> str:
        return self.bid.value

    @property
    def kind(self) -> str:
        """The name of the kind, which is the same in every language."""
        return self.bid.kind.label.message


@cache
def _get_css_names(card: Card) -> str:
    """The colour, the sign or the oval of a card, as names of its look."""
    return f" c{card.colour}" + (f" {card.sign}" if card.sign else "") + " oval" * card.has_oval
