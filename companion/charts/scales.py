"""Scales: round numbers along an axis, labels that keep clear of each other. Whose values they show is left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count

from companion.avatars import GRID
from companion.charts.text_width import FONT_SIZE, measure_text
from companion.core.text import Text

WIDTH = 360
"""Of every picture, in units; about the pixels of a small phone."""
LINE_HEIGHT = 15
"""From one line of text to the next."""
TOP_MARGIN = 10
BOTTOM_MARGIN = 24
"""Room under the lowest tick for the labels there."""
MAX_TICKS = 5
SIGN_SIZE = 13
"""Width and height of a sign in a picture."""


@dataclass(frozen=True)
class Tick:
    """A number of the axis and how far down its line is; `text` is the foot of its letters."""

    value: int
    y: float
    text_y: float


@dataclass(frozen=True)
class Label:
    """Words (or a number) under the picture, centred at `x`."""

    text: str
    x: float


@dataclass(frozen=True)
class Scale:
    """Turns values into heights; `low` lies at `bottom`, `high` at `top`. For ranks `low` is the greater number."""

    low: float
    high: float
    top: float
    bottom: float

    def y(self, value: float) -> float:
        part = (value - self.low) / (self.high - self.low)
        return round_to_tenth(self.bottom - part * (self.bottom - self.top))


@dataclass(frozen=True)
class Plot:
    """A picture with numbers at its left: what is drawn lies between `left` and `right`, and above `bottom`."""

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
        """Where the numbers of the axis end."""
        return round_to_tenth(self.left - 4)

    @property
    def label_y(self) -> float:
        """The foot of the letters below."""
        return round_to_tenth(self.bottom + 16)


def round_to_tenth(number: float) -> float:
    return round(number, 1)


def format_coordinate(number: float) -> str:
    """A coordinate as path data and transforms have it."""
    return f"{round_to_tenth(number):g}"


def choose_axis_numbers(low: float, high: float, origin: int = 0) -> tuple[int, ...]:
    """Three to five whole numbers around `low` and `high`, evenly apart by 1, 2 or 5 times a power of ten.

    They are counted from `origin`.
    """
    for step in (factor * 10**power for power in count() for factor in (1, 2, 5)):
        first = int((low - origin) // step)
        last = max(-int((origin - high) // step), first + 2)
        if last - first < MAX_TICKS:
            return tuple(origin + step * place for place in range(first, last + 1))
    raise AssertionError("some step is large enough")


def build_ticks(numbers: Sequence[int], scale: Scale) -> tuple[Tick, ...]:
    return tuple(Tick(number, scale.y(number), round_to_tenth(scale.y(number) + FONT_SIZE / 3)) for number in numbers)


def measure_widest(numbers: Sequence[int], size: float = FONT_SIZE) -> float:
    """The width of the widest of these numbers."""
    return max((measure_text(str(number), size) for number in numbers), default=0)


def space_evenly(left: float, right: float, many: int) -> list[float]:
    """So many places from left to right; a single one lies in the middle."""
    if many == 1:
        return [round_to_tenth((left + right) / 2)]
    return [round_to_tenth(left + (right - left) * at / (many - 1)) for at in range(many)]


def find_label_step(pitch: float, room: float) -> int:
    """Which labels can be shown that are a pitch apart and take some room each: all (1), every 2nd, 5th, …"""
    return next(step for power in count() for factor in (1, 2, 5) if (step := factor * int(10**power)) * pitch >= room)


def spread_labels(wanted: Sequence[float], low: float, high: float, pitch: float = LINE_HEIGHT) -> tuple[float, ...]:
    """Heights at least a pitch apart, in the order of those wanted and as near to them as can be, from low to high.

    Neighbours that would touch are moved as one block around their middle (pool adjacent violators).
    """
    order = sorted(range(len(wanted)), key=wanted.__getitem__)
    blocks: list[tuple[float, int]] = []
    for place, index in enumerate(order):
        total, size = wanted[index] - place * pitch, 1
        while blocks and blocks[-1][0] / blocks[-1][1] > total / size:
            total, size = total + blocks[-1][0], size + blocks.pop()[1]
        blocks.append((total, size))
    most = high - (len(wanted) - 1) * pitch
    firsts = [max(low, min(most, total / size)) for total, size in blocks for _ in range(size)]
    found = {index: round_to_tenth(firsts[place] + place * pitch) for place, index in enumerate(order)}
    return tuple(found[index] for index in range(len(wanted)))


def format_sign_transform(x: float, y: float, size: float = SIGN_SIZE) -> str:
    """The transform that puts a sign's drawing around a point."""
    return f"translate({format_coordinate(x - size / 2)} {format_coordinate(y - size / 2)}) scale({size / GRID:g})"
