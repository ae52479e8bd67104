"""Rules of Take That: violations, and the plays worth trying."""

from collections.abc import Iterator
from enum import StrEnum

from companion.core.game import Violation
from companion.core.text import SeatName, _
from companion.games.take_that.deck import DECK, TOADS, reverse_digits
from companion.games.take_that.plays import Extend, Play, Reverse, Take
from companion.games.take_that.state import State


class Rule(StrEnum):
    """Rules that a violation can name; each is a section of the rulebook."""

    PLAYERS = "players"
    DECK = "deck"
    DEAL = "deal"
    TURN = "turn"
    OPEN_ROW = "open-row"
    EXTEND_WITHIN_TEN = "extend-within-ten"
    REVERSE_PAIR = "reverse-pair"
    TOADS_STAY = "toads-stay"
    TAKE_ROW = "take-row"
    ROUND_END = "round-end"
    SCORE = "score"
    MATCH = "match"
    PROFESSIONAL = "professional"


def judge(state: State, play: Play) -> Iterator[Violation]:
    """Yield a violation for each rule that the play breaks."""
    if state.is_over:
        yield Violation(
            Rule.ROUND_END, _("This round is over: the row is gone and the pile is exhausted."), binding=True
        )
        return
    if play.seat != state.turn:
        yield Violation(Rule.TURN, _("It is the turn of {name}.", name=SeatName(state.turn)))
    match play:
        case Extend(seat, card) | Reverse(seat, card):
            yield from _check_card(state, card)
            if card in DECK:
                yield from _check_hand(state, seat)
                yield from _judge_extend(state, card) if isinstance(play, Extend) else _judge_reverse(state, card)
        case Take(penalty=penalty):
            yield from _judge_take(state, penalty)


def candidates(state: State) -> Iterator[Play]:
    """Yield every card as an extension, every card whose partner is in the row as a reversal, and taking the row."""
    for card in DECK:
        yield Extend(state.turn, card)
    for partner in state.row:
        if partner not in TOADS:
            yield Reverse(state.turn, reverse_digits(partner))
    if state.is_penalty_due:
        yield from (Take(state.turn, card) for card in DECK)
    elif state.row:
        yield Take(state.turn)


def is_within_reach(row: tuple[int, ...], card: int) -> bool:
    """Return whether a card is near enough to the right end of the row, if there is a row."""
    return not row or abs(card - row[-1]) <= 10


def _judge_extend(state: State, card: int) -> Iterator[Violation]:
    if not is_within_reach(state.row, card):
        message = _(
            "{card} is {distance} away from {end}, and a card may be at most 10 away.",
            card=card,
            distance=abs(card - state.row[-1]),
            end=state.row[-1],
        )
        yield Violation(Rule.EXTEND_WITHIN_TEN, message)


def _judge_reverse(state: State, card: int) -> Iterator[Violation]:
    if not state.row:
        yield Violation(Rule.OPEN_ROW, _("There is no row: a card has to open one first."), binding=True)
    if card in TOADS:
        yield Violation(Rule.TOADS_STAY, _("{card} is a toad, and toads have no reversal.", card=card), binding=True)
    elif reverse_digits(card) not in state.row:
        message = _(
            "{card} reverses {partner}, and {partner} is not in the row.", card=card, partner=reverse_digits(card)
        )
        yield Violation(Rule.REVERSE_PAIR, message, binding=True)


def _judge_take(state: State, penalty: int | None) -> Iterator[Violation]:
    if state.must_open:
        yield Violation(Rule.OPEN_ROW, _("Whoever has taken the row opens a new one in the same turn."), binding=True)
    if not state.row:
        yield Violation(Rule.TAKE_ROW, _("There is no row to take."), binding=True)
    elif penalty is None and state.is_penalty_due:
        message = _("The row is a single card: the top card of the pile is taken with it. Which one was it?")
        yield Violation(Rule.PROFESSIONAL, message)
    elif penalty is not None:
        yield from _judge_penalty(state, penalty)


def _judge_penalty(state: State, penalty: int) -> Iterator[Violation]:
    yield from _check_card(state, penalty)
    if not state.options.professional:
        yield Violation(
            Rule.PROFESSIONAL, _("Penalty cards belong to the professional variant, which isn’t being played here.")
        )
    elif len(state.row) != 1:
        message = _("A penalty card is drawn only with a row of a single card; this row has {n}.", n=len(state.row))
        yield Violation(Rule.PROFESSIONAL, message)
    if state.pile == 0:
        yield Violation(Rule.PROFESSIONAL, _("The pile is exhausted: there is no penalty card to draw."), binding=True)


def _check_card(state: State, card: int) -> Iterator[Violation]:
    if card not in DECK:
        yield Violation(Rule.DECK, _("There is no card {card} in the deck.", card=card), binding=True)
    elif card in state.row:
        yield Violation(Rule.DECK, _("{card} is in the row already; each number exists once.", card=card), binding=True)
    elif card in state.seen:
        yield Violation(
            Rule.DECK, _("{card} is already out of play; each number exists once.", card=card), binding=True
        )


def _check_hand(state: State, seat: int) -> Iterator[Violation]:
    if state.hands[seat] == 0:
        message = _("{name} has no card left in hand, so the row must be taken.", name=SeatName(seat))
        yield Violation(Rule.TAKE_ROW, message)
