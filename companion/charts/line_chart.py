"""The course of a match: running totals by round, a line for every side. How it is drawn is left to the template."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TypeAlias

from companion.avatars import sign_named
from companion.charts.scales import (
    FOOT,
    PITCH,
    SIGN,
    TOP,
    WIDTH,
    Label,
    Plot,
    Scale,
    evenly,
    every,
    room_for,
    round_numbers,
    sign_at,
    spelt,
    spread,
    tenth,
    ticks,
)
from companion.charts.text_width import BOLD, SIZE, width
from companion.core.text import Text, _

TITLE = _("Totals, round by round")
HEIGHT = 220
LEADER = 12
"""From the end of a line to the sign that stands for it."""
NAME = 94
"""Room for a name beside its line, where the totals leave it."""
LEAST_NAME = 44
USUAL_TOTAL = 36
"""Room for a total; a wider one takes it from the names."""
DOTTED = 12
"""Up to so many rounds, each has its dot."""
APART = 11
"""How far a sign on a line keeps from other lines and signs."""
DASH = 6

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
class Strand:
    """A stretch of a line; where several sides share it, each draws its own dashes of it."""

    path: str
    dash: str = ""
    offset: int = 0


@dataclass(frozen=True)
class Mark:
    """A sign on a line, where no other line is near."""

    x: float
    y: float
    place: str


@dataclass(frozen=True)
class End:
    """What stands at the right end of a line: a thin line there (`leader`), the sign, the name, the total."""

    y: float
    leader: str
    place: str


@dataclass(frozen=True)
class Line:
    series: Series
    sign: str
    """Path data; empty where there is no such sign."""
    strands: tuple[Strand, ...]
    dots: tuple[Dot, ...]
    mark: Mark | None
    end: End | None


@dataclass(frozen=True)
class Course(Plot):
    """Lines, with the names at the right of them, from `names` on, each with `room` to be shown."""

    names: float
    room: float
    labels: tuple[Label, ...]
    lines: tuple[Line, ...]
    rows: tuple[tuple[str, tuple[int | None, ...]], ...]
    """The same as a table: each round with the totals after it."""


@dataclass(frozen=True)
class _Points:
    """Where everything is: the points of each series by round, None where there is none."""

    of: tuple[Path, ...]

    def alike(self, index: int, first: int, last: int) -> tuple[int, ...]:
        """The series that are at the same places as this one from one round to another."""
        own = self.of[index][first : last + 1]
        return tuple(at for at, points in enumerate(self.of) if points[first : last + 1] == own)


def course(series: Sequence[Series], *, title: Text = TITLE, labels: Sequence[str] = ()) -> Course:
    """The lines of these sides; rounds are called by their numbers unless `labels` names them."""
    rounds = max((len(own.values) for own in series), default=0)
    names = [*labels[:rounds], *(str(number) for number in range(len(labels) + 1, rounds + 1))]
    values = [(*own.values, *(None,) * (rounds - len(own.values))) for own in series]
    known = [value for own in values for value in own if value is not None]
    numbers = round_numbers(min([0, *known]), max([0, *known]))
    height = max(HEIGHT, len(series) * PITCH + TOP + FOOT)
    scale = Scale(numbers[0], numbers[-1], TOP, height - FOOT)
    left = tenth(room_for(numbers) + 6)
    right, room = _right(series)
    xs = evenly(left + 4, right - 4, rounds)
    points = _Points(tuple(_points(xs, own, scale) for own in values))
    return Course(
        title=title,
        height=height,
        left=left,
        right=right,
        bottom=scale.bottom,
        ticks=ticks(numbers, scale),
        names=tenth(right + LEADER + SIGN + 4),
        room=room,
        labels=_labels(names, xs),
        lines=_lines(series, points, _ends(series, points, scale, right)),
        rows=tuple((name, tuple(own[at] for own in values)) for at, name in enumerate(names)),
    )


def _right(series: Sequence[Series]) -> tuple[float, float]:
    """Where the lines end, and the room for a name beside them: totals are shown whole."""
    totals = room_for([own.total for own in series if own.total is not None], SIZE * BOLD)
    room = tenth(max(LEAST_NAME, NAME - max(0, totals - USUAL_TOTAL)))
    return tenth(WIDTH - totals - 6 - room - SIGN - 4 - LEADER), room


def _points(xs: Sequence[float], values: Sequence[int | None], scale: Scale) -> Path:
    return tuple(None if value is None else (x, scale.y(value)) for x, value in zip(xs, values, strict=True))


def _labels(names: Sequence[str], xs: Sequence[float]) -> tuple[Label, ...]:
    """The rounds that can be named: the others lie between them."""
    pitch = xs[1] - xs[0] if len(xs) > 1 else WIDTH
    step = every(pitch, max((width(name) for name in names), default=0) + 4)
    return tuple(Label(name, x) for at, (name, x) in enumerate(zip(names, xs, strict=True), 1) if at % step == 0)


def _lines(series: Sequence[Series], points: _Points, ends: Sequence[End | None]) -> tuple[Line, ...]:
    marks = _marks(points)
    return tuple(
        Line(
            series=own,
            sign=found.path if (found := sign_named(own.sign)) else "",
            strands=tuple(_strands(points, index)),
            dots=tuple(_dots(points, index)),
            mark=marks[index] if found else None,
            end=ends[index],
        )
        for index, own in enumerate(series)
    )


def _strands(points: _Points, index: int) -> Iterator[Strand]:
    """A line in stretches, cut where it begins or ceases to be shared with the same others."""
    line = points.of[index]
    steps = [at for at in range(len(line) - 1) if line[at] and line[at + 1]]
    # Steps that follow one another have the same difference between their number and their place in the list.
    keyed = ((points.alike(index, at, at + 1), at - place, at) for place, at in enumerate(steps))
    for (company, _gap), group in groupby(keyed, key=lambda key: key[:2]):
        own = [at for _company, _gap, at in group]
        path = "M" + "L".join(f"{spelt(x)} {spelt(y)}" for x, y in filter(None, line[own[0] : own[-1] + 2]))
        if len(company) == 1:
            yield Strand(path)
        else:
            yield Strand(path, f"{DASH} {DASH * (len(company) - 1)}", -DASH * company.index(index))


def _dots(points: _Points, index: int) -> Iterator[Dot]:
    """Where there are few rounds all of them, else only what no line leads to."""
    line = points.of[index]
    for at, point in enumerate(line):
        is_alone = not any(line[max(0, at - 1) : at]) and not any(line[at + 1 : at + 2])
        if point and (len(line) <= DOTTED or is_alone):
            later = sum(1 for other in points.alike(index, at, at) if other > index)
            yield Dot(*point, radius=tenth(2.6 + 1.8 * min(later, 3)))


def _marks(points: _Points) -> tuple[Mark | None, ...]:
    """A sign on each line, inside, where it is furthest from the others; none where that is not far enough."""
    placed: list[Mark | None] = []
    for index, line in enumerate(points.of):
        inner = [(at, point) for at, point in enumerate(line) if point and 0 < at < len(line) - 1]
        free = [(_clearance(points, index, at, point, placed), point) for at, point in inner]
        best, (x, y) = max(free, default=(0.0, (0.0, 0.0)), key=lambda found: found[0])
        placed.append(Mark(x, y, sign_at(x, y)) if best >= APART else None)
    return tuple(placed)


def _clearance(points: _Points, index: int, at: int, own: Point, placed: Sequence[Mark | None]) -> float:
    """How far a point of a line is from the lines and the signs of the others."""
    others = (near for place, line in enumerate(points.of) if place != index for near in line[at - 1 : at + 2])
    gaps = [abs(own[1] - other[1]) for other in others if other and abs(own[0] - other[0]) < 2 * APART]
    return min([*gaps, *(abs(own[0] - mark.x) + abs(own[1] - mark.y) for mark in placed if mark)], default=HEIGHT)


def _ends(series: Sequence[Series], points: _Points, scale: Scale, right: float) -> list[End | None]:
    """The labels at the right, as near to the ends of their lines as they can be without touching each other."""
    lasts = [next(filter(None, reversed(line)), None) for line in points.of]
    # By total, for totals that differ by little among large ones are at one height.
    known = sorted(
        (-(own.total or 0), at, point) for at, (own, point) in enumerate(zip(series, lasts, strict=True)) if point
    )
    ys = spread([point[1] for _total, _at, point in known], scale.top, scale.bottom - 4)
    found = {at: _end(point, y, right) for (_total, at, point), y in zip(known, ys, strict=True)}
    return [found.get(at) for at in range(len(lasts))]


def _end(point: Point, y: float, right: float) -> End:
    leader = f"M{spelt(point[0] + 4)} {spelt(point[1])}H{spelt(right)}L{spelt(right + LEADER - 2)} {spelt(y)}"
    return End(tenth(y + SIZE / 3), leader, sign_at(right + LEADER + SIGN / 2, y))
