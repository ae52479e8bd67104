"""How much there was in each month, as columns that stand. How they are drawn is left to the template."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from companion.charts.scales import PITCH, TOP, WIDTH, Plot, Scale, room_for, round_numbers, tenth, ticks
from companion.charts.text_width import BOLD, SIZE, width
from companion.core.text import Text, _

HEIGHT = 170
MOST = 24
"""Months in one picture: the last two years."""
WIDEST = 46
"""From one column to the next, where there are few."""
FILLED = 0.68
"""How much of that is column."""
TITLE = _("Matches by month, in the last two years")
STEPS = (1, 2, 3, 6, 12)
"""Every how many months one is named, counted from January."""
MONTH = 40
"""Room for the short name of a month, in any language that the app speaks."""
YEAR = 40


@dataclass(frozen=True)
class Column:
    """A month (its first day) and its column; `above` is the foot of the number over it, both centred at `middle`."""

    month: date
    count: int
    x: float
    middle: float
    y: float
    height: float
    above: float
    is_named: bool
    is_dated: bool
    """Its year stands under it."""


@dataclass(frozen=True)
class Months(Plot):
    """Columns on a ground; where there is room for a number over each, there are no ticks at the left."""

    years: float
    """The foot of the years, below the months."""
    column: float
    """How wide a column is."""
    columns: tuple[Column, ...]


def months(counts: Mapping[date, int], *, title: Text = TITLE) -> Months:
    """A column for every month from the first to the last of these days, at most the last 24; those between have 0."""
    found = _by_month(counts)
    numbers = round_numbers(0, max((count for _month, count in found), default=0))
    is_told = all(width(str(count), SIZE * BOLD) + 2 <= min(WIDEST, WIDTH / len(found)) for _month, count in found)
    left = 0 if is_told else tenth(room_for(numbers) + 6)
    pitch = min(WIDEST, (WIDTH - left) / max(1, len(found)))
    scale = Scale(numbers[0], numbers[-1], TOP + PITCH, HEIGHT - 2 * PITCH - 6)
    return Months(
        title=title,
        height=HEIGHT,
        left=left,
        right=WIDTH,
        bottom=scale.bottom,
        ticks=() if is_told else ticks(numbers, scale),
        years=scale.bottom + 16 + PITCH,
        column=tenth(pitch * FILLED),
        columns=tuple(_columns(found, left, pitch, scale)),
    )


def _columns(found: Sequence[tuple[date, int]], left: float, pitch: float, scale: Scale) -> Iterator[Column]:
    step = next((step for step in STEPS if step * pitch >= MONTH), STEPS[-1])
    for at, (month, count) in enumerate(found):
        y = scale.y(count)
        yield Column(
            month=month,
            count=count,
            x=tenth(left + pitch * (at + (1 - FILLED) / 2)),
            middle=tenth(left + pitch * (at + 0.5)),
            y=y,
            height=tenth(scale.bottom - y),
            above=tenth(y - 4),
            is_named=(month.month - 1) % step == 0,
            is_dated=_is_dated(month, at, pitch),
        )


def _by_month(counts: Mapping[date, int]) -> list[tuple[date, int]]:
    found: dict[int, int] = {}
    for day, count in counts.items():
        place = day.year * 12 + day.month - 1
        found[place] = found.get(place, 0) + count
    first = max(min(found, default=0), max(found, default=-1) - MOST + 1)
    return [
        (date(place // 12, place % 12 + 1, 1), found.get(place, 0))
        for place in range(first, max(found, default=-1) + 1)
    ]


def _is_dated(month: date, at: int, pitch: float) -> bool:
    """Each January, and the first month where the January after it leaves room."""
    return month.month == 1 or (at == 0 and (13 - month.month) * pitch >= YEAR)
