"""State of a round of Muzicando, and the effect of each play."""

from dataclasses import dataclass, replace

from companion.core.text import SeatName, Text, _, name_seats
from companion.games.muzicando.bids import Bid, Kind
from companion.games.muzicando.deck import DECK, Card, Sign
from companion.games.muzicando.plays import TEAM, Call, Choose, Foul, Lay, Options, Pass, Play, Stop
from companion.games.muzicando.tableau import Tableau


@dataclass(frozen=True)
class State:
    """State of a deal. Hands are known only by their size: cards in hand are not recorded."""

    options: Options
    first: int
    """Seat left of the dealer, which bids first or chooses the kind."""
    turn: int
    hands: tuple[int, ...]
    """Hand sizes by seat."""
    stock: int
    calls: tuple[tuple[int, Bid | None], ...] = ()
    """Bidding so far; None for a pass."""
    leader: int | None = None
    """Winner of the bidding, or chooser of the kind."""
    tableau: Tableau | None = None
    """None until the kind is known."""
    missing: frozenset[int] = frozenset()
    """Seats that will miss their next turn."""
    missed: frozenset[int] = frozenset()
    """Seats that have missed a turn and not played since, so cannot miss another."""
    skipped: frozenset[int] = frozenset()
    """Seats that missed a turn by the last play."""
    is_run: bool = False
    """The seat to play has laid a rest, and goes on laying while the others sit out."""
    passed: frozenset[int] = frozenset()
    """Seats that have passed without drawing since the last card was laid."""
    order: tuple[int, ...] = ()
    """Seats that have gone out, first to last."""
    foul: int | None = None
    is_over: bool = False

    @property
    def seats(self) -> int:
        return len(self.hands)

    @property
    def is_team(self) -> bool:
        return self.options.is_team(self.seats)

    @property
    def sides(self) -> tuple[Text, ...]:
        """Names of each side."""
        sides = self.options.sides(self.seats)
        return tuple(_("{names}", names=name_seats(side)) for side in sides)

    @property
    def has_bidding(self) -> bool:
        return self.options.has_bidding(self.seats)

    @property
    def kind(self) -> Kind | None:
        return self.tableau.kind if self.tableau else None

    @property
    def laid(self) -> frozenset[Card]:
        return self.tableau.laid if self.tableau else frozenset()

    @property
    def highest(self) -> tuple[int, Bid] | None:
        """The last bid with its seat."""
        return next(((seat, bid) for seat, bid in reversed(self.calls) if bid is not None), None)

    @property
    def passes(self) -> int:
        """Consecutive passes at the end of the bidding so far."""
        bids = [index for index, (_seat, bid) in enumerate(self.calls) if bid is not None]
        return len(self.calls) - 1 - bids[-1] if bids else len(self.calls)

    @property
    def must_bid(self) -> bool:
        """Whether everybody has passed and the first seat must bid."""
        return self.highest is None and self.passes >= self.seats and self.turn == self.first

    @property
    def active(self) -> frozenset[int]:
        """Seats that still hold cards."""
        return frozenset(seat for seat, held in enumerate(self.hands) if held)

    def following(self, seat: int, step: int = 1) -> int:
        """Return the next seat with cards (the previous one for step -1), or the seat itself if there is no other."""
        around = ((seat + step * n) % self.seats for n in range(1, self.seats + 1))
        return next((other for other in around if self.hands[other]), seat)

    def ends_by_passing(self, seat: int) -> bool:
        """Return whether a pass by this seat ends the deal: all others with cards have passed."""
        return self.stock == 0 and self.active <= self.passed | {seat}


def describe_teams() -> Text:
    """Return who plays with whom in a team game."""
    north, east, south, west = map(SeatName, range(TEAM))
    return _("{north} + {south} against {east} + {west}", north=north, east=east, south=south, west=west)


def setup(options: Options, seats: int, rounds: int) -> State:
    """Return the state after dealing: the deal passes to the left, and the seat left of the dealer begins."""
    first = (options.dealer + rounds + 1) % seats
    hand = options.hand(seats)
    return State(options, first, first, (hand,) * seats, len(DECK) - seats * hand)


