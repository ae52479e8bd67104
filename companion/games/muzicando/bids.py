"""Kinds, bids and card positions of Muzicando."""

from __future__ import annotations

from enum import StrEnum

from companion.core.text import Text, _
from companion.games.muzicando.deck import Card


class Kind(StrEnum):
    """Kinds of deal, in ascending order of value."""

    SARABANDA = "s"
    GLISSANDO = "g"
    PARADA = "p"
    MUZICANDO = "m"

    @property
    def label(self) -> Text:
        return _KIND_LABELS[self]

    @property
    def hint(self) -> Text:
        """How the cards are laid, in a few words."""
        return _HINTS[self]

    @property
    def value_in_points(self) -> int:
        return tuple(Kind).index(self) + 1


_KIND_LABELS = {
    Kind.SARABANDA: Text("Sarabanda"),
    Kind.GLISSANDO: Text("Glissando"),
    Kind.PARADA: Text("Parada"),
    Kind.MUZICANDO: Text("Muzicando"),
}
"""Proper names, not translated."""
_HINTS = {
    Kind.SARABANDA: _("one row that grows at both ends, in any colour"),
    Kind.GLISSANDO: _("rows of falling notes, in any colour"),
    Kind.PARADA: _("seven columns, each around its oval"),
    Kind.MUZICANDO: _("seven piles, each from Do to Si"),
}


class Bid(StrEnum):
    """Level and kind, in ascending order."""

    S1 = "1S"
    G1 = "1G"
    P1 = "1P"
    M1 = "1M"
    S2 = "2S"
    G2 = "2G"
    P2 = "2P"
    M2 = "2M"
    S3 = "3S"
    G3 = "3G"
    P3 = "3P"
    M3 = "3M"
    S4 = "4S"
    G4 = "4G"
    P4 = "4P"
    M4 = "4M"

    @property
    def level(self) -> int:
        return int(self[0])

    @property
    def kind(self) -> Kind:
        return Kind(self[1].lower())

    @property
    def rank(self) -> int:
        """Position among all bids, from 0."""
        return _RANKS[self]

    @property
    def points(self) -> int:
        """Level plus the value of the kind."""
        return self.level + self.kind.value_in_points

    @property
    def label(self) -> Text:
        return Text(self.value)


_RANKS = {bid: rank for rank, bid in enumerate(Bid)}


class LayPosition(StrEnum):
    """Where a card is laid if there is a choice: an end of a row, named by its oval in Glissando, or a new row."""

    LEFT = "left"
    RIGHT = "right"
    ABOVE = "above"
    BELOW = "below"
    DO_LOW = "do-low"
    DO_HIGH = "do-high"
    RE_LOW = "re-low"
    RE_HIGH = "re-high"
    MI_LOW = "mi-low"
    MI_HIGH = "mi-high"
    FA_LOW = "fa-low"
    FA_HIGH = "fa-high"
    SOL_LOW = "sol-low"
    SOL_HIGH = "sol-high"
    LA_LOW = "la-low"
    LA_HIGH = "la-high"
    SI_LOW = "si-low"
    SI_HIGH = "si-high"

    @property
    def label(self) -> Text:
        return _POSITION_LABELS[self]


LOW_ENDS = (
    LayPosition.DO_LOW,
    LayPosition.RE_LOW,
    LayPosition.MI_LOW,
    LayPosition.FA_LOW,
    LayPosition.SOL_LOW,
    LayPosition.LA_LOW,
    LayPosition.SI_LOW,
)
"""The right end of the row with each oval: rows run from the higher note on the left to the lower on the right."""
HIGH_ENDS = (
    LayPosition.DO_HIGH,
    LayPosition.RE_HIGH,
    LayPosition.MI_HIGH,
    LayPosition.FA_HIGH,
    LayPosition.SOL_HIGH,
    LayPosition.LA_HIGH,
    LayPosition.SI_HIGH,
)

_POSITION_LABELS = {
    LayPosition.LEFT: _("at the left end"),
    LayPosition.RIGHT: _("at the right end"),
    LayPosition.ABOVE: _("a new row above"),
    LayPosition.BELOW: _("a new row below"),
    **{end: _("right end of the row with {card}", card=Card(step, step).label) for step, end in enumerate(LOW_ENDS)},
    **{end: _("left end of the row with {card}", card=Card(step, step).label) for step, end in enumerate(HIGH_ENDS)},
}
