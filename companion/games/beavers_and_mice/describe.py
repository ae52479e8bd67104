"""Log texts of Beavers and Mice."""

from __future__ import annotations

from companion.core.text import SeatName, Text, _, ngettext
from companion.games.beavers_and_mice.plays import (
    Count,
    Discard,
    Exchange,
    Knock,
    Options,
    Peek,
    Play,
    Reshuffle,
    Reveal,
    Swap,
    Take,
    TurnUp,
    TwoChances,
)


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
