"""Scoring of Beavers and Mice, shared by pad, referee and calculator, and checks of its counts."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import accumulate

from companion.core.game import Violation
from companion.core.scoring import ScoreLine, ScoreSheet
from companion.core.text import SeatName, _, name_seats, ngettext
from companion.games.beavers_and_mice.deck import NUMBERS, ROW, Face
from companion.games.beavers_and_mice.plays import Count, Options, Slot
from companion.games.beavers_and_mice.rules import Rule
from companion.games.beavers_and_mice.state import State

ROUNDS_OF_TWO = 4
MAX_TOTAL = 36
"""Highest total: four nines."""


def round_count(options: Options, seats: int) -> int:
    """Return the agreed number of rounds; by default one per player, and four with two (rule `rounds`)."""
    return options.rounds or (ROUNDS_OF_TWO if seats == 2 else seats)


def tally(state: State) -> tuple[Count, ...]:
    return tuple(Count(seat, row or (), knocked=seat == state.knocker) for seat, row in enumerate(state.revealed))


def score(options: Options, counts: tuple[Count, ...]) -> ScoreSheet:
    """Score the four cards, line by line if they are known (rule `score`)."""
    by_seat = sorted(counts, key=lambda count: count.seat)
    lines = tuple(
        ScoreLine(slot.label, tuple(_get_card_points(count, place) for count in by_seat))
        for place, slot in enumerate(Slot)
        if any(count.cards for count in by_seat)
    )
    return ScoreSheet(lines, tuple(count.points for count in by_seat))


def _get_card_points(count: Count, place: int) -> int | None:
    return count.cards[place].points if count.cards and place < len(count.cards) else None


def check_tally(options: Options, seats: int, counts: tuple[Count, ...]) -> Iterator[Violation]:
    """Yield violations of a complete or partial tally, binding if the deck makes it impossible."""
    for count in counts:
        yield from _check_count(count)
    knockers = name_seats(count.seat for count in counts if count.knocked)
    if len(knockers) > 1:
        yield Violation(Rule.KNOCK, _("Only one player knocks in a round, not {names}.", names=knockers))
    yield from _check_deck(options, counts)


def _check_count(count: Count) -> Iterator[Violation]:
    name = SeatName(count.seat)
    if count.cards is not None and len(count.cards) != ROW:
        message = _("{name}: a row has four cards, not {n}.", name=name, n=len(count.cards))
        yield Violation(Rule.DEAL, message, binding=True)
    if count.total is not None and not 0 <= count.total <= MAX_TOTAL:
        message = _("{name}: four cards make 0 to 36, not {n}.", name=name, n=count.total)
        yield Violation(Rule.SCORE, message, binding=True)


def _check_deck(options: Options, counts: Sequence[Count]) -> Iterator[Violation]:
    used = Counter(face for count in counts for card in count.cards or () for face in card.faces)
    left = {face: total - used[face] for face, total in options.deck.cards.items()}
    for face in Face:
        if left[face] < 0:
            message = ngettext(
                "That makes {n} card “{card}”, and the deck has {there}.",
                "That makes {n} cards “{card}”, and the deck has {there}.",
                used[face],
                card=face.label,
                there=options.deck.cards[face],
            )
            yield Violation(Rule.DECK, message, binding=True)
    totals = sorted(count.total for count in counts if count.total is not None and 0 <= count.total <= MAX_TOTAL)
    lowest = [face.points for face in NUMBERS for _copy in range(left[face])]
    yield from _check_totals(totals, lowest)


def _check_totals(totals: list[int], lowest: list[int]) -> Iterator[Violation]:
    """Check the smallest totals against the lowest cards left, and the largest against the highest."""
    highest = lowest[::-1]
    if len(totals) * ROW > len(lowest):
        return  # more players than a table has; each of them is rejected for that
    for n, together in enumerate(accumulate(totals), start=1):
        if together < (least := sum(lowest[: n * ROW])):
            message = ngettext(
                "{n} player has {together}, but the {cards} lowest cards left make {bound}.",
                "{n} players have {together} together, but the {cards} lowest cards left make {bound}.",
                n,
                together=together,
                cards=n * ROW,
                bound=least,
            )
            yield Violation(Rule.DECK, message, binding=True)
            break
    for n, together in enumerate(accumulate(totals[::-1]), start=1):
        if together > (most := sum(highest[: n * ROW])):
            message = ngettext(
                "{n} player has {together}, but the {cards} highest cards left make {bound}.",
                "{n} players have {together} together, but the {cards} highest cards left make {bound}.",
                n,
                together=together,
                cards=n * ROW,
                bound=most,
            )
            yield Violation(Rule.DECK, message, binding=True)
            break
