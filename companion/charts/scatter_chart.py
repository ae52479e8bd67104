"""A point per match in playing order, with a running mean."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from companion.charts.scales import (
    BOTTOM_MARGIN,
    WIDTH,
    Axis,
    Plot,
    Point,
    build_path,
    choose_axis_numbers,
    space_evenly,
)
from companion.core.text import Text

HEIGHT = 170
MAX_LARGE_POINTS = 60
"""With more points, they are drawn small."""
MEAN_WINDOW = 5
MIN_POINTS_FOR_MEAN = 8
"""With fewer values there is no mean: three are no trend."""


@dataclass(frozen=True)
class ScatterPoint:
    """A match with its value, and the mean of the last five if there are enough."""

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
    axis = Axis(_choose_numbers(values, is_rank=is_rank), HEIGHT - BOTTOM_MARGIN)
    xs = space_evenly(axis.left + 6, WIDTH - 6, len(values))
    points = tuple(map(ScatterPoint, values, days, _compute_means(values), xs, map(axis.y, values)))
    means = [Point(point.x, axis.y(point.mean)) for point in points if point.mean is not None]
    return ScatterChart(
        title=title,
        height=HEIGHT,
        axis=axis,
        right=WIDTH,
        colour=colour,
        radius=3.2 if len(values) <= MAX_LARGE_POINTS else 2,
        points=points,
        trend=build_path(means) if means else "",
        is_rank=is_rank,
    )


def _choose_numbers(values: Sequence[int], *, is_rank: bool) -> tuple[int, ...]:
    """Return the numbers of the axis, including 0 if that takes at most half of the height; ranks start at 1."""
    if is_rank:
        return choose_axis_numbers(1, max(values), origin=1)[::-1]
    low, high = min(values), max(values)
    if low == high != 0:
        return choose_axis_numbers(low - 1, high + 1)
    return choose_axis_numbers(min(low, 0) if 2 * low <= high else low, max(high, 0) if 2 * high >= low else high)


def _compute_means(values: Sequence[int]) -> list[float | None]:
    if len(values) < MIN_POINTS_FOR_MEAN:
        return [None] * len(values)
    windows = (values[end - MEAN_WINDOW : end] for end in range(MEAN_WINDOW, len(values) + 1))
    return [*[None] * (MEAN_WINDOW - 1), *(sum(window) / MEAN_WINDOW for window in windows)]
