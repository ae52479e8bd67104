"""Options, plays and counts of Beavers and Mice, and their text in the log."""

from dataclasses import dataclass
from typing import ClassVar

from companion.core.schema import Incomplete, LabelledEnum, Malformed, Meaning, Seated, field
from companion.core.text import SeatName, Text, _, ngettext
from companion.games.beavers_and_mice.deck import Deck, Face, Revealed


class Slot(LabelledEnum):
    """A slot in a row of four, from its owner's left."""

    FIRST = "1", _("1st card")
    SECOND = "2", _("2nd card")
    THIRD = "3", _("3rd card")
    FOURTH = "4", _("4th card")


@dataclass(frozen=True)
class Options:
    """The variants of a table."""

    dealer: int = field(_("Dealer"), _("The first player in the list deals the first round."), default=0)
    deck: Deck = field(_("Deck"), default=Deck.EUROPEAN)
    turn_another: bool = field(
        _("Cover a special that lies first"),
        _("If the first discard is a special, another card is turned up until a number lies there."),
        default=False,
    )
    rounds: int | None = field(
        _("Rounds"),
        _("One per player, or four with two players. You may agree on another number."),
        range_=range(1, 100),
        default=None,
    )


@dataclass(frozen=True)
class TurnUp(Seated):
    """The top card of the pile, turned up by the dealer as the first discard."""

    card: Face = field(_("Which card was turned up?"))


@dataclass(frozen=True)
class Take(Seated):
    """The top discard taken into the row; `card` is the one discarded in exchange."""

    slot: Slot = field(_("Which card was given?"))
    card: Face = field(_("What did the discarded card show?"))


@dataclass(frozen=True)
class Discard(Seated):
    """A card drawn and discarded; a discarded special has no effect."""

    card: Face = field(_("Which card was discarded?"))


@dataclass(frozen=True)
class Swap(Seated):
    """A number drawn unseen by others; `card` is the card of the row discarded in exchange."""

    slot: Slot = field(_("Which card was given?"))
    card: Face = field(_("What did the discarded card show?"))


@dataclass(frozen=True)
class Exchange(Seated):
    """An Exchange drawn and played: one own card for another player's, both unseen."""

    card: ClassVar = Face.EXCHANGE

    slot: Slot = field(_("Exchange: which card is given?"))
    other: int = field(_("Exchange: with whom?"), meaning=Meaning.SEAT)
    other_slot: Slot = field(_("Exchange: which of their cards is taken?"))


@dataclass(frozen=True)
class Peek(Seated):
    """A Peek drawn and played: a look at one own card."""

    card: ClassVar = Face.PEEK

    slot: Slot = field(_("Peek: at which card?"))


@dataclass(frozen=True)
class TwoChances(Seated):
    """Two Chances drawn and played: the player draws again."""

    card: ClassVar = Face.TWO_CHANCES


@dataclass(frozen=True)
class Reshuffle(Seated):
    """The discards shuffled into a new pile, and its top card turned up."""

    card: Face = field(_("Which card was turned up?"))


@dataclass(frozen=True)
class Knock(Seated):
    """The knock, announced by the player who has just acted."""


@dataclass(frozen=True)
class Reveal(Seated):
    """The four cards of a player turned over, each special with its replacements."""

    cards: tuple[Revealed, ...] = field(
        _("Which four cards?"), box_labels=lambda options, seats: tuple(slot.label for slot in Slot)
    )


Play = TurnUp | Take | Discard | Swap | Exchange | Peek | TwoChances | Reshuffle | Knock | Reveal
Draw = Discard | Swap | Exchange | Peek | TwoChances
"""Plays that draw a card from the pile."""


@dataclass(frozen=True)
class Count(Seated):
    """The four cards of a player, or only their total, and whether the player knocked.

    Raises Incomplete for neither and Malformed for both.
    """

    cards: tuple[Revealed, ...] | None = field(
        _("cards"), box_labels=lambda options, seats: tuple(slot.label for slot in Slot), default=None
    )
    total: int | None = field(_("only the total"), _("instead of the four cards"), default=None)
    knocked: bool = field(_("knocked"), default=False)

    def __post_init__(self) -> None:
        if self.cards is None and self.total is None:
            raise Incomplete(_("Enter the four cards, or only their total."), "cards")
        if self.cards is not None and self.total is not None:
            raise Malformed(_("Enter the four cards or their total, not both."), "total")

    @property
    def points(self) -> int:
        return sum(card.points for card in self.cards) if self.cards is not None else self.total or 0


def describe(options: Options, entry: Play | Count) -> Text:
    """Return the text of an entry in the log."""
    name = SeatName(entry.seat)
    match entry:
        case TurnUp(card=card):
            return _("{name} turns up the first discard: {card}", name=name, card=card.label)
        case Take(slot=slot, card=card):
            return _("{name} takes the discard and gives {card} ({slot})", name=name, card=card.label, slot=slot.label)
        case Discard(card=card):
            return _("{name} draws and discards {card}", name=name, card=card.label)
        case Swap(slot=slot, card=card):
            return _("{name} draws, keeps it and gives {card} ({slot})", name=name, card=card.label, slot=slot.label)
        case Reshuffle(card=card):
            return _("The discards are shuffled into a new pile, and {card} is turned up", card=card.label)
        case Knock():
            return _("{name} knocks: end of the round", name=name)
        case Reveal(cards=cards):
            return _("{name} reveals {cards}", name=name, cards=tuple(card.label for card in cards))
        case Count():
            return _describe_count(entry)
        case _:
            return _describe_special(entry)


def _describe_special(play: Exchange | Peek | TwoChances) -> Text:
    name = SeatName(play.seat)
    match play:
        case Exchange(slot=slot, other=other, other_slot=other_slot):
            return _(
                "{name} plays Exchange: gives the {slot} and takes from {other} the {other_slot}",
                name=name,
                slot=slot.label,
                other=SeatName(other),
                other_slot=other_slot.label,
            )
        case Peek(slot=slot):
            return _("{name} plays Peek: {slot}", name=name, slot=slot.label)
        case TwoChances():
            return _("{name} plays Two Chances", name=name)


def _describe_count(count: Count) -> Text:
    total = ngettext("{n} point", "{n} points", count.points)
    said = (total, _("knocked")) if count.knocked else (total,)
    if count.cards is None:
        return _("{name}: {said}", name=SeatName(count.seat), said=said)
    cards = tuple(card.label for card in count.cards)
    return _("{name}: {cards} · {said}", name=SeatName(count.seat), cards=cards, said=said)
