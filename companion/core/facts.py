"""Statistics that only one game has, and how to aggregate them over matches."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from companion.core.text import Text


class Aggregation(StrEnum):
    """How facts of one kind are combined over matches."""

    SUM = "sum"
    """The total."""
    MEAN = "mean"
    """The average over the matches in which it is known."""
    MAX = "most"
    """The largest value of a single match."""
    SHARE = "share"
    """The total as a share of the total of another kind."""


@dataclass(frozen=True)
class FactKind:
    """A statistic that a game keeps: its name, its label and how it is aggregated."""

    name: str
    """A short slug, unique within the game."""
    label: Text
    aggregation: Aggregation
    share_of: str = ""
    """The name of the kind that this one is a share of."""
    group: Text | None = None
    """Heading shared by several kinds."""
    needs_plays: bool = False
    """Known only if every round was refereed."""
    is_personal: bool = False
    """Only meaningful for a player: its sum over the table is always the same."""


@dataclass(frozen=True)
class Fact:
    """One value of a statistic, for a seat or for the whole table (None)."""

    name: str
    value: int
    seat: int | None


def build_seat_facts(name: str, values: Iterable[int]) -> Iterator[Fact]:
    """Yield a fact for each seat from values in seat order.

    >>> [(fact.seat, fact.value) for fact in build_seat_facts("toads", [2, 0])]
    [(0, 2), (1, 0)]
    """
    return (Fact(name, value, seat) for seat, value in enumerate(values))
