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
from companion.core.text import Text, _

TITLE = _("Totals, round by round")
HEIGHT = 220
LEADER_LENGTH = 12
"""Distance from the end of a line to its sign."""
NAME_WIDTH = 94
"""Room for a name beside its line, unless totals are wide."""
MIN_NAME_WIDTH = 44
TYPICAL_TOTAL_WIDTH = 36
"""Room for a total; a wider one takes room from the names."""
MAX_ROUNDS_WITH_DOTS = 12
"""With more rounds, only isolated points get a dot."""
MIN_MARK_CLEARANCE = 11
"""Least distance of a sign on a line from other lines and signs."""
DASH_LENGTH = 6

Point: TypeAlias = tuple[float, float]
Path: TypeAlias = "tuple[Point | None, ...]"


@dataclass(frozen=True)
class Series:
    """The totals of a side after each round; None if it had none."""

    name: Text
    values: tuple[int | None, ...]
    colour: int
    sign: str

    @property
    def total(self) -> int | None:
        return next((value for value in reversed(self.values) if value is not None), None)


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
    end: LineEnd | None


@dataclass(frozen=True)
class LineChart(Plot):
    """Lines with names at their right, from `names_x` on, `name_width` wide."""

    names_x: float
    name_width: float
    labels: tuple[Label, ...]
    lines: tuple[ChartLine, ...]
    rows: tuple[tuple[str, tuple[int | None, ...]], ...]
    """The same as a table: the name of each round and the totals after it."""


@dataclass(frozen=True)
class _Points:
    """The points of each series by round, None where it has no value."""

    lines: tuple[Path, ...]

    def find_overlapping(self, index: int, first: int, last: int) -> tuple[int, ...]:
        """Return the series with the same points as this one (which is included) from one round to another."""
        part = self.lines[index][first : last + 1]
        return tuple(other for other, points in enumerate(self.lines) if points[first : last + 1] == part)


def build_line_chart(series: Sequence[Series], *, title: Text = TITLE, labels: Sequence[str] = ()) -> LineChart:
    """Return a line per side; rounds are named by `labels`, or numbered."""
    rounds = max((len(side.values) for side in series), default=0)
    names = [*labels[:rounds], *(str(number) for number in range(len(labels) + 1, rounds + 1))]
    values = [(*side.values, *(None,) * (rounds - len(side.values))) for side in series]
    totals = [total for row in values for total in row if total is not None]
    numbers = choose_axis_numbers(min([0, *totals]), max([0, *totals]))
    height = max(HEIGHT, len(series) * LINE_HEIGHT + TOP_MARGIN + BOTTOM_MARGIN)
    scale = Scale(numbers[0], numbers[-1], TOP_MARGIN, height - BOTTOM_MARGIN)
    left = round_to_tenth(measure_widest(numbers) + 6)
    right, room = _fit_names(series)
    xs = space_evenly(left + 4, right - 4, rounds)
    points = _Points(tuple(_build_path(xs, row, scale) for row in values))
    return LineChart(
        title=title,
        height=height,
        left=left,
        right=right,
        bottom=scale.bottom,
        ticks=build_ticks(numbers, scale),
        names_x=round_to_tenth(right + LEADER_LENGTH + SIGN_SIZE + 4),
        name_width=room,
        labels=_build_labels(names, xs),
        lines=_build_lines(series, points, _build_ends(series, points, scale, right)),
        rows=tuple((name, tuple(row[index] for row in values)) for index, name in enumerate(names)),
    )


def _fit_names(series: Sequence[Series]) -> tuple[float, float]:
    """Return where the lines end, and the room for a name beside them; totals are never truncated."""
    totals = measure_widest([side.total for side in series if side.total is not None], FONT_SIZE * BOLD_FACTOR)
    room = round_to_tenth(max(MIN_NAME_WIDTH, NAME_WIDTH - max(0, totals - TYPICAL_TOTAL_WIDTH)))
    return round_to_tenth(WIDTH - totals - 6 - room - SIGN_SIZE - 4 - LEADER_LENGTH), room


def _build_path(xs: Sequence[float], values: Sequence[int | None], scale: Scale) -> Path:
    return tuple(None if value is None else (x, scale.y(value)) for x, value in zip(xs, values, strict=True))


def _build_labels(names: Sequence[str], xs: Sequence[float]) -> tuple[Label, ...]:
    """Return a label for as many rounds as there is room for."""
    pitch = xs[1] - xs[0] if len(xs) > 1 else WIDTH
    step = find_label_step(pitch, max((measure_text(name) for name in names), default=0) + 4)
    return tuple(Label(name, x) for n, (name, x) in enumerate(zip(names, xs, strict=True), 1) if n % step == 0)


