"""Kinds, bids and card positions of Muzicando."""

from companion.core.schema import LabelledEnum
from companion.core.text import Text, _
from companion.games.muzicando.deck import Card


class Kind(LabelledEnum):
    """Kinds of deal, in ascending order of value, by their proper names."""

    SARABANDA = "s", Text("Sarabanda"), _("one row that grows at both ends, in any colour")
    GLISSANDO = "g", Text("Glissando"), _("rows of falling notes, in any colour")
    PARADA = "p", Text("Parada"), _("seven columns, each around its oval")
    MUZICANDO = "m", Text("Muzicando"), _("seven piles, each from Do to Si")

    @property
    def value_in_points(self) -> int:
        return tuple(Kind).index(self) + 1


class Bid(LabelledEnum):
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
        return tuple(Bid).index(self)

    @property
    def points(self) -> int:
        """Level plus the value of the kind."""
        return self.level + self.kind.value_in_points


def _label_end(end: Text, step: int) -> Text:
    return end.with_values(card=Card(step, step).label)


_LOW_END, _HIGH_END = _("right end of the row with {card}"), _("left end of the row with {card}")


class LayPosition(LabelledEnum):
    """Where a card is laid if there is a choice: an end of a row, named by its oval in Glissando, or a new row.

    The hint is what a list of positions says.
    """

    LEFT = "left", _("at the left end"), _("Left end")
    RIGHT = "right", _("at the right end"), _("Right end")
    ABOVE = "above", _("a new row above"), _("New row above")
    BELOW = "below", _("a new row below"), _("New row below")
    DO_LOW = "do-low", _label_end(_LOW_END, 0)
    DO_HIGH = "do-high", _label_end(_HIGH_END, 0)
    RE_LOW = "re-low", _label_end(_LOW_END, 1)
    RE_HIGH = "re-high", _label_end(_HIGH_END, 1)
    MI_LOW = "mi-low", _label_end(_LOW_END, 2)
    MI_HIGH = "mi-high", _label_end(_HIGH_END, 2)
    FA_LOW = "fa-low", _label_end(_LOW_END, 3)
    FA_HIGH = "fa-high", _label_end(_HIGH_END, 3)
    SOL_LOW = "sol-low", _label_end(_LOW_END, 4)
    SOL_HIGH = "sol-high", _label_end(_HIGH_END, 4)
    LA_LOW = "la-low", _label_end(_LOW_END, 5)
    LA_HIGH = "la-high", _label_end(_HIGH_END, 5)
    SI_LOW = "si-low", _label_end(_LOW_END, 6)
    SI_HIGH = "si-high", _label_end(_HIGH_END, 6)


LOW_ENDS = tuple(at for at in LayPosition if at.endswith("-low"))
"""The right end of the row with each oval: rows run from the higher note on the left to the lower on the right."""
HIGH_ENDS = tuple(at for at in LayPosition if at.endswith("-high"))
