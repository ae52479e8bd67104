"""Running totals by round, a line per side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TypeAlias

from companion.avatars import get_sign
from companion.charts.scales import (
    BOTTOM_MARGIN,
    LINE_HEIGHT,
    SIGN_SIZE,
    TOP_MARGIN,
    WIDTH,
    Label,
    Plot,
    Scale,
    build_description,
    build_ticks,
    choose_axis_numbers,
    find_label_step,
    format_coordinate,
    format_sign_transform,
    measure_widest,
    round_to_tenth,
    space_evenly,
    spread_labels,
)
from companion.charts.text_width import BOLD_FACTOR, FONT_SIZE, measure_text
from companion.core.text import Text

HEIGHT = 220
LEADER_LENGTH = 12
"""Distance from the end of a line to its sign."""
NAME_WIDTH = 94
"""Room for a name beside its line, unless totals are wide."""
MIN_NAME_WIDTH = 44
TYPICAL_TOTAL_WIDTH = 36
"""Room for a total; a wider one takes room from the names."""
MAX_ROUNDS_WITH_DOTS = 12
"""With more rounds, points get no dot."""
MIN_MARK_CLEARANCE = 11
"""Least distance of a sign on a line from other lines and signs."""
DASH_LENGTH = 6

Point: TypeAlias = tuple[float, float]
Paths: TypeAlias = tuple[tuple[Point, ...], ...]
"""The points of each series by round."""


@dataclass(frozen=True)
class Series:
    """The totals of a side after each round."""

    name: Text
    values: tuple[int, ...]
    colour: int
    sign: str

    @property
    def total(self) -> int:
        return self.values[-1]


@dataclass(frozen=True)
class Dot:
    """A point of a line. Of several at one position, earlier ones are larger, so that each shows as a ring."""

    x: float
    y: float
    radius: float


@dataclass(frozen=True)
class LineSegment:
    """A part of a line; sides that share it draw alternate dashes."""

    path: str
    dash: str = ""
    dash_offset: int = 0


@dataclass(frozen=True)
class LineMark:
    """A sign on a line, away from other lines."""

    x: float
    y: float
    sign_transform: str


@dataclass(frozen=True)
class LineEnd:
    """Sign, name and total at the right of a line, and the thin `leader` line to them."""

    text_y: float
    leader: str
    sign_transform: str


@dataclass(frozen=True)
class ChartLine:
    series: Series
    sign_path: str
    """SVG path data; empty if the sign is unknown."""
    segments: tuple[LineSegment, ...]
    dots: tuple[Dot, ...]
    mark: LineMark | None
    end: LineEnd


@dataclass(frozen=True)
class LineChart(Plot):
    """Lines with names at their right, from `names_x` on, `name_width` wide."""

    names_x: float
    name_width: float
    labels: tuple[Label, ...]
    lines: tuple[ChartLine, ...]
    rows: tuple[tuple[str, tuple[int, ...]], ...]
    """The same as a table: the name of each round and the totals after it."""

    @property
    def description(self) -> Text:
        return build_description((line.series.name, line.series.total) for line in self.lines)


def build_line_chart(series: Sequence[Series], *, title: Text, labels: Sequence[str]) -> LineChart:
    """Return a line per side; each has a value for every round, and `labels` names the rounds."""
    totals = [total for side in series for total in side.values]
    numbers = choose_axis_numbers(min([0, *totals]), max([0, *totals]))
    height = max(HEIGHT, len(series) * LINE_HEIGHT + TOP_MARGIN + BOTTOM_MARGIN)
    scale = Scale(numbers[0], numbers[-1], TOP_MARGIN, height - BOTTOM_MARGIN)
    left = round_to_tenth(measure_widest(numbers) + 6)
    right, room = _fit_names(series)
    xs = space_evenly(left + 4, right - 4, len(labels))
    paths = tuple(tuple(zip(xs, map(scale.y, side.values), strict=True)) for side in series)
    return LineChart(
        title=title,
        height=height,
        left=left,
        right=right,
        bottom=scale.bottom,
        ticks=build_ticks(numbers, scale),
        names_x=round_to_tenth(right + LEADER_LENGTH + SIGN_SIZE + 4),
        name_width=room,
        labels=_build_labels(labels, xs),
        lines=_build_lines(series, paths, _build_ends(series, paths, scale, right)),
        rows=tuple(zip(labels, zip(*(side.values for side in series), strict=True), strict=True)),
    )


def _fit_names(series: Sequence[Series]) -> tuple[float, float]:
    """Return where the lines end, and the room for a name beside them; totals are never truncated."""
    totals = measure_widest([side.total for side in series], FONT_SIZE * BOLD_FACTOR)
    room = round_to_tenth(max(MIN_NAME_WIDTH, NAME_WIDTH - max(0, totals - TYPICAL_TOTAL_WIDTH)))
    return round_to_tenth(WIDTH - totals - 6 - room - SIGN_SIZE - 4 - LEADER_LENGTH), room


def _build_labels(names: Sequence[str], xs: Sequence[float]) -> tuple[Label, ...]:
    """Return a label for as many rounds as there is room for."""
    pitch = xs[1] - xs[0] if len(xs) > 1 else WIDTH
    step = find_label_step(pitch, max(map(measure_text, names)) + 4)
    return tuple(Label(name, x) for n, (name, x) in enumerate(zip(names, xs, strict=True), 1) if n % step == 0)


def _build_lines(series: Sequence[Series], paths: Paths, ends: Sequence[LineEnd]) -> tuple[ChartLine, ...]:
    marks = _place_marks(paths)
    return tuple(
        ChartLine(
            series=side,
            sign_path=sign.path if (sign := get_sign(side.sign)) else "",
            segments=tuple(_iter_segments(paths, index)),
            dots=tuple(_iter_dots(paths, index)),
            mark=marks[index] if sign else None,
            end=ends[index],
        )
        for index, side in enumerate(series)
    )


def _find_overlapping(paths: Paths, index: int, first: int, last: int) -> tuple[int, ...]:
    """Return the series with the same points as this one (which is included) from one round to another."""
    part = paths[index][first : last + 1]
    return tuple(other for other, path in enumerate(paths) if path[first : last + 1] == part)


def _iter_segments(paths: Paths, index: int) -> Iterator[LineSegment]:
    """Yield a line in parts, each shared with the same other lines from its start to its end."""
    line = paths[index]
    for sharing, group in groupby(range(len(line) - 1), lambda step: _find_overlapping(paths, index, step, step + 1)):
        steps = list(group)
        ends = line[steps[0] : steps[-1] + 2]
        path = "M" + "L".join(f"{format_coordinate(x)} {format_coordinate(y)}" for x, y in ends)
        if len(sharing) == 1:
            yield LineSegment(path)
        else:
            yield LineSegment(
                path, f"{DASH_LENGTH} {DASH_LENGTH * (len(sharing) - 1)}", -DASH_LENGTH * sharing.index(index)
            )


def _iter_dots(paths: Paths, index: int) -> Iterator[Dot]:
    """Yield a dot for every point, unless there are many."""
    line = paths[index]
    if len(line) <= MAX_ROUNDS_WITH_DOTS:
        for at, (x, y) in enumerate(line):
            later = sum(1 for other in _find_overlapping(paths, index, at, at) if other > index)
            yield Dot(x, y, round_to_tenth(2.6 + 1.8 * min(later, 3)))


def _place_marks(paths: Paths) -> tuple[LineMark | None, ...]:
    """Return a sign on an inner point of each line, furthest from the others; None if that is too near."""
    placed: list[LineMark | None] = []
    for index, line in enumerate(paths):
        inner = range(1, len(line) - 1)
        free = [(_measure_clearance(paths, index, at, placed), line[at]) for at in inner]
        best, (x, y) = max(free, default=(0.0, (0.0, 0.0)), key=lambda item: item[0])
        placed.append(LineMark(x, y, format_sign_transform(x, y)) if best >= MIN_MARK_CLEARANCE else None)
    return tuple(placed)


def _measure_clearance(paths: Paths, index: int, at: int, placed: Sequence[LineMark | None]) -> float:
    """Return the distance of a point of a line from the lines and signs of the others."""
    x, y = paths[index][at]
    others = (near for other, line in enumerate(paths) if other != index for near in line[at - 1 : at + 2])
    gaps = [abs(y - other_y) for other_x, other_y in others if abs(x - other_x) < 2 * MIN_MARK_CLEARANCE]
    return min([*gaps, *(abs(x - mark.x) + abs(y - mark.y) for mark in placed if mark)], default=HEIGHT)


def _build_ends(series: Sequence[Series], paths: Paths, scale: Scale, right: float) -> list[LineEnd]:
    """Return the labels at the right, as near to the ends of their lines as possible without touching."""
    # Sorted by total, as close totals can be at the same height.
    order = sorted(range(len(series)), key=lambda index: -series[index].total)
    ys = spread_labels([paths[index][-1][1] for index in order], scale.top, scale.bottom - 4)
    ends = {index: _build_end(paths[index][-1], y, right) for index, y in zip(order, ys, strict=True)}
    return [ends[index] for index in range(len(series))]


def _build_end(point: Point, y: float, right: float) -> LineEnd:
    start = f"M{format_coordinate(point[0] + 4)} {format_coordinate(point[1])}H{format_coordinate(right)}"
    leader = f"{start}L{format_coordinate(right + LEADER_LENGTH - 2)} {format_coordinate(y)}"
    return LineEnd(
        round_to_tenth(y + FONT_SIZE / 3), leader, format_sign_transform(right + LEADER_LENGTH + SIGN_SIZE / 2, y)
    )