def apply(state: State, play: Play) -> State:
    """Return the state after the play, legal or not."""
    match play:
        case Call(seat, bid):
            calls = (*state.calls, (seat, bid))
            return replace(state, calls=calls, turn=(seat + 1) % state.seats)
        case Choose(seat, opening):
            return _start_cards(state, seat, opening)
        case Pass(seat):
            return _apply_pass(state, seat) if state.tableau else _apply_passed_bid(state, seat)
        case Lay():
            return _apply_lay(state, play)
        case Stop(seat):
            return _advance_turn(replace(state, is_run=False), seat)
        case Foul(seat):
            return replace(state, foul=seat, is_over=True)


def _start_cards(state: State, seat: int, kind: Kind) -> State:
    return replace(state, tableau=Tableau(kind, options=state.options), leader=seat, turn=seat)


def _apply_passed_bid(state: State, seat: int) -> State:
    """Record a pass in the bidding: once all but the bidder have passed, the last bid stands."""
    state = replace(state, calls=(*state.calls, (seat, None)), turn=(seat + 1) % state.seats)
    if state.highest is not None and state.passes >= state.seats - 1:
        bidder, bid = state.highest
        return _start_cards(state, bidder, bid.kind)
    if state.highest is None and state.passes >= state.seats and state.options.redeal:
        return replace(state, calls=(), turn=state.first)
    return state


def _apply_pass(state: State, seat: int) -> State:
    """Draw while the stock lasts; otherwise end the deal once everybody with cards has passed in turn."""
    state = replace(state, is_run=False)
    if state.stock:
        hands = tuple(held + (other == seat) for other, held in enumerate(state.hands))
        return _advance_turn(replace(state, hands=hands, stock=state.stock - 1), seat)
    ends = state.ends_by_passing(seat)
    return _advance_turn(replace(state, passed=state.passed | {seat}, is_over=ends), seat)


def _apply_lay(state: State, play: Lay) -> State:
    seat, sign = play.seat, play.card.sign
    goes_on = state.is_run and seat == state.turn
    tableau = state.tableau.with_card(play.card, play.at) if state.tableau else None
    hands = tuple(held - (other == seat) for other, held in enumerate(state.hands))
    order = state.order if hands[seat] else (*state.order, seat)
    is_over = len(order) == state.seats
    state = replace(
        state,
        tableau=tableau,
        hands=hands,
        order=order,
        passed=frozenset(),
        skipped=frozenset(),
        is_run=goes_on and hands[seat] > 0,
        is_over=is_over,
    )
    if sign is Sign.REST:
        return _apply_rest(state, seat)
    if goes_on:
        return state if state.is_run else _advance_turn(state, seat)
    hit = _apply_sign(state, seat, sign) - state.missed
    return _advance_turn(replace(state, missing=state.missing | hit), seat)


def _apply_rest(state: State, seat: int) -> State:
    """Let the player lay on while everybody else sits out; as a last card, hand the turn to the partner.

    Turns still to be missed are cancelled. Sitting out does not count as a missed turn, because the next player plays
    afterwards; but the partner's turn does skip whoever sits between.
    """
    state = replace(state, missing=frozenset(), is_run=False)
    if state.hands[seat]:
        return replace(state, turn=seat, is_run=state.following(seat) != seat)
    partner = (seat + 2) % state.seats
    if not (state.is_team and state.hands[partner]):
        return _advance_turn(state, seat)
    skipped = state.active & {(seat + 1) % state.seats}
    return replace(state, turn=partner, missed=state.missed | skipped, skipped=skipped)


def _apply_sign(state: State, seat: int, sign: Sign | None) -> frozenset[int]:
    """Return the seats that miss a turn because of a sign, partners included."""
    steps = {Sign.SHARP: (1,), Sign.FLAT: (-1,), Sign.NATURAL: (1, -1)}.get(sign, ()) if sign else ()
    return frozenset(state.following(seat, step) for step in steps) - {seat}


def _advance_turn(state: State, seat: int) -> State:
    """Pass the turn on, skipping seats that are to miss it; nobody misses two in a row."""
    skipped, turn = frozenset[int](), state.following(seat)
    while turn in state.missing - skipped - {seat}:
        skipped |= {turn}
        turn = state.following(turn)
    missing = state.missing - skipped - {seat}
    return replace(state, turn=turn, missing=missing, missed=state.missed - {seat} | skipped, skipped=skipped)
