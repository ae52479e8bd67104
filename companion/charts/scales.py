"""Axes and label placement shared by all charts."""

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple

from companion.charts.text_width import FONT_SIZE, measure_text
from companion.core.text import Text

WIDTH = 360
"""Width of every chart in chart units; about the pixels of a small phone."""
LINE_HEIGHT = 15
"""Distance between lines of text."""
TOP_MARGIN = 10
BOTTOM_MARGIN = 24
"""Room for labels below the lowest tick."""
MAX_TICKS = 5
SIGN_SIZE = 13
"""Width and height of a sign in a chart."""


class Point(NamedTuple):
    x: float
    y: float


@dataclass(frozen=True)
class Axis:
    """A linear axis: the first of its numbers is drawn at `bottom`, the last at `top`. For ranks, 1 is the last."""

    numbers: Sequence[int]
    bottom: float
    top: float = TOP_MARGIN
    is_drawn: bool = True

    @cached_property
    def left(self) -> float:
        """Where the plot begins, beside the numbers."""
        return round(measure_widest(self.numbers) + 6, 1) if self.is_drawn else 0

    @property
    def ticks(self) -> list[tuple[int, float]]:
        """The numbers with the heights of their grid lines."""
        return [(number, self.y(number)) for number in self.numbers] if self.is_drawn else []

    def y(self, value: float) -> float:
        part = (value - self.numbers[0]) / (self.numbers[-1] - self.numbers[0])
        return round(self.bottom - part * (self.bottom - self.top), 1)


@dataclass(frozen=True)
class Plot:
    """A chart with an axis at its left; the plot area ends at `right`."""

    title: Text
    height: float
    axis: Axis
    right: float
    width: ClassVar[int] = WIDTH

    @property
    def label_y(self) -> float:
        """Baseline of the labels below the chart."""
        return self.axis.bottom + 16


def build_description(values: Iterable[tuple[Text, int | str]]) -> Text:
    """Return what a screen reader says of a chart: its names with their numbers."""
    parts = tuple(Text("{name} {number}", (("name", name), ("number", number))) for name, number in values)
    return Text("{parts}", (("parts", parts),))


def build_path(points: Iterable[Point]) -> str:
    """Return the SVG path through some points.

    >>> build_path([Point(12.0, 3.1), Point(20, 0)])
    'M12 3.1L20 0'
    """
    return "M" + "L".join(f"{x:g} {y:g}" for x, y in points)


def choose_axis_numbers(low: float, high: float, origin: int = 0) -> tuple[int, ...]:
    """Return three to five integers that enclose `low` and `high`, a step of 1, 2 or 5 times a power of ten apart.

    They are multiples of the step counted from `origin`.

    >>> choose_axis_numbers(0, 37)
    (0, 10, 20, 30, 40)
    """
    for step in (factor * 10**power for power in itertools.count() for factor in (1, 2, 5)):
        first = int((low - origin) // step)
        last = max(-int((origin - high) // step), first + 2)
        if last - first < MAX_TICKS:
            return tuple(origin + step * index for index in range(first, last + 1))
    raise AssertionError("some step is large enough")


def measure_widest(numbers: Iterable[int], size: float = FONT_SIZE) -> float:
    """Return the width of the widest number."""
    return max((measure_text(str(number), size) for number in numbers), default=0)


def space_evenly(left: float, right: float, count: int) -> list[float]:
    """Return `count` positions from left to right; a single one is in the middle."""
    if count == 1:
        return [round((left + right) / 2, 1)]
    return [round(left + (right - left) * index / (count - 1), 1) for index in range(count)]


def find_label_step(pitch: float, room: float) -> int:
    """Return which labels to show, `pitch` apart and `room` wide, so that none touch: all (1), every 2nd, 5th, …"""
    return next(
        step for power in itertools.count() for factor in (1, 2, 5) if (step := factor * int(10**power)) * pitch >= room
    )


def spread_labels(wanted: Sequence[float], low: float, high: float, pitch: float = LINE_HEIGHT) -> tuple[float, ...]:
    """Return heights between `low` and `high`, at least a pitch apart and as near to those wanted as possible.

    They keep the order of those wanted. Neighbours that would touch are moved as one block around their middle (pool
    adjacent violators).
    """
    order = sorted(range(len(wanted)), key=wanted.__getitem__)
    blocks: list[tuple[float, int]] = []
    for position, index in enumerate(order):
        total, size = wanted[index] - position * pitch, 1
        while blocks and blocks[-1][0] / blocks[-1][1] > total / size:
            total, size = total + blocks[-1][0], size + blocks.pop()[1]
        blocks.append((total, size))
    most = high - (len(wanted) - 1) * pitch
    firsts = [max(low, min(most, total / size)) for total, size in blocks for _ in range(size)]
    heights = {index: round(firsts[position] + position * pitch, 1) for position, index in enumerate(order)}
    return tuple(heights[index] for index in range(len(wanted)))
