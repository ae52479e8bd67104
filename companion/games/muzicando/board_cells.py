"""Cards, columns and bids on the board of Muzicando."""

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
    """A card of the deck. A named tuple holding the card's notation, because a page builds and looks up 56 of them."""

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
        """Always empty: the page needs no data for a card."""
        return ()

    @property
    def says(self) -> tuple[Text, ...]:
        """Text for screen readers besides the face."""
        labels = (self.card.has_oval, OVAL), (self.is_laid, LAID)
        colour = self.card.label if self.card.sign else COLOURS[self.card.colour]
        return (colour, *(text for holds, text in labels if holds))

    @property
    def marks(self) -> str:
        """CSS names of colour, sign and oval, then ` legal` and ` laid`, each with a leading space."""
        return _get_css_names(self.card) + " legal" * self.is_legal + " laid" * self.is_laid


class NoteView(NamedTuple):
    """A note in Sarabanda and Glissando, with the sign laid on it."""

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
    """A colour in Parada and Muzicando: the notes laid, from Si down to Do, and whether its sign is laid."""

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
        """CSS names of each note; one of them opens the column: the oval in Parada, Do in Muzicando."""
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
    """A bid on the ladder: whether it is legal now, and whether it is the latest."""

    bid: Bid
    is_legal: bool
    is_last: bool

    @property
    def word(self) -> str:
        return self.bid.value

    @property
    def kind(self) -> str:
        """Name of the kind, not translated."""
        return self.bid.kind.label.message


@cache
def _get_css_names(card: Card) -> str:
    """Return the CSS names of a card's colour and its sign or oval."""
    return f" c{card.colour}" + (f" {card.sign}" if card.sign else "") + " oval" * card.has_oval
