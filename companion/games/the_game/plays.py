"""Options, plays and counts of The Game, and their text in the log."""

from dataclasses import dataclass
from typing import TypeAlias

from companion.core.schema import Choice, Incomplete, LabelledEnum, Seated, field
from companion.core.text import SeatName, Text, _, ngettext
from companion.games.the_game.deck import HAND


class Row(LabelledEnum):
    """The four rows: two ascending from 1, two descending from 100."""

    UP_1 = "up-1", _("first ascending row")
    UP_2 = "up-2", _("second ascending row")
    DOWN_1 = "down-1", _("first descending row")
    DOWN_2 = "down-2", _("second descending row")

    @property
    def is_ascending(self) -> bool:
        return self in (Row.UP_1, Row.UP_2)

    @property
    def start(self) -> int:
        """The number that it begins with."""
        return 1 if self.is_ascending else 100


class Expert(LabelledEnum):
    """Difficulty: at least three cards a turn, and optionally one card less in hand."""

    NO = "no", _("Normal"), _("At least two cards a turn.")
    THREE = "three", _("Three cards"), _("At least three cards a turn while the pile lasts.")
    THREE_AND_FEWER = "three-and-fewer", _("Three, smaller hand"), _("Three cards a turn, and one card less in hand.")


@dataclass(frozen=True)
class Options:
    """The variants of a table; `dealer` has no meaning in this game."""

    dealer: int = 0
    expert: Expert = field(_("Expert"), default=Expert.NO)
    on_fire: bool = field(
        _("On Fire"),
        _("22, 33, 44, 55, 66 and 77 burn: on top of a row they must be covered by the end of the next turn."),
        default=False,
    )
    minimum_after_pile: int = field(
        _("Cards a turn after the pile"),
        choices=(
            Choice("1", _("One"), _("Once the pile is exhausted, one card a turn is enough.")),
            Choice("3", _("Three"), _("Experts lay three cards a turn to the end.")),
        ),
        default=1,
    )

    @property
    def minimum(self) -> int:
        return 2 if self.expert is Expert.NO else 3

    def hand(self, seats: int) -> int:
        return HAND[seats] - (self.expert is Expert.THREE_AND_FEWER)


@dataclass(frozen=True)
class PlaceCard:
    """A card laid on a row."""

    seat: int = field(_("Who starts?"))
    card: int = field(_("Which card?"))
    row: Row = field(_("Which row?"))


@dataclass(frozen=True)
class EndTurn(Seated):
    """The end of a turn: the player draws as many cards as they laid."""


@dataclass(frozen=True)
class Stuck:
    """The end of the game: the player cannot lay the minimum."""

    seat: int = field(_("Who is stuck?"))


@dataclass(frozen=True)
class Count:
    """The cards left at the end of the game, as one number, or each hand and the pile.

    Raises Incomplete for neither or both.
    """

    left: int | None = field(_("cards left"), _("all hands and the pile together"), default=None)
    hands: tuple[int, ...] | None = field(_("in hand"), default=None)
    pile: int | None = field(_("draw pile"), default=None)
    burnt: bool = field(_("lost to the fire"), applies=lambda options: options.on_fire, default=False)

    def __post_init__(self) -> None:
        split = (self.hands is not None, self.pile is not None)
        if split not in ((True, True), (False, False)) or (self.left is None) is not all(split):
            raise Incomplete(_("Enter the cards left as one number, or each hand and the pile."), "left")

    @property
    def total(self) -> int:
        return self.left if self.left is not None else sum(self.hands or ()) + (self.pile or 0)


Play: TypeAlias = PlaceCard | EndTurn | Stuck


def describe(options: Options, entry: Play | Count) -> Text:
    """Return the text of an entry in the log."""
    match entry:
        case PlaceCard(seat, card, row):
            return _("{name} lays {card} on the {row}", name=SeatName(seat), card=card, row=row.label)
        case EndTurn(seat):
            return _("{name} ends the turn", name=SeatName(seat))
        case Stuck(seat):
            return _("{name} is stuck", name=SeatName(seat))
        case Count(burnt=True):
            return ngettext("The fire has won with {n} card left", "The fire has won with {n} cards left", entry.total)
        case Count():
            return ngettext("{n} card left", "{n} cards left", entry.total)
