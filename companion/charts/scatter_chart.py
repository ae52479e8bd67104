"""A point per match in playing order, with a running mean."""

from __future__ import annotations

from collections.abc import Sequence
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
MAX_LARGE_POINTS = 60
"""With more points, they are drawn small."""
MEAN_WINDOW = 5
MIN_POINTS_FOR_MEAN = 8
"""With fewer values there is no mean: three are no trend."""


@dataclass(frozen=True)
class ScatterPoint:
    """A match by number with its value, and the mean of the last five if there are enough."""

    number: int
    value: int
    day: date
    mean: float | None
    x: float
    y: float


@dataclass(frozen=True)
class ScatterChart(Plot):
    """Points of one radius; `trend` is the SVG path of the running mean, empty if there are too few."""

    colour: int | None
    radius: float
    points: tuple[ScatterPoint, ...]
    trend: str
    is_rank: bool

    @property
    def last_day(self) -> date:
        return self.points[-1].day

    @property
    def description(self) -> Text:
        numbers = ", ".join(str(point.value).replace("-", "−") for point in self.points)
        return Text("{numbers}", (("numbers", numbers),))


def build_scatter_chart(
    values: Sequence[int], *, title: Text, days: Sequence[date], colour: int | None = None, is_rank: bool = False
) -> ScatterChart:
    """Return the values, each with its day; rank 1 is drawn at the top."""
    numbers = _choose_numbers(values, is_rank=is_rank)
    low, high = (numbers[-1], numbers[0]) if is_rank else (numbers[0], numbers[-1])
    scale = Scale(low, high, TOP_MARGIN, HEIGHT - BOTTOM_MARGIN)
    left = round_to_tenth(measure_widest(numbers) + 6)
    xs = space_evenly(left + 6, WIDTH - 6, len(values))
    columns = zip(values, days, _compute_means(values), xs, strict=True)
    points = tuple(
        ScatterPoint(number, value, day, mean, x, scale.y(value))
        for number, (value, day, mean, x) in enumerate(columns, 1)
    )
    means = [
        f"{format_coordinate(point.x)} {format_coordinate(scale.y(point.mean))}"
        for point in points
        if point.mean is not None
    ]
    return ScatterChart(
        title=title,
        height=HEIGHT,
        left=left,
        right=WIDTH,
        bottom=scale.bottom,
        ticks=build_ticks(numbers, scale),
        colour=colour,
        radius=3.2 if len(values) <= MAX_LARGE_POINTS else 2,
        points=points,
        trend="M" + "L".join(means) if means else "",
        is_rank=is_rank,
    )


def _choose_numbers(values: Sequence[int], *, is_rank: bool) -> tuple[int, ...]:
    """Return the numbers of the axis, including 0 if that takes at most half of the height; ranks start at 1."""
    if is_rank:
        return choose_axis_numbers(1, max(values, default=1), origin=1)
    low, high = min(values, default=0), max(values, default=0)
    if low == high != 0:
        return choose_axis_numbers(low - 1, high + 1)
    return choose_axis_numbers(min(low, 0) if 2 * low <= high else low, max(high, 0) if 2 * high >= low else high)


def _compute_means(values: Sequence[int]) -> list[float | None]:
    if len(values) < MIN_POINTS_FOR_MEAN:
        return [None] * len(values)
    return [
        sum(values[at - MEAN_WINDOW + 1 : at + 1]) / MEAN_WINDOW if at >= MEAN_WINDOW - 1 else None
        for at in range(len(values))
    ]
