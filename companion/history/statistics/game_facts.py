"""How the facts of many matches are told: in all, usually, at most, or so many of so many, as each game says."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Count, Max, QuerySet, Sum

from companion.core.facts import Aggregation, FactKind
from companion.core.game import Game
from companion.core.text import Text, _
from companion.games import get_games
from companion.history.models import Fact


@dataclass(frozen=True)
class FactSummary:
    """The facts of one kind over the matches in which it is known."""

    total: int
    most: int
    matches: int


@dataclass(frozen=True)
class FactLine:
    """What is told, the number, and what it is a number of, where that has to be said."""

    label: Text
    number: Text
    unit: Text | None = None


@dataclass(frozen=True)
class FactGroup:
    """Lines under one heading (None: under none). `matches` is in how many something is known of them."""

    heading: Text | None
    lines: tuple[FactLine, ...]
    matches: int
    is_from_plays: bool


def format_facts_by_game(facts: QuerySet[Fact]) -> dict[str, tuple[FactGroup, ...]]:
    """What the facts tell, by the slug of the game; asks the database once."""
    rows = facts.values("game", "name").annotate(total=Sum("value"), most=Max("value"), matches=Count("pk"))
    found: dict[str, dict[str, FactSummary]] = defaultdict(dict)
    for row in rows.order_by("game", "name"):
        found[row["game"]][row["name"]] = FactSummary(row["total"], row["most"], row["matches"])
    return {slug: _build_groups(get_games()[slug], summed) for slug, summed in found.items() if slug in get_games()}


def _build_groups(game: Game, summed: Mapping[str, FactSummary]) -> tuple[FactGroup, ...]:
    """The kinds of a game in its order, those under one heading together."""
    grouped: dict[tuple[str, bool], list[FactKind]] = defaultdict(list)
    wholes = {kind.share_of for kind in game.fact_kinds if kind.name in summed}
    for kind in game.fact_kinds:
        if kind.name in summed and kind.name not in wholes:
            grouped[str(kind.group or ""), kind.needs_plays].append(kind)
    return tuple(
        FactGroup(
            kinds[0].group,
            tuple(_format_line(kind, summed) for kind in kinds),
            max(summed[kind.name].matches for kind in kinds),
            is_from_plays,
        )
        for (_heading, is_from_plays), kinds in grouped.items()
    )


def _format_line(kind: FactKind, summed: Mapping[str, FactSummary]) -> FactLine:
    own = summed[kind.name]
    match kind.aggregation:
        case Aggregation.SUM:
            return FactLine(kind.label, _format_integer(own.total))
        case Aggregation.MAX:
            return FactLine(kind.label, _format_integer(own.most))
        case Aggregation.MEAN:
            return FactLine(kind.label, _format_mean(own.total, own.matches), _("a match"))
        case _:
            return FactLine(kind.label, _format_integer(own.total), _("of {n}", n=summed.get(kind.share_of, own).total))


def _format_integer(number: int) -> Text:
    return Text("{n}", (("n", number),))


def _format_mean(total: int, matches: int) -> Text:
    """A mean with one place after the point; the point is the language's own."""
    tenths = round(10 * total / matches)
    whole, rest = divmod(abs(tenths), 10)
    sign = "−" if tenths < 0 else ""
    if not rest:
        return Text("{n}", (("n", f"{sign}{whole}"),))
    return _("{whole}.{tenths}", whole=f"{sign}{whole}", tenths=rest)
