"""What one match tells that only its game can tell, as numbers. Summing them over matches is left to others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from companion.core.text import Text

if TYPE_CHECKING:  # a match is of a game, and the record of a game speaks of facts
    from companion.core.match import Match, Round


class Reading(StrEnum):
    """How the facts of one kind are read over many matches."""

    SUM = "sum"
    """In all."""
    MEAN = "mean"
    """Usually: the average of the matches in which it is known."""
    MOST = "most"
    """The largest single one."""
    SHARE = "share"
    """So many of so many: its sum of the sum of another kind."""


@dataclass(frozen=True)
class FactKind:
    """A thing that a match can tell: its name, how it is called and how it is read over many matches."""

    name: str
    """A short slug, unique within the game."""
    label: Text
    reading: Reading
    of: str = ""
    """The name of the kind that this one is a share of."""
    group: Text | None = None
    """A heading under which several kinds stand together."""
    from_plays: bool = False
    """Known only where the referee has kept the plays of every round."""
    is_personal: bool = False
    """Says something of a player only: for a whole table its sum is always the same."""


@dataclass(frozen=True)
class Fact:
    """A number that a match tells of a seat, or of the whole table (None)."""

    name: str
    value: int
    seat: int | None


def told(match: Match) -> tuple[Fact, ...]:
    """What the finished rounds tell: what the game says, and for the table what it says only of the seats.

    The table has the sum of its seats, or the most of them where the largest single one is read.
    """
    if not match.finished:
        return ()
    own = tuple(match.game.facts(match))
    of_table = {fact.name for fact in own if fact.seat is None}
    derived = (kind for kind in match.game.fact_kinds if kind.name not in of_table and not kind.is_personal)
    return (*own, *(fact for kind in derived for fact in _of_table(kind, own)))


def _of_table(kind: FactKind, facts: tuple[Fact, ...]) -> Iterator[Fact]:
    values = [fact.value for fact in facts if fact.name == kind.name]
    if values:
        yield Fact(kind.name, max(values) if kind.reading is Reading.MOST else sum(values), None)


def by_seat(name: str, values: Iterable[int]) -> Iterator[Fact]:
    """A fact of every seat, from the values in the order of the seats."""
    return (Fact(name, value, seat) for seat, value in enumerate(values))


def is_refereed(match: Match) -> bool:
    """Whether the referee saw every finished round to its end, and no counts by hand have taken its place.

    Otherwise what only the plays tell is not told of the match at all: half a number would pass for a whole one.
    """
    return all(played.missing for played in match.finished)


def happened(played: Round) -> Iterator[Any]:
    """The plays of a round, in order; what had no effect has not happened."""
    return (step.entry for step in played.plays if step.has_effect)
