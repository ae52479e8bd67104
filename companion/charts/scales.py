"""Axes and label placement shared by all charts."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from companion.avatars import GRID
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


@dataclass(frozen=True)
class Tick:
    """A number on the axis with the height of its grid line; `text_y` is its baseline."""

    value: int
    y: float
    text_y: float


@dataclass(frozen=True)
class Label:
    """A label below the chart, centred at `x`."""

    text: str
    x: float


@dataclass(frozen=True)
class Scale:
    """Linear scale: `low` is drawn at `bottom`, `high` at `top`. For ranks, `low` is the greater number."""

    low: float
    high: float
    top: float
    bottom: float

    def y(self, value: float) -> float:
        part = (value - self.low) / (self.high - self.low)
        return round_to_tenth(self.bottom - part * (self.bottom - self.top))


@dataclass(frozen=True)
class Plot:
    """A chart with an axis at its left; the plot area is between `left` and `right`, above `bottom`."""

    title: Text
    height: float
    left: float
    right: float
    bottom: float
    ticks: tuple[Tick, ...]

    @property
    def width(self) -> int:
        return WIDTH

    @property
    def tick_label_x(self) -> float:
        """Right edge of the numbers on the axis."""
        return round_to_tenth(self.left - 4)

    @property
    def label_y(self) -> float:
        """Baseline of the labels below the chart."""
        return round_to_tenth(self.bottom + 16)


def build_description(values: Iterable[tuple[Text, int | str]]) -> Text:
    """Return what a screen reader says of a chart: its names with their numbers."""
    parts = tuple(Text("{name} {number}", (("name", name), ("number", number))) for name, number in values)
    return Text("{parts}", (("parts", parts),))


def round_to_tenth(number: float) -> float:
    return round(number, 1)


def format_coordinate(number: float) -> str:
    """Return a coordinate as it is written in SVG attributes.

    >>> format_coordinate(12.0), format_coordinate(3.14)
    ('12', '3.1')
    """
    return f"{round_to_tenth(number):g}"


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


def build_ticks(numbers: Sequence[int], scale: Scale) -> tuple[Tick, ...]:
    return tuple(Tick(number, scale.y(number), round_to_tenth(scale.y(number) + FONT_SIZE / 3)) for number in numbers)


def measure_widest(numbers: Iterable[int], size: float = FONT_SIZE) -> float:
    """Return the width of the widest number."""
    return max((measure_text(str(number), size) for number in numbers), default=0)


def space_evenly(left: float, right: float, count: int) -> list[float]:
    """Return `count` positions from left to right; a single one is in the middle."""
    if count == 1:
        return [round_to_tenth((left + right) / 2)]
    return [round_to_tenth(left + (right - left) * index / (count - 1)) for index in range(count)]


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
    heights = {index: round_to_tenth(firsts[position] + position * pitch) for position, index in enumerate(order)}
    return tuple(heights[index] for index in range(len(wanted)))


def format_sign_transform(x: float, y: float, size: float = SIGN_SIZE) -> str:
    """Return the SVG transform that centres a sign at a point."""
    return f"translate({format_coordinate(x - size / 2)} {format_coordinate(y - size / 2)}) scale({size / GRID:g})"
