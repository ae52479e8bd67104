"""The course of a match: running totals by round, a line for every side. How it is drawn is left to the template."""

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
"""From the end of a line to the sign that stands for it."""
NAME_WIDTH = 94
"""Room for a name beside its line, where the totals leave it."""
MIN_NAME_WIDTH = 44
TYPICAL_TOTAL_WIDTH = 36
"""Room for a total; a wider one takes it from the names."""
MAX_ROUNDS_WITH_DOTS = 12
"""Up to so many rounds, each has its dot."""
MIN_MARK_CLEARANCE = 11
"""How far a sign on a line keeps from other lines and signs."""
DASH_LENGTH = 6

Point: TypeAlias = tuple[float, float]
Path: TypeAlias = "tuple[Point | None, ...]"


@dataclass(frozen=True)
class Series:
    """The totals of a side after each round; None where it had none."""

    name: Text
    values: tuple[int | None, ...]
    colour: int
    sign: str

    @property
    def total(self) -> int | None:
        return next((value for value in reversed(self.values) if value is not None), None)


@dataclass(frozen=True)
class Dot:
    """A point of a line. Of several at one place, those drawn first are larger, so that each is seen as a ring."""

    x: float
    y: float
    radius: float


@dataclass(frozen=True)
class LineSegment:
    """A stretch of a line; where several sides share it, each draws its own dashes of it."""

    path: str
    dash: str = ""
    dash_offset: int = 0


@dataclass(frozen=True)
class LineMark:
    """A sign on a line, where no other line is near."""

    x: float
    y: float
    sign_transform: str


@dataclass(frozen=True)
class LineEnd:
    """What stands at the right end of a line: a thin line there (`leader`), the sign, the name, the total."""

    text_y: float
    leader: str
    sign_transform: str


@dataclass(frozen=True)
class ChartLine:
    series: Series
    sign_path: str
    """Path data; empty where there is no such sign."""
    segments: tuple[LineSegment, ...]
    dots: tuple[Dot, ...]
    mark: LineMark | None
    end: LineEnd | None


@dataclass(frozen=True)
class LineChart(Plot):
    """Lines, with the names at the right of them, from `names` on, each with `room` to be shown."""

    names_x: float
    name_width: float
    labels: tuple[Label, ...]
    lines: tuple[ChartLine, ...]
    rows: tuple[tuple[str, tuple[int | None, ...]], ...]
    """The same as a table: each round with the totals after it."""


@dataclass(frozen=True)
class _Points:
    """Where everything is: the points of each series by round, None where there is none."""

    lines: tuple[Path, ...]

    def alike(self, index: int, first: int, last: int) -> tuple[int, ...]:
        """The series that are at the same places as this one from one round to another."""
        own = self.lines[index][first : last + 1]
        return tuple(at for at, points in enumerate(self.lines) if points[first : last + 1] == own)


def build_line_chart(series: Sequence[Series], *, title: Text = TITLE, labels: Sequence[str] = ()) -> LineChart:
    """The lines of these sides; rounds are called by their numbers unless `labels` names them."""
    rounds = max((len(own.values) for own in series), default=0)
    names = [*labels[:rounds], *(str(number) for number in range(len(labels) + 1, rounds + 1))]
    values = [(*own.values, *(None,) * (rounds - len(own.values))) for own in series]
    known = [value for own in values for value in own if value is not None]
    numbers = choose_axis_numbers(min([0, *known]), max([0, *known]))
    height = max(HEIGHT, len(series) * LINE_HEIGHT + TOP_MARGIN + BOTTOM_MARGIN)
    scale = Scale(numbers[0], numbers[-1], TOP_MARGIN, height - BOTTOM_MARGIN)
    left = round_to_tenth(measure_widest(numbers) + 6)
    right, room = _right(series)
    xs = space_evenly(left + 4, right - 4, rounds)
    points = _Points(tuple(_points(xs, own, scale) for own in values))
    return LineChart(
        title=title,
        height=height,
        left=left,
        right=right,
        bottom=scale.bottom,
        ticks=build_ticks(numbers, scale),
        names_x=round_to_tenth(right + LEADER_LENGTH + SIGN_SIZE + 4),
        name_width=room,
        labels=_labels(names, xs),
        lines=_lines(series, points, _ends(series, points, scale, right)),
        rows=tuple((name, tuple(own[at] for own in values)) for at, name in enumerate(names)),
    )


def _right(series: Sequence[Series]) -> tuple[float, float]:
    """Where the lines end, and the room for a name beside them: totals are shown whole."""
    totals = measure_widest([own.total for own in series if own.total is not None], FONT_SIZE * BOLD_FACTOR)
    room = round_to_tenth(max(MIN_NAME_WIDTH, NAME_WIDTH - max(0, totals - TYPICAL_TOTAL_WIDTH)))
    return round_to_tenth(WIDTH - totals - 6 - room - SIGN_SIZE - 4 - LEADER_LENGTH), room


def _points(xs: Sequence[float], values: Sequence[int | None], scale: Scale) -> Path:
    return tuple(None if value is None else (x, scale.y(value)) for x, value in zip(xs, values, strict=True))


