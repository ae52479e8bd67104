"""Match statistics of Beavers and Mice."""

from collections.abc import Iterator

from companion.core.facts import Aggregation, Fact, FactKind, build_seat_facts
from companion.core.match import Match
from companion.core.match_facts import iter_tallies
from companion.core.text import _
from companion.games.beavers_and_mice.plays import Count, Options

FACT_KINDS = (
    FactKind("knocks", _("Knocks"), Aggregation.SUM),
    FactKind("knocks-won", _("Knocks that won"), Aggregation.SHARE, share_of="knocks"),
)


def collect_facts(options: Options, match: Match) -> Iterator[Fact]:
    """Yield knocks by seat and those that won: nobody had fewer points in the round than the knocker.

    Counts by hand need not say who knocked; a match without any recorded knock has no facts.
    """
    tallies = tuple(iter_tallies(match, Count))
    knocks = [(count, min(other.points for other in tally)) for tally in tallies for count in tally if count.knocked]
    if not knocks:
        return
    knockers = [count.seat for count, _least in knocks]
    winners = [count.seat for count, least in knocks if count.points == least]
    yield from build_seat_facts("knocks", map(knockers.count, range(match.seats)))
    yield from build_seat_facts("knocks-won", map(winners.count, range(match.seats)))
