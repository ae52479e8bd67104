"""Match statistics of Take That."""

from collections.abc import Iterator

from companion.core.facts import Aggregation, Fact, FactKind, build_seat_facts
from companion.core.match import Match
from companion.core.match_facts import is_refereed, iter_plays, iter_tallies
from companion.core.text import _
from companion.games.take_that.plays import Count, Options, Take

FACT_KINDS = (
    FactKind("toads", _("Toads taken"), Aggregation.SUM),
    FactKind("rows", _("Rows taken"), Aggregation.SUM, needs_plays=True),
    FactKind("reversals", _("Reversals"), Aggregation.SUM),
)
PAIR = 2
"""Cards that a reversal leaves face up (rule `reverse-pair`)."""


def collect_facts(options: Options, match: Match) -> Iterator[Fact]:
    """Yield toads and reversals from the counts, refereed or not, and rows taken from the plays.

    An odd number of cards face up, which a table can insist on, counts its whole pairs.
    """
    counts = [count for tally in iter_tallies(match, Count) for count in tally]
    seats = range(match.seats)
    yield from build_seat_facts("toads", (sum(count.toads for count in counts if count.seat == seat) for seat in seats))
    pairs = (sum(count.face_up // PAIR for count in counts if count.seat == seat) for seat in seats)
    yield from build_seat_facts("reversals", pairs)
    if is_refereed(match):
        takers = [play.seat for plays in iter_plays(match, Take) for play in plays]
        yield from build_seat_facts("rows", map(takers.count, seats))
