"""Game-specific statistics of one match."""

from collections.abc import Iterator
from typing import cast

from companion.core.facts import Aggregation, Fact, FactKind
from companion.core.game import PlayT, Stats
from companion.core.match import Match
from companion.core.protocols import Options
from companion.core.scoring import CountT


def collect_facts(match: Match) -> tuple[Fact, ...]:
    """Return the facts of the finished rounds, by seat and for the table.

    Where the game has no fact for the table, it is derived from the seats: their sum, or their largest value.
    """
    if not match.finished_rounds:
        return ()
    stats = cast("Stats[Options, Match]", match.game.stats)
    facts = tuple(stats.facts(match.options, match))
    table_names = {fact.name for fact in facts if fact.seat is None}
    derived = (kind for kind in stats.fact_kinds if kind.name not in table_names and not kind.is_personal)
    return (*facts, *(fact for kind in derived for fact in _derive_table_fact(kind, facts)))


def _derive_table_fact(kind: FactKind, facts: tuple[Fact, ...]) -> Iterator[Fact]:
    values = [fact.value for fact in facts if fact.name == kind.name]
    if values:
        yield Fact(kind.name, max(values) if kind.aggregation is Aggregation.MAX else sum(values), None)


def iter_tallies(match: Match, cls: type[CountT]) -> Iterator[tuple[CountT, ...]]:
    """Yield the counts of a class, by finished round."""
    for played in match.finished_rounds:
        yield tuple(count for count in played.tally or () if isinstance(count, cls))


def is_refereed(match: Match) -> bool:
    """Whether every finished round was refereed to its end, not counted by hand.

    Otherwise facts that need plays are left out: a partial number would pass for a whole one.
    """
    return all(played.missing_counts for played in match.finished_rounds)


def iter_plays(match: Match, cls: type[PlayT]) -> Iterator[tuple[PlayT, ...]]:
    """Yield the plays of a class in order, by finished round, without those that had no effect."""
    for played in match.finished_rounds:
        yield tuple(step.entry for step in played.plays if step.has_effect and isinstance(step.entry, cls))
