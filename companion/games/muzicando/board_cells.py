"""Cards, columns and bids on the board of Muzicando."""

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
    def tags(self) -> tuple[str, ...]:
        """The tags of the card itself, and `laid`."""
        return _get_card_tags(self.card) + ("laid",) * self.is_laid

    @property
    def notes(self) -> tuple[Text, ...]:
        """Text for screen readers besides the face."""
        labels = (self.card.has_oval, OVAL), (self.is_laid, LAID)
        colour = self.card.label if self.card.sign else COLOURS[self.card.colour]
        return (colour, *(text for holds, text in labels if holds))


class NoteView(NamedTuple):
    """A note in Sarabanda and Glissando, with the sign laid on it."""

    card: Card
    sign: Card | None
    is_end: bool

    @property
    def tags(self) -> tuple[str, ...]:
        """The tags of the card itself, `end` at an end of the row, and `with-` the sign laid on it."""
        return _get_card_tags(self.card) + ("end",) * self.is_end + ((f"with-{self.sign.sign}",) if self.sign else ())

    @property
    def symbol(self) -> str:
        return _get_drawn_symbol(self.sign.sign if self.sign else None)

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
    def cells(self) -> tuple[tuple[str, ...], ...]:
        """Tags of each note: `on` if it is laid; `oval` (Parada) or `first` (Muzicando) if it opens the column."""
        step, opener = (self.colour, "oval") if self.kind is Kind.PARADA else (DO, "first")
        opening_index = STEPS - 1 - step
        return tuple(("on",) * lies + (opener,) * (index == opening_index) for index, lies in enumerate(self.notes))

    @property
    def symbol(self) -> str:
        return _get_drawn_symbol(self.sign)

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


def _get_drawn_symbol(sign: Sign | None) -> str:
    """Return the symbol of a sign on the table; nothing for a rest, which is drawn as a picture."""
    return SYMBOLS[sign] if sign and sign is not Sign.REST else ""


@cache
def _get_card_tags(card: Card) -> tuple[str, ...]:
    """Return its colour, `c0` to `c6`, and its sign or `oval`."""
    return (f"c{card.colour}", *((str(card.sign),) if card.sign else ()), *(("oval",) if card.has_oval else ()))
