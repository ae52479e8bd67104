"""What a match of Take That tells: toads taken, reversals and rows taken."""

from __future__ import annotations

from collections.abc import Iterator

from companion.core.facts import Fact, FactKind, Reading, by_seat
from companion.core.match import Match
from companion.core.match_facts import happened, is_refereed
from companion.core.text import _
from companion.games.take_that.plays import Take

FACT_KINDS = (
    FactKind("toads", _("Toads taken"), Reading.SUM),
    FactKind("rows", _("Rows taken"), Reading.SUM, from_plays=True),
    FactKind("reversals", _("Reversals"), Reading.SUM),
)
PAIR = 2
"""Every reversal leaves two cards face up (rule `reverse-pair`)."""


def facts(match: Match) -> Iterator[Fact]:
    """Toads and reversals lie before a player at the end of a round, refereed or not; a row taken is seen in the plays.

    An odd number of cards face up, where a table insists on one, counts its whole pairs.
    """
    counts = [count for played in match.finished for count in played.tally or ()]
    seats = range(match.seats)
    yield from by_seat("toads", (sum(count.toads for count in counts if count.seat == seat) for seat in seats))
    pairs = (sum(count.face_up // PAIR for count in counts if count.seat == seat) for seat in seats)
    yield from by_seat("reversals", pairs)
    if is_refereed(match):
        takers = [play.seat for played in match.finished for play in happened(played) if isinstance(play, Take)]
        yield from by_seat("rows", map(takers.count, seats))
