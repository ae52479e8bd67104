"""One value for each match, in the order in which they were played. How they are drawn is left to the template."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from companion.charts.scales import (
    TOP_MARGIN,
    WIDTH,
    Plot,
    Scale,
    build_ticks,
    choose_axis_numbers,
    format_coordinate,
    measure_widest,
    round_to_tenth,
    space_evenly,
)
from companion.core.text import Text

HEIGHT = 170
BOTTOM_MARGIN = 24
MAX_POINTS = 200
"""Points in one picture: the last ones."""
MAX_LARGE_POINTS = 60
"""Up to so many, points are large."""
MEAN_WINDOW = 5
MIN_POINTS_FOR_MEAN = 8
"""Values from which on their mean is drawn: three are no trend."""


@dataclass(frozen=True)
class ScatterPoint:
    """A match by its number, with its value and, where there are enough, the mean of the last five."""

    number: int
    value: int
    day: date | None
    mean: float | None
    x: float
    y: float


@dataclass(frozen=True)
class ScatterChart(Plot):
    """Points, each of that radius; `trend` is the path of the running mean, empty where there are too few."""

    colour: int | None
    radius: float
    points: tuple[ScatterPoint, ...]
    trend: str
    is_rank: bool

    @property
    def first(self) -> ScatterPoint | None:
        return self.points[0] if self.points else None

    @property
    def last(self) -> ScatterPoint | None:
        """Only where it is another one than the first."""
        return self.points[-1] if len(self.points) > 1 else None

    @property
    def has_days(self) -> bool:
        return any(point.day for point in self.points)


def build_scatter_chart(
    values: Sequence[int], *, title: Text, days: Sequence[date] = (), colour: int | None = None, is_rank: bool = False
) -> ScatterChart:
    """The last 200 of these values, each with its day where `days` has as many; the first place is the highest rank."""
    before = max(0, len(values) - MAX_POINTS)
    shown = values[before:]
    numbers = _numbers(shown, is_rank=is_rank)
    low, high = (numbers[-1], numbers[0]) if is_rank else (numbers[0], numbers[-1])
    scale = Scale(low, high, TOP_MARGIN, HEIGHT - BOTTOM_MARGIN)
    left = round_to_tenth(measure_widest(numbers) + 6)
    xs = space_evenly(left + 6, WIDTH - 6 if len(shown) > 1 else left + 6, len(shown))
    means = _means(shown)
    own_days = days[before:] if len(days) == len(values) else [None] * len(shown)
    points = tuple(
        ScatterPoint(before + at + 1, value, own_days[at], means[at], xs[at], scale.y(value))
        for at, value in enumerate(shown)
    )
    return ScatterChart(
        title=title,
        height=HEIGHT,
        left=left,
        right=WIDTH,
        bottom=scale.bottom,
        ticks=build_ticks(numbers, scale),
        colour=colour,
        radius=3.2 if len(shown) <= MAX_LARGE_POINTS else 2,
        points=points,
        trend=_trend(points, scale),
        is_rank=is_rank,
    )


def _numbers(values: Sequence[int], *, is_rank: bool) -> tuple[int, ...]:
    """From 0 where that takes at most half of the height, as a length is compared; ranks from 1."""
    if is_rank:
        return choose_axis_numbers(1, max(values, default=1), origin=1)
    low, high = min(values, default=0), max(values, default=0)
    if low == high != 0:
        return choose_axis_numbers(low - 1, high + 1)
    return choose_axis_numbers(min(low, 0) if 2 * low <= high else low, max(high, 0) if 2 * high >= low else high)


def _means(values: Sequence[int]) -> list[float | None]:
    if len(values) < MIN_POINTS_FOR_MEAN:
        return [None] * len(values)
    return [
        sum(values[at - MEAN_WINDOW + 1 : at + 1]) / MEAN_WINDOW if at >= MEAN_WINDOW - 1 else None
        for at in range(len(values))
    ]


def _trend(points: Sequence[ScatterPoint], scale: Scale) -> str:
    return "M" + "L".join(_spelt(points, scale)) if any(point.mean is not None for point in points) else ""


def _spelt(points: Sequence[ScatterPoint], scale: Scale) -> Iterator[str]:
    for point in points:
        if point.mean is not None:
            yield f"{format_coordinate(point.x)} {format_coordinate(scale.y(point.mean))}"
