"""Rules of Muzicando: violations, and the plays worth trying."""

from collections.abc import Iterator
from enum import StrEnum

from companion.core.game import Violation
from companion.core.text import SeatName, Text, _, ngettext
from companion.games.muzicando.bids import Bid, Kind, LayPosition
from companion.games.muzicando.deck import COLOURS, DECK, NOTES, SIGN, Card, are_neighbours
from companion.games.muzicando.plays import DEALS, Call, Choose, Foul, Lay, Options, Pass, Play, Stop
from companion.games.muzicando.state import State
from companion.games.muzicando.tableau import Cards, Places, Tableau

WHOLE_DECK = (2, 4, 7, 8)
"""Numbers of players among whom 56 cards divide evenly."""


class Rule(StrEnum):
    """Rules that a violation can name; each is a section of the rulebook."""

    PLAYERS = "players"
    DECK = "deck"
    DEAL = "deal"
    BIDDING = "bidding"
    HIGHER_BID = "higher-bid"
    CONTRACT = "contract"
    CHOOSING = "choosing"
    TURN = "turn"
    NO_IDLE_PASS = "no-idle-pass"
    OPENING = "opening"
    SARABANDA = "sarabanda"
    GLISSANDO = "glissando"
    PARADA = "parada"
    MUZICANDO = "muzicando-kind"
    SIGNS = "signs"
    MISSED_TURN = "missed-turn"
    REST = "rest"
    DEAL_END = "deal-end"
    SCORE = "score"
    DEALS = "deals"


RULES = {kind: Rule[kind.name] for kind in Kind}
"""The rule of each kind."""


def judge(state: State, play: Play) -> Iterator[Violation]:
    """Yield a violation for each rule that the play breaks."""
    if state.is_over:
        yield Violation(Rule.DEAL_END, _("This deal is over."), binding=True)
    elif isinstance(play, Call):
        yield from _judge_call(state, play)
    elif isinstance(play, Choose):
        yield from _judge_choose(state, play)
    elif state.tableau is None:
        yield from _check_phase(state, play)
    elif isinstance(play, Lay):
        yield from _check_turn(state, play.seat)
        yield from _judge_lay(state, state.tableau, play)
    elif isinstance(play, Pass):
        yield from _check_turn(state, play.seat)
        yield from _judge_pass(state, state.tableau, play.seat)
    elif isinstance(play, Stop) and not (state.is_run and play.seat == state.turn):
        message = _("{name} hasn’t laid the rest: to lay nothing is to pass.", name=SeatName(play.seat))
        yield Violation(Rule.REST, message, binding=True)


def candidates(state: State) -> Iterator[Play]:
    """Yield every bid or kind, every card not yet laid in each of its positions, passing and breaking the rules."""
    seat = state.turn
    if state.tableau is not None:
        for card in DECK:
            if card not in state.laid:
                places = state.tableau.open_places(card)
                yield from (Lay(seat, card, at) for at in (places if len(places) > 1 else (None,)))
        yield Stop(seat) if state.is_run else Pass(seat)
    elif state.has_bidding:
        yield from (Call(seat, bid) for bid in Bid)
        yield Pass(seat)
    else:
        yield from (Choose(seat, kind) for kind in Kind)
    yield from (Foul(seat) for seat in range(state.seats))


def _judge_call(state: State, play: Call) -> Iterator[Violation]:
    if not state.has_bidding:
        yield Violation(Rule.BIDDING, _("There is no bidding here: the kind is chosen."), binding=True)
        return
    if state.tableau is not None:
        yield Violation(Rule.BIDDING, _("The bidding is over."), binding=True)
        return
    yield from _check_turn(state, play.seat)
    if state.highest is not None and play.bid.rank <= state.highest[1].rank:
        message = _("{bid} is not higher than {last}.", bid=play.bid.label, last=state.highest[1].label)
        yield Violation(Rule.HIGHER_BID, message)


def _judge_choose(state: State, play: Choose) -> Iterator[Violation]:
    if state.has_bidding:
        yield Violation(Rule.CHOOSING, _("Nobody chooses here: the bidding decides on the kind."), binding=True)
    elif state.kind is not None:
        message = _("{kind} has been chosen already.", kind=state.kind.label)
        yield Violation(Rule.CHOOSING, message, binding=True)
    elif play.seat != state.first:
        message = _("{name}, to the left of the dealer, chooses.", name=SeatName(state.first))
        yield Violation(Rule.CHOOSING, message)


