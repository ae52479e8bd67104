"""Board of Muzicando, as its pages show it."""

from dataclasses import dataclass
from functools import cache
from typing import ClassVar, NamedTuple

from companion.core.card_view import CardView
from companion.core.text import SeatName, Text, _, name_seats, ngettext
from companion.games.muzicando.bids import Bid, Kind
from companion.games.muzicando.deck import COLOURS, DO, NOTES, SIGN, STEPS, Card, Sign
from companion.games.muzicando.state import State, describe_teams
from companion.games.muzicando.tableau import Tableau

LAID, OVAL, PASSED = _("laid"), _("oval"), _("pass")
SYMBOLS = {Sign.SHARP: "♯", Sign.NATURAL: "♮", Sign.FLAT: "♭", Sign.REST: "𝄽"}
"""How signs look."""


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


def _get_drawn_symbol(sign: Sign | None) -> str:
    """Return the symbol of a sign on the table; nothing for a rest, which is drawn as a picture."""
    return SYMBOLS[sign] if sign and sign is not Sign.REST else ""


@cache
def _get_card_tags(card: Card) -> tuple[str, ...]:
    """Return its colour, `c0` to `c6`, and its sign or `oval`."""
    return (f"c{card.colour}", *((str(card.sign),) if card.sign else ()), *(("oval",) if card.has_oval else ()))


@dataclass(frozen=True)
class SeatView:
    """A player; `rank` is their place once they are out, `call` their last bid or pass while the bidding goes on."""

    seat: int
    side: int
    is_turn: bool
    hand: int
    rank: int | None
    misses: bool
    """Whether the player has just missed a turn, or misses the next one."""
    call: Text | None


@dataclass(frozen=True)
class Board:
    kinds: ClassVar = tuple(Kind)

    state: State
    turn: int | None
    phase: str
    """`bidding`, `choosing`, `play` or `over`."""
    places: tuple[SeatView, ...]
    ladder: tuple[tuple[CardView, ...], ...]
    """The sixteen bids, one line per level; the latest is tagged `last`."""
    rows: tuple[tuple[NoteView, ...], ...]
    """Rows of Sarabanda and Glissando, from left to right."""
    columns: tuple[ColumnView, ...]
    """Columns of Parada and Muzicando."""
    cards: tuple[tuple[Text, tuple[CardView, ...]], ...]
    """The deck by notes, from Si down to Do, signs last; colours side by side."""
    stock: int | None
    """Cards to draw from; None if the whole deck is dealt."""
    ends_by_passing: bool
    partners: Text | None
    """Who plays with whom in a team game."""

    @property
    def status(self) -> tuple[Text, ...]:
        """What there is to say of the turn: what the player has to do, or the contract and the stock."""
        match self.phase:
            case "bidding":
                return (_("must bid: everybody has passed") if self.state.must_bid else _("bids or passes"),)
            case "choosing":
                return (_("chooses the kind"),)
            case "play":
                opens = _("opens") if self.state.tableau and not self.state.tableau.is_open else None
                stock = None if self.stock is None else _("stock {n}", n=self.stock)
                missed = _describe_missed(self.state)
                deal = (missed,) if missed else (_describe_contract(self.state), stock)
                player = _("has laid the rest and goes on") if self.state.is_run else opens
                return tuple(text for text in (player, *deal) if text)
        return ()


def build_board(state: State) -> Board:
    tableau, turn = state.tableau, None if state.is_over else state.turn
    return Board(
        state,
        turn=turn,
        phase=_get_phase(state),
        places=tuple(_build_seat(state, seat) for seat in range(state.seats)),
        ladder=_build_ladder(state) if _get_phase(state) == "bidding" else (),
        rows=_build_rows(tableau) if tableau else (),
        columns=_build_columns(tableau) if tableau else (),
        cards=_build_cards(tableau, is_playable=turn is not None and state.hands[turn] > 0) if tableau else (),
        stock=None if state.options.hand(state.seats) * state.seats == len(COLOURS) * (STEPS + 1) else state.stock,
        ends_by_passing=tableau is not None and state.ends_by_passing(state.turn),
        partners=describe_teams() if state.is_team else None,
    )