def _build_lines(series: Sequence[Series], points: _Points, ends: Sequence[LineEnd | None]) -> tuple[ChartLine, ...]:
    marks = _place_marks(points)
    return tuple(
        ChartLine(
            series=side,
            sign_path=sign.path if (sign := get_sign(side.sign)) else "",
            segments=tuple(_iter_segments(points, index)),
            dots=tuple(_iter_dots(points, index)),
            mark=marks[index] if sign else None,
            end=ends[index],
        )
        for index, side in enumerate(series)
    )


def _iter_segments(points: _Points, index: int) -> Iterator[LineSegment]:
    """Yield a line in parts, each shared with the same other lines from its start to its end."""
    line = points.lines[index]
    steps = [step for step in range(len(line) - 1) if line[step] and line[step + 1]]
    # Consecutive steps have the same difference between their number and their position in the list.
    keyed = ((points.find_overlapping(index, n, n + 1), n - position, n) for position, n in enumerate(steps))
    for (sharing, _gap), group in groupby(keyed, key=lambda key: key[:2]):
        run = [step for _sharing, _gap, step in group]
        path = "M" + "L".join(
            f"{format_coordinate(x)} {format_coordinate(y)}" for x, y in filter(None, line[run[0] : run[-1] + 2])
        )
        if len(sharing) == 1:
            yield LineSegment(path)
        else:
            yield LineSegment(
                path, f"{DASH_LENGTH} {DASH_LENGTH * (len(sharing) - 1)}", -DASH_LENGTH * sharing.index(index)
            )


def _iter_dots(points: _Points, index: int) -> Iterator[Dot]:
    """Yield a dot for every point, or with many rounds only for isolated ones."""
    line = points.lines[index]
    for at, point in enumerate(line):
        is_alone = not any(line[max(0, at - 1) : at]) and not any(line[at + 1 : at + 2])
        if point and (len(line) <= MAX_ROUNDS_WITH_DOTS or is_alone):
            later = sum(1 for other in points.find_overlapping(index, at, at) if other > index)
            yield Dot(*point, radius=round_to_tenth(2.6 + 1.8 * min(later, 3)))


def _place_marks(points: _Points) -> tuple[LineMark | None, ...]:
    """Return a sign on an inner point of each line, furthest from the others; None if that is too near."""
    placed: list[LineMark | None] = []
    for index, line in enumerate(points.lines):
        inner = [(at, point) for at, point in enumerate(line) if point and 0 < at < len(line) - 1]
        free = [(_measure_clearance(points, index, at, point, placed), point) for at, point in inner]
        best, (x, y) = max(free, default=(0.0, (0.0, 0.0)), key=lambda item: item[0])
        placed.append(LineMark(x, y, format_sign_transform(x, y)) if best >= MIN_MARK_CLEARANCE else None)
    return tuple(placed)


def _measure_clearance(points: _Points, index: int, at: int, point: Point, placed: Sequence[LineMark | None]) -> float:
    """Return the distance of a point of a line from the lines and signs of the others."""
    others = (near for other, line in enumerate(points.lines) if other != index for near in line[at - 1 : at + 2])
    gaps = [abs(point[1] - other[1]) for other in others if other and abs(point[0] - other[0]) < 2 * MIN_MARK_CLEARANCE]
    return min([*gaps, *(abs(point[0] - mark.x) + abs(point[1] - mark.y) for mark in placed if mark)], default=HEIGHT)


def _build_ends(series: Sequence[Series], points: _Points, scale: Scale, right: float) -> list[LineEnd | None]:
    """Return the labels at the right, as near to the ends of their lines as possible without touching."""
    lasts = [next(filter(None, reversed(line)), None) for line in points.lines]
    # Sorted by total, as close totals can be at the same height.
    drawn = sorted(
        (-(side.total or 0), index, point)
        for index, (side, point) in enumerate(zip(series, lasts, strict=True))
        if point
    )
    ys = spread_labels([point[1] for _total, _index, point in drawn], scale.top, scale.bottom - 4)
    ends = {index: _build_end(point, y, right) for (_total, index, point), y in zip(drawn, ys, strict=True)}
    return [ends.get(index) for index in range(len(lasts))]


def _build_end(point: Point, y: float, right: float) -> LineEnd:
    start = f"M{format_coordinate(point[0] + 4)} {format_coordinate(point[1])}H{format_coordinate(right)}"
    leader = f"{start}L{format_coordinate(right + LEADER_LENGTH - 2)} {format_coordinate(y)}"
    return LineEnd(
        round_to_tenth(y + FONT_SIZE / 3), leader, format_sign_transform(right + LEADER_LENGTH + SIGN_SIZE / 2, y)
    )
