"""Options, plays and counts of Muzicando, and their text in the log."""

from dataclasses import dataclass
from typing import TypeAlias

from companion.core.schema import Incomplete, Meaning, Seated, field
from companion.core.text import SeatName, Text, _, name_seats, ngettext
from companion.games.muzicando.bids import Bid, Kind, LayPosition
from companion.games.muzicando.deck import DECK, Card

TEAM = 4
"""Number of players in a team game."""
DEALS = 4
"""Fewest deals of a team game."""
HAND = 7
"""Cards dealt to each player in the individual game; the rest is the stock."""


@dataclass(frozen=True)
class Options:
    """The variants of a table."""

    dealer: int = field(_("Dealer"), _("The first player in the list deals the first round."), default=0)
    individual: bool = field(
        _("Each for themselves"),
        _("For four players, who are two teams otherwise. Draw notes and sit from Do on, in the order of the list."),
        default=False,
    )
    whole_deck: bool = field(
        _("Whole deck with levels"),
        _("Each for themselves with all 56 cards and a bidding: for 2, 4, 7 or 8 players."),
        default=False,
    )
    rounds: int | None = field(
        _("Deals"),
        _(
            "Blank: four in teams, otherwise one per player. "
            "Teams play at least four; otherwise everybody deals equally often."
        ),
        range_=range(1, 100),
        default=None,
    )
    parada_wrap: bool = field(
        _("Do beside Si in Parada"), _("A column continues from Si to Do, and from Do to Si."), default=False
    )
    redeal: bool = field(
        _("New deal when all pass"),
        _("If nobody bids, the cards are dealt again. Otherwise the first player must bid."),
        default=False,
    )
    chooser_only: bool = field(
        _("Kind for the chooser only"),
        _("Each for themselves: only the player who chose the kind scores its value."),
        default=False,
    )
    signs_between: bool = field(
        _("Signs only between notes"),
        _("In Sarabanda and Glissando a sign lies only on a note between two others."),
        default=False,
    )
    any_row: bool = field(
        _("New rows at any note"),
        _("In Glissando a new row fits beside any note of the topmost or bottommost row, not only its opening note."),
        default=False,
    )

    def is_team(self, seats: int) -> bool:
        return seats == TEAM and not self.individual and not self.whole_deck

    def sides(self, seats: int) -> tuple[tuple[int, ...], ...]:
        """Return North and South against East and West in a team game, or else every seat alone."""
        return ((0, 2), (1, 3)) if self.is_team(seats) else tuple((seat,) for seat in range(seats))

    def has_bidding(self, seats: int) -> bool:
        return self.whole_deck or self.is_team(seats)

    def hand(self, seats: int) -> int:
        """Return the number of cards dealt to each player."""
        return len(DECK) // seats if self.has_bidding(seats) else HAND

    def deals(self, seats: int) -> int:
        return self.rounds or (DEALS if self.is_team(seats) else seats)


@dataclass(frozen=True)
class Call(Seated):
    """A bid."""

    bid: Bid = field(_("Which bid?"))


@dataclass(frozen=True)
class Choose(Seated):
    """The kind chosen for the deal, without bidding."""

    opening: Kind = field(_("Which kind?"))


@dataclass(frozen=True)
class Pass(Seated):
    """A pass in the bidding or in play; in the individual game the player draws a card while the stock lasts."""


@dataclass(frozen=True)
class Lay(Seated):
    """A card laid; `at` is the position if there is a choice."""

    card: Card = field(_("Which card?"))
    at: LayPosition | None = field(_("Where does it go?"), default=None)


@dataclass(frozen=True)
class Stop(Seated):
    """The end of a run after a rest."""


@dataclass(frozen=True)
class Foul:
    """A broken rule, which cancels the deal."""

    seat: int = field(_("Who broke the rules?"))


@dataclass(frozen=True)
class Deal:
    """The result of a deal: what was played and who went out in which order, or who broke the rules.

    The last player follows from the others. Facts recorded before a rule was broken are kept, but score nothing.
    Raises Incomplete while something is missing.
    """

    players: int = field(_("players"), meaning=Meaning.TABLE_SIZE)
    bidder: int | None = field(_("Who bid highest?"), meaning=Meaning.SEAT, default=None)
    bid: Bid | None = field(_("Contract"), default=None)
    opening: Kind | None = field(_("Kind"), default=None)
    chooser: int | None = field(
        _("Who chose it?"), meaning=Meaning.SEAT, applies=lambda options: options.chooser_only, default=None
    )
    order: tuple[int, ...] = field(_("Order of going out"), meaning=Meaning.SEAT_ORDER, may_be_shorter=True, default=())
    stuck: bool = field(_("Whoever isn’t named couldn’t lay all their cards"), default=False)
    foul: int | None = field(_("Who broke the rules?"), meaning=Meaning.SEAT, default=None)

    def __post_init__(self) -> None:
        if self.foul is not None:
            return
        if self.bid is None and self.opening is None:
            raise Incomplete(_("What was played?"), "bid")
        if (self.bid is None) is not (self.bidder is None):
            raise Incomplete(_("A contract needs both a bid and a bidder."), "bid" if self.bid is None else "bidder")
        if not self.stuck and len(self.order) < self.players - 1:
            raise Incomplete(_("Who went out next? Or could nobody else lay all their cards?"), "order")

    @property
    def kind(self) -> Kind | None:
        return self.bid.kind if self.bid is not None else self.opening

    @property
    def finished(self) -> tuple[int, ...]:
        """Everybody who has gone out, in order, with the last player if that follows."""
        left = tuple(seat for seat in range(self.players) if seat not in self.order)
        return self.order if self.stuck or len(left) != 1 else (*self.order, *left)


Play: TypeAlias = Call | Choose | Pass | Lay | Stop | Foul


def describe(options: Options, entry: Play | Deal) -> Text:
    """Return the text of an entry in the log."""
    match entry:
        case Call(seat, bid):
            return _("{name} bids {bid}", name=SeatName(seat), bid=bid.label)
        case Choose(seat, opening):
            return _("{name} chooses {kind}", name=SeatName(seat), kind=opening.label)
        case Pass(seat):
            return _("{name} passes", name=SeatName(seat))
        case Lay(seat, card, None):
            return _("{name} lays the {card}", name=SeatName(seat), card=card.label)
        case Lay(seat, card, at) if at is not None:
            return _("{name} lays the {card}: {place}", name=SeatName(seat), card=card.label, place=at.label)
        case Stop(seat):
            return _("{name} stops laying", name=SeatName(seat))
        case Foul(seat):
            return _("{name} has broken the rules", name=SeatName(seat))
        case Deal():
            return _describe_deal(entry)
    raise TypeError(entry)


def _describe_deal(deal: Deal) -> Text:
    if deal.foul is not None:
        return _("Cancelled: {name} has broken the rules", name=SeatName(deal.foul))
    names = name_seats(deal.finished)
    if deal.bid is not None and deal.bidder is not None:
        played = _("{bid} by {name}", bid=deal.bid.label, name=SeatName(deal.bidder))
    else:
        played = deal.kind.label if deal.kind else Text("")
    if not names:
        return _("{played}: nobody laid all their cards", played=played)
    left = name_seats(seat for seat in range(deal.players) if seat not in deal.finished)
    if not left:
        return _("{played}: out in the order {names}", played=played, names=names)
    return ngettext(
        "{played}: {names} is out; {left} couldn’t lay all their cards",
        "{played}: out in the order {names}; {left} couldn’t lay all their cards",
        len(names),
        played=played,
        names=names,
        left=left,
    )
