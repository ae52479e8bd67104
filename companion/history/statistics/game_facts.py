"""How the facts of many matches are told: in all, usually, at most, or so many of so many, as each game says."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Count, Max, QuerySet, Sum

from companion.core.facts import FactKind, Reading
from companion.core.game import Game
from companion.core.text import Text, _
from companion.games import games
from companion.history.models import Fact


@dataclass(frozen=True)
class Summed:
    """The facts of one kind over the matches in which it is known."""

    total: int
    most: int
    matches: int


@dataclass(frozen=True)
class Line:
    """What is told, the number, and what it is a number of, where that has to be said."""

    label: Text
    number: Text
    unit: Text | None = None


@dataclass(frozen=True)
class Group:
    """Lines under one heading (None: under none). `matches` is in how many something is known of them."""

    heading: Text | None
    lines: tuple[Line, ...]
    matches: int
    is_from_plays: bool


def told_by_game(facts: QuerySet[Fact]) -> dict[str, tuple[Group, ...]]:
    """What the facts tell, by the slug of the game; asks the database once."""
    rows = facts.values("game", "name").annotate(total=Sum("value"), most=Max("value"), matches=Count("pk"))
    found: dict[str, dict[str, Summed]] = defaultdict(dict)
    for row in rows.order_by("game", "name"):
        found[row["game"]][row["name"]] = Summed(row["total"], row["most"], row["matches"])
    return {slug: _groups(games()[slug], summed) for slug, summed in found.items() if slug in games()}


def _groups(game: Game, summed: Mapping[str, Summed]) -> tuple[Group, ...]:
    """The kinds of a game in its order, those under one heading together."""
    grouped: dict[tuple[str, bool], list[FactKind]] = defaultdict(list)
    wholes = {kind.of for kind in game.fact_kinds if kind.name in summed}
    for kind in game.fact_kinds:
        if kind.name in summed and kind.name not in wholes:
            grouped[str(kind.group or ""), kind.from_plays].append(kind)
    return tuple(
        Group(
            kinds[0].group,
            tuple(_line(kind, summed) for kind in kinds),
            max(summed[kind.name].matches for kind in kinds),
            is_from_plays,
        )
        for (_heading, is_from_plays), kinds in grouped.items()
    )


def _line(kind: FactKind, summed: Mapping[str, Summed]) -> Line:
    own = summed[kind.name]
    match kind.reading:
        case Reading.SUM:
            return Line(kind.label, _plain(own.total))
        case Reading.MOST:
            return Line(kind.label, _plain(own.most))
        case Reading.MEAN:
            return Line(kind.label, _decimal(own.total, own.matches), _("a match"))
        case _:
            return Line(kind.label, _plain(own.total), _("of {n}", n=summed.get(kind.of, own).total))


def _plain(number: int) -> Text:
    return Text("{n}", (("n", number),))


def _decimal(total: int, matches: int) -> Text:
    """A mean with one place after the point; the point is the language's own."""
    tenths = round(10 * total / matches)
    whole, rest = divmod(abs(tenths), 10)
    sign = "−" if tenths < 0 else ""
    if not rest:
        return Text("{n}", (("n", f"{sign}{whole}"),))
    return _("{whole}.{tenths}", whole=f"{sign}{whole}", tenths=rest)