def _check_phase(state: State, play: Play) -> Iterator[Violation]:
    """Reject plays out of phase: before the kind is known, only a pass in the bidding or a foul is possible."""
    if isinstance(play, Foul):
        return
    if not state.has_bidding:
        message = _("First {name} chooses the kind.", name=SeatName(state.first))
        yield Violation(Rule.CHOOSING, message, binding=True)
    elif not isinstance(play, Pass):
        yield Violation(Rule.BIDDING, _("The bidding is not over yet."), binding=True)
    else:
        yield from _check_turn(state, play.seat)
        if state.must_bid and play.seat == state.first:
            message = _("Everybody has passed: now {name} must bid.", name=SeatName(play.seat))
            yield Violation(Rule.BIDDING, message)


def _check_turn(state: State, seat: int) -> Iterator[Violation]:
    if state.tableau is not None and not state.hands[seat]:
        message = _("{name} has no card left in hand.", name=SeatName(seat))
        yield Violation(Rule.DEAL, message, binding=True)
    elif seat == state.turn:
        return
    elif state.is_run:
        yield Violation(Rule.REST, _("{name} has laid the rest and goes on.", name=SeatName(state.turn)))
    elif seat in state.missing:
        message = _("{name} misses a turn.", name=SeatName(seat))
        yield Violation(Rule.MISSED_TURN, message)
    elif seat in state.skipped:
        message = _(
            "{name} has just missed a turn: it is the turn of {other}.", name=SeatName(seat), other=SeatName(state.turn)
        )
        yield Violation(Rule.TURN, message)
    else:
        yield Violation(Rule.TURN, _("It is the turn of {name}.", name=SeatName(state.turn)))


def _judge_pass(state: State, tableau: Tableau, seat: int) -> Iterator[Violation]:
    """Accept a pass on trust, unless somebody must hold a card that fits: no stock, and everybody has passed."""
    if state.is_run and seat == state.turn:
        yield Violation(
            Rule.REST, _("After the rest there is no passing: {name} goes on laying, or stops.", name=SeatName(seat))
        )
        return
    if not state.ends_by_passing(seat):
        return
    note = next((card for card in tableau.fits if not card.sign), None)
    if note is not None:
        message = _("Everybody has passed, and yet somebody holds {card}, which fits.", card=note.label)
        yield Violation(Rule.NO_IDLE_PASS, message)
    elif len(state.active) == 1 and set(tableau.fits) == set(DECK) - tableau.laid:
        message = _("{name} holds nothing but signs, and all of them can be laid.", name=SeatName(seat))
        yield Violation(RULES[tableau.kind], message)


def _judge_lay(state: State, tableau: Tableau, play: Lay) -> Iterator[Violation]:
    card = play.card
    if card in tableau.laid:
        yield Violation(
            Rule.DECK, _("{card} has been laid already; each card exists once.", card=card.label), binding=True
        )
        return
    places = tableau.places(card)
    if not places:
        rule = Rule.OPENING if not tableau.is_open else Rule.SIGNS if card.sign else RULES[tableau.kind]
        yield Violation(rule, _explain_misfit(tableau, card))
    if play.at is None:
        if len(tableau.open_places(card)) > 1:
            message = _("{card} fits in more than one place: say where.", card=card.label)
            yield Violation(RULES[tableau.kind], message, binding=True)
    elif play.at not in places:
        yield from _refuse_misplaced(tableau, card, play.at, places)


def _refuse_misplaced(tableau: Tableau, card: Card, at: LayPosition, places: Places) -> Iterator[Violation]:
    if tableau.kind in (Kind.PARADA, Kind.MUZICANDO) or card.sign or not tableau.is_open:
        message = _("There is only one place for {card}.", card=card.label)
        yield Violation(RULES[tableau.kind], message, binding=True)
    elif places:
        yield Violation(RULES[tableau.kind], _explain_misplaced(tableau, card, at))


def check_options(options: Options, seats: int) -> Iterator[Violation]:
    """Yield violations of the options for this number of players."""
    if options.whole_deck and seats not in WHOLE_DECK:
        message = _("56 cards cannot be dealt evenly to {n}: the whole deck is for 2, 4, 7 or 8 players.", n=seats)
        yield Violation(Rule.PLAYERS, message, binding=True)
    deals = options.deals(seats)
    if options.is_team(seats):
        if deals < DEALS:
            message = _("A team game has at least {least} deals, not {n}.", least=DEALS, n=deals)
            yield Violation(Rule.DEALS, message, binding=True)
    elif deals % seats:
        message = _("Everybody deals equally often, but {n} is not a multiple of {seats}.", n=deals, seats=seats)
        yield Violation(Rule.DEALS, message, binding=True)


