"""Rules of The Game: violations, and the plays worth trying."""

from collections.abc import Iterator
from enum import StrEnum

from companion.core.game import Violation
from companion.core.text import SeatName, _, ngettext
from companion.games.the_game.deck import DECK
from companion.games.the_game.plays import EndTurn, PlaceCard, Play, Row, Stuck
from companion.games.the_game.state import ROWS, State, apply, is_trick


class Rule(StrEnum):
    """Rules that a violation can name; each is a section of the rulebook."""

    PLAYERS = "players"
    DECK = "deck"
    DEAL = "deal"
    TURN = "turn"
    MINIMUM = "minimum"
    ASCENDING = "ascending"
    DESCENDING = "descending"
    DRAW = "draw"
    MINIMUM_AFTER_PILE = "minimum-after-pile"
    GAME_END = "game-end"


def judge(state: State, play: Play) -> Iterator[Violation]:
    """Yield a violation for each rule that the play breaks."""
    if state.is_over:
        yield Violation(Rule.GAME_END, _("The game is over."), binding=True)
        return
    if state.turn not in (None, play.seat):
        yield Violation(Rule.TURN, _("It is the turn of {name}.", name=SeatName(state.turn or 0)))
    match play:
        case PlaceCard(seat, card, row):
            yield from _judge_place(state, seat, card, row)
        case EndTurn():
            yield from _judge_end_turn(state)
        case Stuck():
            yield from _judge_stuck(state)


def candidates(state: State) -> Iterator[Play]:
    """Yield every card on every row, ending the turn, and being stuck; by every seat before the first card.

    If the hand is known, only its cards.
    """
    cards = DECK if state.held is None else sorted(state.held)
    for seat in range(state.seats) if state.turn is None else (state.turn,):
        for row in ROWS:
            yield from (PlaceCard(seat, card, row) for card in cards)
        yield EndTurn(seat)
        yield Stuck(seat)


def can_lie_on(row: Row, top: int, card: int) -> bool:
    """Return whether a card may be laid on a top card, in the direction of the row or by the backwards trick."""
    return (card > top if row.is_ascending else card < top) or is_trick(row, top, card)


def find_longest_sequence(state: State) -> tuple[PlaceCard, ...]:
    """Return the longest sequence of legal plays from the known hand, up to the minimum."""
    missing = state.minimum - state.laid
    longest: tuple[PlaceCard, ...] = ()
    for play in candidates(state):
        if len(longest) >= missing:
            break
        if isinstance(play, PlaceCard) and not any(judge(state, play)):
            sequence = (play, *find_longest_sequence(apply(state, play)))
            longest = max(longest, sequence, key=len)
    return longest


def _judge_place(state: State, seat: int, card: int, row: Row) -> Iterator[Violation]:
    if card not in DECK:
        yield Violation(Rule.DECK, _("There is no card {card}: the deck goes from 2 to 99.", card=card), binding=True)
        return
    if card in state.seen:
        yield Violation(Rule.DECK, _("{card} has been laid already.", card=card), binding=True)
        return
    if state.hands[seat] == 0:
        yield Violation(Rule.DEAL, _("{name} has no card left in hand.", name=SeatName(seat)))
    top = state.top(row)
    if not can_lie_on(row, top, card):
        if row.is_ascending:
            message = _("{card} is neither above {top} nor ten below it ({row}).", card=card, top=top, row=row.label)
            yield Violation(Rule.ASCENDING, message)
        else:
            message = _("{card} is neither below {top} nor ten above it ({row}).", card=card, top=top, row=row.label)
            yield Violation(Rule.DESCENDING, message)


def _judge_end_turn(state: State) -> Iterator[Violation]:
    missing = state.minimum - state.laid
    if missing <= 0:
        return
    rule = Rule.MINIMUM if state.pile else Rule.MINIMUM_AFTER_PILE
    message = ngettext(
        "{n} more card must be laid in this turn: so far {laid} of {minimum}.",
        "{n} more cards must be laid in this turn: so far {laid} of {minimum}.",
        missing,
        minimum=state.minimum,
        laid=state.laid,
    )
    yield Violation(rule, message)


def _judge_stuck(state: State) -> Iterator[Violation]:
    if not any(state.rows):
        yield Violation(Rule.GAME_END, _("Nobody is stuck on empty rows: every card fits."))
    elif state.laid >= state.minimum:
        message = ngettext(
            "{n} card is laid and that is enough: the turn can end.",
            "{n} cards are laid and that is enough: the turn can end.",
            state.laid,
        )
        yield Violation(Rule.GAME_END, message)
    elif state.held is not None and len(sequence := find_longest_sequence(state)) >= state.minimum - state.laid:
        plays = tuple(_("{card} on the {row}", card=play.card, row=play.row.label) for play in sequence)
        message = ngettext(
            "{n} card of yours can be laid, and that is enough: {plays}.",
            "{n} cards of yours can be laid, and that is enough: {plays}.",
            len(sequence),
            plays=plays,
        )
        yield Violation(Rule.GAME_END, message)