def _labels(names: Sequence[str], xs: Sequence[float]) -> tuple[Label, ...]:
    """The rounds that can be named: the others lie between them."""
    pitch = xs[1] - xs[0] if len(xs) > 1 else WIDTH
    step = find_label_step(pitch, max((measure_text(name) for name in names), default=0) + 4)
    return tuple(Label(name, x) for at, (name, x) in enumerate(zip(names, xs, strict=True), 1) if at % step == 0)


def _lines(series: Sequence[Series], points: _Points, ends: Sequence[LineEnd | None]) -> tuple[ChartLine, ...]:
    marks = _marks(points)
    return tuple(
        ChartLine(
            series=own,
            sign_path=found.path if (found := get_sign(own.sign)) else "",
            segments=tuple(_strands(points, index)),
            dots=tuple(_dots(points, index)),
            mark=marks[index] if found else None,
            end=ends[index],
        )
        for index, own in enumerate(series)
    )


def _strands(points: _Points, index: int) -> Iterator[LineSegment]:
    """A line in stretches, cut where it begins or ceases to be shared with the same others."""
    line = points.lines[index]
    steps = [at for at in range(len(line) - 1) if line[at] and line[at + 1]]
    # Steps that follow one another have the same difference between their number and their place in the list.
    keyed = ((points.alike(index, at, at + 1), at - place, at) for place, at in enumerate(steps))
    for (company, _gap), group in groupby(keyed, key=lambda key: key[:2]):
        own = [at for _company, _gap, at in group]
        path = "M" + "L".join(
            f"{format_coordinate(x)} {format_coordinate(y)}" for x, y in filter(None, line[own[0] : own[-1] + 2])
        )
        if len(company) == 1:
            yield LineSegment(path)
        else:
            yield LineSegment(
                path, f"{DASH_LENGTH} {DASH_LENGTH * (len(company) - 1)}", -DASH_LENGTH * company.index(index)
            )


def _dots(points: _Points, index: int) -> Iterator[Dot]:
    """Where there are few rounds all of them, else only what no line leads to."""
    line = points.lines[index]
    for at, point in enumerate(line):
        is_alone = not any(line[max(0, at - 1) : at]) and not any(line[at + 1 : at + 2])
        if point and (len(line) <= MAX_ROUNDS_WITH_DOTS or is_alone):
            later = sum(1 for other in points.alike(index, at, at) if other > index)
            yield Dot(*point, radius=round_to_tenth(2.6 + 1.8 * min(later, 3)))


def _marks(points: _Points) -> tuple[LineMark | None, ...]:
    """A sign on each line, inside, where it is furthest from the others; none where that is not far enough."""
    placed: list[LineMark | None] = []
    for index, line in enumerate(points.lines):
        inner = [(at, point) for at, point in enumerate(line) if point and 0 < at < len(line) - 1]
        free = [(_clearance(points, index, at, point, placed), point) for at, point in inner]
        best, (x, y) = max(free, default=(0.0, (0.0, 0.0)), key=lambda found: found[0])
        placed.append(LineMark(x, y, format_sign_transform(x, y)) if best >= MIN_MARK_CLEARANCE else None)
    return tuple(placed)


def _clearance(points: _Points, index: int, at: int, own: Point, placed: Sequence[LineMark | None]) -> float:
    """How far a point of a line is from the lines and the signs of the others."""
    others = (near for place, line in enumerate(points.lines) if place != index for near in line[at - 1 : at + 2])
    gaps = [abs(own[1] - other[1]) for other in others if other and abs(own[0] - other[0]) < 2 * MIN_MARK_CLEARANCE]
    return min([*gaps, *(abs(own[0] - mark.x) + abs(own[1] - mark.y) for mark in placed if mark)], default=HEIGHT)


def _ends(series: Sequence[Series], points: _Points, scale: Scale, right: float) -> list[LineEnd | None]:
    """The labels at the right, as near to the ends of their lines as they can be without touching each other."""
    lasts = [next(filter(None, reversed(line)), None) for line in points.lines]
    # By total, for totals that differ by little among large ones are at one height.
    known = sorted(
        (-(own.total or 0), at, point) for at, (own, point) in enumerate(zip(series, lasts, strict=True)) if point
    )
    ys = spread_labels([point[1] for _total, _at, point in known], scale.top, scale.bottom - 4)
    found = {at: _end(point, y, right) for (_total, at, point), y in zip(known, ys, strict=True)}
    return [found.get(at) for at in range(len(lasts))]


def _end(point: Point, y: float, right: float) -> LineEnd:
    start = f"M{format_coordinate(point[0] + 4)} {format_coordinate(point[1])}H{format_coordinate(right)}"
    leader = f"{start}L{format_coordinate(right + LEADER_LENGTH - 2)} {format_coordinate(y)}"
    return LineEnd(
        round_to_tenth(y + FONT_SIZE / 3), leader, format_sign_transform(right + LEADER_LENGTH + SIGN_SIZE / 2, y)
    )
