"""Aggregation and formatting of game facts over many matches, as each game declares."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from django.db.models import Count, Max, QuerySet, Sum

from companion.core.facts import Aggregation, FactKind
from companion.core.game import Game
from companion.core.text import Text, _
from companion.games import get_games
from companion.history.models import Fact


class FactSummary(NamedTuple):
    """Aggregates of one kind of fact over the matches that have it."""

    total: int
    most: int
    matches: int


@dataclass(frozen=True)
class FactLine:
    """A labelled number, to one decimal place, with its unit if it needs one."""

    label: Text
    number: float
    unit: Text | None = None


@dataclass(frozen=True)
class FactGroup:
    """Lines under one heading."""

    heading: Text | None
    lines: tuple[FactLine, ...]
    matches: int
    """How many matches have any of these facts."""
    is_from_plays: bool


def format_facts_by_game(facts: QuerySet[Fact]) -> dict[str, tuple[FactGroup, ...]]:
    """Return the formatted facts by game slug, in one query."""
    sums = facts.values_list("game", "name").annotate(total=Sum("value"), most=Max("value"), matches=Count("pk"))
    by_game: dict[str, dict[str, FactSummary]] = defaultdict(dict)
    for slug, name, *numbers in sums.order_by("game", "name"):
        by_game[slug][name] = FactSummary(*numbers)
    return {
        slug: _build_groups(get_games()[slug], summaries) for slug, summaries in by_game.items() if slug in get_games()
    }


def _build_groups(game: Game, summaries: Mapping[str, FactSummary]) -> tuple[FactGroup, ...]:
    grouped: dict[tuple[str, bool], list[FactKind]] = defaultdict(list)
    wholes = {kind.share_of for kind in game.stats.fact_kinds if kind.name in summaries}
    for kind in game.stats.fact_kinds:
        if kind.name in summaries and kind.name not in wholes:
            grouped[str(kind.group or ""), kind.needs_plays].append(kind)
    return tuple(
        FactGroup(
            kinds[0].group,
            tuple(_format_line(kind, summaries) for kind in kinds),
            max(summaries[kind.name].matches for kind in kinds),
            is_from_plays,
        )
        for (_heading, is_from_plays), kinds in grouped.items()
    )


def _format_line(kind: FactKind, summaries: Mapping[str, FactSummary]) -> FactLine:
    summary = summaries[kind.name]
    match kind.aggregation:
        case Aggregation.SUM:
            return FactLine(kind.label, summary.total)
        case Aggregation.MAX:
            return FactLine(kind.label, summary.most)
        case Aggregation.MEAN:
            return FactLine(kind.label, round(10 * summary.total / summary.matches) / 10, _("a match"))
        case _:
            return FactLine(kind.label, summary.total, _("of {n}", n=summaries.get(kind.share_of, summary).total))