def _explain_misfit(tableau: Tableau, card: Card) -> Text:
    """Return why a card fits nowhere."""
    if not tableau.is_open:
        if tableau.kind in (Kind.SARABANDA, Kind.MUZICANDO):
            return _("{card} does not open: the first card is a Do.", card=card.label)
        return _("{card} does not open: the first card is a note with an oval.", card=card.label)
    if card.sign:
        return _explain_no_host(tableau, card)
    match tableau.kind:
        case Kind.SARABANDA:
            return _explain_no_end(card, tableau.rows[0])
        case Kind.GLISSANDO:
            return _explain_no_new_row(tableau, card) if card.has_oval else _explain_no_row(tableau, card)
        case Kind.PARADA:
            return _explain_no_column(tableau, card)
        case Kind.MUZICANDO:
            return _explain_no_pile(tableau, card)


def _explain_misplaced(tableau: Tableau, card: Card, at: LayPosition) -> Text:
    """Return why a note does not fit at the position named, in Sarabanda or Glissando."""
    if tableau.kind is Kind.SARABANDA:
        if at not in (LayPosition.LEFT, LayPosition.RIGHT):
            return _("In Sarabanda there is only one row.")
        end = tableau.rows[0][0 if at is LayPosition.LEFT else -1]
        return _("{card} is not a step from {other}, {place}.", card=card.label, other=end.label, place=at.label)
    if at in (LayPosition.ABOVE, LayPosition.BELOW):
        return _explain_not_outside(tableau, card, at)
    if card.has_oval:
        return _("{card} has an oval: it opens a new row, and continues none.", card=card.label)
    step = next((step for step, places in enumerate(tableau.ends) if at in places), None)
    if step is None:
        return _("There is no such row: {place}.", place=at.label)
    return _("{card} does not fit there: the {place} takes {note}.", card=card.label, place=at.label, note=NOTES[step])


def _explain_no_host(tableau: Tableau, card: Card) -> Text:
    if tableau.kind in (Kind.PARADA, Kind.MUZICANDO):
        return _("{card} must wait: its colour has not been opened.", card=card.label)
    if tableau.options.signs_between and any(other.colour == card.colour for row in tableau.rows for other in row):
        return _("{card} must wait: no note of its colour lies between two others.", card=card.label)
    return _("{card} must wait: no note of its colour lies.", card=card.label)


def _explain_no_end(card: Card, row: Cards) -> Text:
    """Return why a card fits neither end of a row or column."""
    if len(row) == 1:
        return _("{card} is not a step from {other}, the only card there.", card=card.label, other=row[0].label)
    left, right = row[0].label, row[-1].label
    return _("{card} is a step from neither end, {left} and {right}.", card=card.label, left=left, right=right)


def _explain_no_row(tableau: Tableau, card: Card) -> Text:
    return ngettext(
        "{card} does not continue the row: its ends take {notes}.",
        "{card} continues no row: their ends take {notes}.",
        len(tableau.rows),
        card=card.label,
        notes=tuple(NOTES[step] for step, places in enumerate(tableau.ends) if places),
    )


def _explain_no_new_row(tableau: Tableau, card: Card) -> Text:
    top, bottom = tableau.openers[0], tableau.openers[-1]
    if tableau.options.any_row:
        return _("{card} opens a new row, and is a step from no note of the topmost or bottommost.", card=card.label)
    if top == bottom:
        return _("{card} opens a new row, and is not a step from {other}.", card=card.label, other=top.label)
    return _(
        "{card} opens a new row, and is a step from neither the topmost nor the bottommost one ({top}, {bottom}).",
        card=card.label,
        top=top.label,
        bottom=bottom.label,
    )


def _explain_not_outside(tableau: Tableau, card: Card, at: LayPosition) -> Text:
    if not card.has_oval:
        return _("{card} has no oval, and opens no new row.", card=card.label)
    if tableau.options.any_row:
        return _("{card} is a step from no note of the row there.", card=card.label)
    opener = tableau.openers[0 if at is LayPosition.ABOVE else -1]
    return _("{card} is not a step from {other}, which has opened the row there.", card=card.label, other=opener.label)


def _explain_no_column(tableau: Tableau, card: Card) -> Text:
    opener = Card(card.colour, card.colour)
    if opener not in tableau.laid:
        return _("{card} must wait: its colour is opened by {opener}.", card=card.label, opener=opener.label)
    column = tableau.rows[card.colour]
    for other in column:
        if are_neighbours(card.step, other.step):
            return _(
                "In Parada {card} does not lie beside {other}: Do is the lowest note, and Si the highest.",
                card=card.label,
                other=other.label,
            )
    return _explain_no_end(card, column)


def _explain_no_pile(tableau: Tableau, card: Card) -> Text:
    step = tableau.next_step(card.colour)
    if step == SIGN:  # only after a card laid against the rules
        return _("The pile of {colour} ends with Si.", colour=COLOURS[card.colour])
    return _("{card} must wait: {note} comes next in its colour.", card=card.label, note=NOTES[step])
