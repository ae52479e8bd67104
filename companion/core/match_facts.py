"""What one match tells that only its game can tell, as numbers. Summing them over matches is left to others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from companion.core.facts import Aggregation, Fact, FactKind
from companion.core.match import Match, Round


def collect_facts(match: Match) -> tuple[Fact, ...]:
    """What the finished rounds tell: what the game says, and for the table what it says only of the seats.

    The table has the sum of its seats, or the most of them where the largest single one is read.
    """
    if not match.finished_rounds:
        return ()
    own = tuple(match.game.facts(match))
    of_table = {fact.name for fact in own if fact.seat is None}
    derived = (kind for kind in match.game.fact_kinds if kind.name not in of_table and not kind.is_personal)
    return (*own, *(fact for kind in derived for fact in _of_table(kind, own)))


def _of_table(kind: FactKind, facts: tuple[Fact, ...]) -> Iterator[Fact]:
    values = [fact.value for fact in facts if fact.name == kind.name]
    if values:
        yield Fact(kind.name, max(values) if kind.aggregation is Aggregation.MAX else sum(values), None)


def is_refereed(match: Match) -> bool:
    """Whether the referee saw every finished round to its end, and no counts by hand have taken its place.

    Otherwise what only the plays tell is not told of the match at all: half a number would pass for a whole one.
    """
    return all(played.missing_counts for played in match.finished_rounds)


def iter_effective_plays(played: Round) -> Iterator[Any]:
    """The plays of a round, in order; what had no effect has not happened."""
    return (step.entry for step in played.plays if step.has_effect)
