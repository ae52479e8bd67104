"""Scoring of Beavers and Mice, shared by pad, referee and calculator."""

from __future__ import annotations

from companion.core.game import ScoreLine, ScoreSheet
from companion.games.beavers_and_mice.plays import Count, Options, Slot
from companion.games.beavers_and_mice.state import State

ROUNDS_OF_TWO = 4


def rounds(options: Options, seats: int) -> int:
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
