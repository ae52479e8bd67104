"""Options, plays and counts of Take That, and their text in the log."""

from dataclasses import dataclass
from typing import TypeAlias

from companion.core.schema import Seated, field
from companion.core.text import SeatName, Text, _
from companion.games.take_that.deck import reverse_digits


@dataclass(frozen=True)
class Options:
    """The variants of a table."""

    dealer: int = field(_("Dealer"), _("The first player in the list deals the first round."), default=0)
    professional: bool = field(
        _("Professional"),
        _("Taking a row of a single card also costs a penalty card. Recommended for two."),
        default=False,
    )
    rounds: int = field(
        _("Rounds"), _("A match is two rounds; you may agree on more."), range_=range(1, 100), default=2
    )
    reopen_after_pile: bool = field(
        _("One more row after the pile"),
        _("If the pile runs out while the row is empty, the next player opens once more instead of the round ending."),
        default=False,
    )


@dataclass(frozen=True)
class Extend(Seated):
    """A card laid at the right end of the row, or opening a new row."""

    card: int = field(_("Which card?"))


@dataclass(frozen=True)
class Reverse(Seated):
    """A hand card shown; its partner leaves the row, and both lie face up before the player."""

    card: int = field(_("Which card?"))


@dataclass(frozen=True)
class Take(Seated):
    """The whole row taken face down; `penalty` is the card drawn with it in the professional variant."""

    penalty: int | None = field(_("Which penalty card was drawn?"), default=None)


@dataclass(frozen=True)
class Count(Seated):
    """A player's cards at the end of a round; `hand` serves only as a check."""

    face_up: int = field(_("face up"))
    face_down: int = field(_("face down"))
    toads: int = field(_("toads"), _("of the cards face down"))
    hand: int | None = field(_("in hand"), _("only to check the count"), default=None)


Play: TypeAlias = Extend | Reverse | Take


def describe(options: Options, entry: Play | Count) -> Text:
    """Return the text of an entry in the log."""
    name = SeatName(entry.seat)
    match entry:
        case Extend(card=card):
            return _("{name} lays {card}", name=name, card=card)
        case Reverse(card=card):
            return _("{name} reverses {partner} with {card}", name=name, card=card, partner=reverse_digits(card))
        case Take(penalty=None):
            return _("{name} takes the row", name=name)
        case Take(penalty=card):
            return _("{name} takes the row and draws {card}", name=name, card=card or 0)
        case Count(face_up=up, face_down=down, toads=toads):
            return _(
                "{name}: {up} face up, {down} face down, toads among them: {toads}",
                name=name,
                up=up,
                down=down,
                toads=toads,
            )
