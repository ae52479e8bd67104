"""Scoring of Take That, shared by pad, referee and calculator, and checks of its counts."""

from collections.abc import Iterator

from companion.core.game import Violation
from companion.core.scoring import ScoreLine, ScoreSheet
from companion.core.text import SeatName, Text, _, ngettext
from companion.games.take_that.deck import DECK, HAND, TOADS
from companion.games.take_that.plays import Count, Options
from companion.games.take_that.rules import Rule
from companion.games.take_that.state import State

PAIRED = len(DECK) - len(TOADS)
"""The 72 cards that are not toads."""


def tally(state: State) -> tuple[Count, ...]:
    return tuple(
        Count(seat, len(state.face_up[seat]), len(down), len(TOADS.intersection(down)), state.hands[seat])
        for seat, down in enumerate(state.face_down)
    )


def score(options: Options, counts: tuple[Count, ...]) -> ScoreSheet:
    """Score 1 for each card face up, -1 for each card face down and -5 for each toad (rule `score`)."""
    by_seat = sorted(counts, key=lambda count: count.seat)
    up = tuple(count.face_up for count in by_seat)
    down = tuple(count.toads - count.face_down for count in by_seat)
    toads = tuple(-5 * count.toads for count in by_seat)
    lines = (ScoreLine(_("face up"), up), ScoreLine(_("face down"), down), ScoreLine(_("toads"), toads))
    return ScoreSheet(lines, tuple(map(sum, zip(up, down, toads, strict=True))))


def get_progress(counts: tuple[Count, ...]) -> Text:
    done = sum(count.face_up + count.face_down for count in counts)
    return _("{n} of {deck} cards counted", n=done, deck=len(DECK))


def check_tally(options: Options, seats: int, counts: tuple[Count, ...]) -> Iterator[Violation]:
    """Yield violations of a complete or partial tally, binding if the deck makes it impossible."""
    for count in counts:
        yield from _check_count(seats, count)
    yield from _check_deck(counts)
    if len(counts) == seats:
        yield from _check_hands(seats, counts)


def _check_count(seats: int, count: Count) -> Iterator[Violation]:
    name = SeatName(count.seat)
    if min(count.face_up, count.face_down, count.toads, count.hand or 0) < 0:
        yield Violation(Rule.SCORE, _("{name}: a count can’t be negative.", name=name), binding=True)
    if count.face_up % 2:
        message = _("{name}: cards lie face up in pairs, so there cannot be {n}.", name=name, n=count.face_up)
        yield Violation(Rule.REVERSE_PAIR, message)
    if count.toads > count.face_down:
        message = _(
            "{name}: more toads than cards face down ({toads} of {n}).", name=name, toads=count.toads, n=count.face_down
        )
        yield Violation(Rule.SCORE, message, binding=True)
    if count.hand is not None and count.hand > HAND[seats]:
        message = _("{name}: a hand has at most {most} cards, not {n}.", name=name, most=HAND[seats], n=count.hand)
        yield Violation(Rule.DEAL, message)


def _check_deck(counts: tuple[Count, ...]) -> Iterator[Violation]:
    up = sum(count.face_up for count in counts)
    down = sum(count.face_down for count in counts)
    toads = sum(count.toads for count in counts)
    if toads > len(TOADS):
        yield Violation(Rule.DECK, _("That makes {n} toads, and the deck has 7.", n=toads), binding=True)
    if up > PAIRED:
        yield Violation(
            Rule.DECK, _("That makes {n} cards face up, and the deck has 72 with a reversal.", n=up), binding=True
        )
    elif up + down - toads > PAIRED:
        message = _("That makes {n} cards without a toad, and the deck has 72.", n=up + down - toads)
        yield Violation(Rule.DECK, message, binding=True)
    if up + down > len(DECK):
        yield Violation(Rule.DECK, _("That makes {n} cards, and the deck has 79.", n=up + down), binding=True)


def _check_hands(seats: int, counts: tuple[Count, ...]) -> Iterator[Violation]:
    """Check that cards not counted fit into the hands: the pile is exhausted at the end of a round."""
    left = len(DECK) - sum(count.face_up + count.face_down for count in counts)
    most = seats * HAND[seats]
    known = [count.hand for count in counts if count.hand is not None]
    if left > most:
        message = _(
            "{left} cards are missing: hands hold at most {most}, and the pile is exhausted.", left=left, most=most
        )
        yield Violation(Rule.DEAL, message)
    elif 0 <= left < sum(known) or left > sum(known) + (seats - len(known)) * HAND[seats]:
        message = ngettext(
            "{n} card has not been counted, but the hands are said to hold {held}.",
            "{n} cards have not been counted, but the hands are said to hold {held}.",
            left,
            held=sum(known),
        )
        yield Violation(Rule.DEAL, message)