def _get_phase(state: State) -> str:
    if state.is_over:
        return "over"
    if state.tableau is not None:
        return "play"
    return "bidding" if state.has_bidding else "choosing"


def _build_seat(state: State, seat: int) -> SeatView:
    calls = [bid.label if bid else PASSED for caller, bid in state.calls if caller == seat]
    return SeatView(
        seat,
        seat % 2 if state.is_team else seat,
        seat == state.turn and not state.is_over,
        state.hands[seat],
        state.order.index(seat) + 1 if seat in state.order else None,
        seat in state.missing | state.skipped - {state.turn},
        calls[-1] if calls and state.tableau is None else None,
    )


def _describe_missed(state: State) -> Text | None:
    names = name_seats(sorted(state.skipped - {state.turn}))
    return ngettext("{names} misses a turn", "{names} miss a turn", len(names), names=names) if names else None


def _build_ladder(state: State) -> tuple[tuple[CardView, ...], ...]:
    last = state.highest[1] if state.highest else None
    least = last.rank + 1 if last else 0
    steps = [CardView(bid.value, bid.kind.label, bid.rank >= least, ("last",) * (bid is last)) for bid in Bid]
    return tuple(tuple(steps[level * 4 : level * 4 + 4]) for level in range(4))


def _describe_contract(state: State) -> Text | None:
    if state.kind is None or state.leader is None:
        return None
    if state.highest is None:
        return state.kind.label
    return _("{bid} by {name}", bid=state.highest[1].label, name=SeatName(state.leader))


def _build_rows(tableau: Tableau) -> tuple[tuple[NoteView, ...], ...]:
    if tableau.kind not in (Kind.SARABANDA, Kind.GLISSANDO):
        return ()
    signs = {host: sign for sign, host in tableau.signs}
    step = -1 if tableau.kind is Kind.GLISSANDO else 1  # from the higher note to the lower one
    return tuple(
        tuple(NoteView(card, signs.get(card), index in (0, len(row) - 1)) for index, card in enumerate(row[::step]))
        for row in tableau.rows
    )


def _build_columns(tableau: Tableau) -> tuple[ColumnView, ...]:
    if tableau.kind in (Kind.SARABANDA, Kind.GLISSANDO):
        return ()
    return tuple(
        ColumnView(
            colour,
            tuple(Card(colour, step) in tableau.laid for step in reversed(range(STEPS))),
            Card(colour, SIGN) in tableau.laid,
            tableau.kind,
        )
        for colour in range(len(COLOURS))
    )


def _build_cards(tableau: Tableau, *, is_playable: bool) -> tuple[tuple[Text, tuple[CardView, ...]], ...]:
    """Return every card with whether it is laid or legal; tests compare this with `judge`."""
    laid, fits = tableau.laid, tableau.fits if is_playable else {}
    return tuple(
        (label, tuple(_build_card(card, is_laid=card in laid, is_legal=card in fits) for card in cards))
        for label, cards in GRID
    )


@cache
def _build_card(card: Card, *, is_laid: bool, is_legal: bool) -> CardView:
    face = Text(SYMBOLS[card.sign]) if card.sign else card.name
    colour = card.label if card.sign else COLOURS[card.colour]
    notes = (colour, *(OVAL,) * card.has_oval, *(LAID,) * is_laid)
    return CardView(str(card), face, is_legal, _get_card_tags(card) + ("laid",) * is_laid, notes)


GRID = tuple(
    (label, tuple(Card(colour, step) for colour in range(len(COLOURS))))
    for step, label in (*reversed(tuple(enumerate(NOTES))), (SIGN, _("signs")))
)
"""The deck as drawn: notes rise as on a stave, with the signs below."""
