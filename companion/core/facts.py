"""A number that a match tells of its game alone, and how such numbers are read. What tells them is in telling.py."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from companion.core.text import Text


class Aggregation(StrEnum):
    """How the facts of one kind are read over many matches."""

    SUM = "sum"
    """In all."""
    MEAN = "mean"
    """Usually: the average of the matches in which it is known."""
    MAX = "most"
    """The largest single one."""
    SHARE = "share"
    """So many of so many: its sum of the sum of another kind."""


@dataclass(frozen=True)
class FactKind:
    """A thing that a match can tell: its name, how it is called and how it is read over many matches."""

    name: str
    """A short slug, unique within the game."""
    label: Text
    aggregation: Aggregation
    share_of: str = ""
    """The name of the kind that this one is a share of."""
    group: Text | None = None
    """A heading under which several kinds stand together."""
    needs_plays: bool = False
    """Known only where the referee has kept the plays of every round."""
    is_personal: bool = False
    """Says something of a player only: for a whole table its sum is always the same."""


@dataclass(frozen=True)
class Fact:
    """A number that a match tells of a seat, or of the whole table (None)."""

    name: str
    value: int
    seat: int | None


def build_seat_facts(name: str, values: Iterable[int]) -> Iterator[Fact]:
    """A fact of every seat, from the values in the order of the seats."""
    return (Fact(name, value, seat) for seat, value in enumerate(values))
