"""Running totals by round, a line per side."""

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
    Axis,
    Plot,
    Point,
    build_description,
    build_path,
    choose_axis_numbers,
    find_label_step,
    measure_widest,
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
class LineSegment:
    """A part of a line; sides that share it draw alternate dashes."""

    path: str
    dash: str = ""
    dash_offset: int = 0


@dataclass(frozen=True)
class ChartLine:
    """A line, and at its right the thin `leader` line to its sign, name and total at height `end_y`."""

    series: Series
    segments: tuple[LineSegment, ...]
    dots: tuple[tuple[Point, float], ...]
    """Points and their radius. Of several at one position, earlier ones are larger, so that each shows as a ring."""
    mark: Point | None
    """Where a sign is drawn on the line, away from other lines."""
    end_y: float
    leader: str


@dataclass(frozen=True)
class LineChart(Plot):
    """Lines with signs and names at their right, each `name_width` wide."""

    signs_x: float
    names_x: float
    name_width: float
    labels: tuple[tuple[str, float], ...]
    """The names of rounds that there is room for, and the middle of each."""
    lines: tuple[ChartLine, ...]
    rows: tuple[tuple[str, tuple[int, ...]], ...]
    """The same as a table: the name of each round and the totals after it."""

    @property
    def description(self) -> Text:
        return build_description((line.series.name, line.series.total) for line in self.lines)


def build_line_chart(series: Sequence[Series], *, title: Text, labels: Sequence[str]) -> LineChart:
    """Return a line per side; each has a value for every round, and `labels` names the rounds."""
    totals = [0, *(total for side in series for total in side.values)]
    height = max(HEIGHT, len(series) * LINE_HEIGHT + TOP_MARGIN + BOTTOM_MARGIN)
    axis = Axis(choose_axis_numbers(min(totals), max(totals)), height - BOTTOM_MARGIN)
    right, room = _fit_names(series)
    xs = space_evenly(axis.left + 4, right - 4, len(labels))
    paths = tuple(tuple(map(Point, xs, map(axis.y, side.values))) for side in series)
    return LineChart(
        title=title,
        height=height,
        axis=axis,
        right=right,
        signs_x=right + LEADER_LENGTH + SIGN_SIZE / 2,
        names_x=round(right + LEADER_LENGTH + SIGN_SIZE + 4, 1),
        name_width=room,
        labels=_choose_labels(labels, xs),
        lines=_build_lines(series, paths, axis, right),
        rows=tuple(zip(labels, zip(*(side.values for side in series), strict=True), strict=True)),
    )


def _fit_names(series: Sequence[Series]) -> tuple[float, float]:
    """Return where the lines end, and the room for a name beside them; totals are never truncated."""
    totals = measure_widest([side.total for side in series], FONT_SIZE * BOLD_FACTOR)
    room = round(max(MIN_NAME_WIDTH, NAME_WIDTH - max(0, totals - TYPICAL_TOTAL_WIDTH)), 1)
    return round(WIDTH - totals - 6 - room - SIGN_SIZE - 4 - LEADER_LENGTH, 1), room


def _choose_labels(names: Sequence[str], xs: Sequence[float]) -> tuple[tuple[str, float], ...]:
    pitch = xs[1] - xs[0] if len(xs) > 1 else WIDTH
    step = find_label_step(pitch, max(map(measure_text, names)) + 4)
    return tuple(zip(names, xs, strict=True))[step - 1 :: step]


def _build_lines(series: Sequence[Series], paths: Paths, axis: Axis, right: float) -> tuple[ChartLine, ...]:
    marks = _place_marks(paths)
    # Sorted by total, as close totals can be at the same height.
    order = sorted(range(len(series)), key=lambda index: -series[index].total)
    ends = dict(zip(order, spread_labels([paths[i][-1].y for i in order], axis.top, axis.bottom - 4), strict=True))
    return tuple(
        ChartLine(
            series=side,
            segments=tuple(_iter_segments(paths, index)),
            dots=tuple(_iter_dots(paths, index)),
            mark=marks[index] if get_sign(side.sign) else None,
            end_y=ends[index],
            leader=_build_leader(paths[index][-1], Point(right, ends[index])),
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
        path = build_path(line[steps[0] : steps[-1] + 2])
        others = len(sharing) - 1
        dash = f"{DASH_LENGTH} {DASH_LENGTH * others}" if others else ""
        yield LineSegment(path, dash, -DASH_LENGTH * sharing.index(index))


def _iter_dots(paths: Paths, index: int) -> Iterator[tuple[Point, float]]:
    """Yield a dot for every point, unless there are many."""
    line = paths[index]
    if len(line) <= MAX_ROUNDS_WITH_DOTS:
        for at, point in enumerate(line):
            later = sum(other > index for other in _find_overlapping(paths, index, at, at))
            yield point, round(2.6 + 1.8 * min(later, 3), 1)


def _place_marks(paths: Paths) -> list[Point | None]:
    """Return a sign on an inner point of each line, furthest from the others; None if that is too near."""
    placed: list[Point | None] = []
    for index, line in enumerate(paths):
        free = [(_measure_clearance(paths, index, at, placed), line[at]) for at in range(1, len(line) - 1)]
        clearance, point = max(free, default=(0.0, None), key=lambda item: item[0])
        placed.append(point if clearance >= MIN_MARK_CLEARANCE else None)
    return placed


def _measure_clearance(paths: Paths, index: int, at: int, placed: Sequence[Point | None]) -> float:
    """Return the distance of a point of a line from the lines and signs of the others."""
    x, y = paths[index][at]
    others = (near for other, line in enumerate(paths) if other != index for near in line[at - 1 : at + 2])
    gaps = [abs(y - near.y) for near in others if abs(x - near.x) < 2 * MIN_MARK_CLEARANCE]
    return min([*gaps, *(abs(x - mark.x) + abs(y - mark.y) for mark in placed if mark)], default=HEIGHT)


def _build_leader(point: Point, end: Point) -> str:
    return f"M{point.x + 4:g} {point.y:g}H{end.x:g}L{end.x + LEADER_LENGTH - 2:g} {end.y:g}"
