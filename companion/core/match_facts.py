"""Game-specific statistics of one match."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from companion.core.facts import Aggregation, Fact, FactKind
from companion.core.match import Match, Round


def collect_facts(match: Match) -> tuple[Fact, ...]:
    """Return the facts of the finished rounds, by seat and for the table.

    Where the game has no fact for the table, it is derived from the seats: their sum, or their largest value.
    """
    if not match.finished_rounds:
        return ()
    facts = tuple(match.game.facts(match))
    table_names = {fact.name for fact in facts if fact.seat is None}
    derived = (kind for kind in match.game.fact_kinds if kind.name not in table_names and not kind.is_personal)
    return (*facts, *(fact for kind in derived for fact in _derive_table_fact(kind, facts)))


def _derive_table_fact(kind: FactKind, facts: tuple[Fact, ...]) -> Iterator[Fact]:
    values = [fact.value for fact in facts if fact.name == kind.name]
    if values:
        yield Fact(kind.name, max(values) if kind.aggregation is Aggregation.MAX else sum(values), None)


def is_refereed(match: Match) -> bool:
    """Whether every finished round was refereed to its end, not counted by hand.

    Otherwise facts that need plays are left out: a partial number would pass for a whole one.
    """
    return all(played.missing_counts for played in match.finished_rounds)


def iter_effective_plays(played: Round) -> Iterator[Any]:
    """Yield the plays of a round in order, without those that had no effect."""
    return (step.entry for step in played.plays if step.has_effect)
