"""How much there was in each month, as columns that stand. How they are drawn is left to the template."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from companion.charts.scales import (
    LINE_HEIGHT,
    TOP_MARGIN,
    WIDTH,
    Plot,
    Scale,
    build_ticks,
    choose_axis_numbers,
    measure_widest,
    round_to_tenth,
)
from companion.charts.text_width import BOLD_FACTOR, FONT_SIZE, measure_text
from companion.core.text import Text, _

HEIGHT = 170
MAX_MONTHS = 24
"""Months in one picture: the last two years."""
MAX_PITCH = 46
"""From one column to the next, where there are few."""
COLUMN_SHARE = 0.68
"""How much of that is column."""
TITLE = _("Matches by month, in the last two years")
LABEL_STEPS = (1, 2, 3, 6, 12)
"""Every how many months one is named, counted from January."""
MONTH_LABEL_WIDTH = 40
"""Room for the short name of a month, in any language that the app speaks."""
YEAR_LABEL_WIDTH = 40


@dataclass(frozen=True)
class Column:
    """A month (its first day) and its column; `above` is the foot of the number over it, both centred at `middle`."""

    month: date
    count: int
    x: float
    center_x: float
    y: float
    height: float
    count_y: float
    has_month: bool
    has_year: bool
    """Its year stands under it."""


@dataclass(frozen=True)
class ColumnChart(Plot):
    """Columns on a ground; where there is room for a number over each, there are no ticks at the left."""

    years_y: float
    """The foot of the years, below the months."""
    column_width: float
    """How wide a column is."""
    columns: tuple[Column, ...]


def build_column_chart(counts: Mapping[date, int], *, title: Text = TITLE) -> ColumnChart:
    """A column for every month from the first to the last of these days, at most the last 24; those between have 0."""
    found = _by_month(counts)
    numbers = choose_axis_numbers(0, max((count for _month, count in found), default=0))
    is_told = all(
        measure_text(str(count), FONT_SIZE * BOLD_FACTOR) + 2 <= min(MAX_PITCH, WIDTH / len(found))
        for _month, count in found
    )
    left = 0 if is_told else round_to_tenth(measure_widest(numbers) + 6)
    pitch = min(MAX_PITCH, (WIDTH - left) / max(1, len(found)))
    scale = Scale(numbers[0], numbers[-1], TOP_MARGIN + LINE_HEIGHT, HEIGHT - 2 * LINE_HEIGHT - 6)
    return ColumnChart(
        title=title,
        height=HEIGHT,
        left=left,
        right=WIDTH,
        bottom=scale.bottom,
        ticks=() if is_told else build_ticks(numbers, scale),
        years_y=scale.bottom + 16 + LINE_HEIGHT,
        column_width=round_to_tenth(pitch * COLUMN_SHARE),
        columns=tuple(_columns(found, left, pitch, scale)),
    )


def _columns(found: Sequence[tuple[date, int]], left: float, pitch: float, scale: Scale) -> Iterator[Column]:
    step = next((step for step in LABEL_STEPS if step * pitch >= MONTH_LABEL_WIDTH), LABEL_STEPS[-1])
    for at, (month, count) in enumerate(found):
        y = scale.y(count)
        yield Column(
            month=month,
            count=count,
            x=round_to_tenth(left + pitch * (at + (1 - COLUMN_SHARE) / 2)),
            center_x=round_to_tenth(left + pitch * (at + 0.5)),
            y=y,
            height=round_to_tenth(scale.bottom - y),
            count_y=round_to_tenth(y - 4),
            has_month=(month.month - 1) % step == 0,
            has_year=_is_dated(month, at, pitch),
        )


def _by_month(counts: Mapping[date, int]) -> list[tuple[date, int]]:
    found: dict[int, int] = {}
    for day, count in counts.items():
        place = day.year * 12 + day.month - 1
        found[place] = found.get(place, 0) + count
    first = max(min(found, default=0), max(found, default=-1) - MAX_MONTHS + 1)
    return [
        (date(place // 12, place % 12 + 1, 1), found.get(place, 0))
        for place in range(first, max(found, default=-1) + 1)
    ]


def _is_dated(month: date, at: int, pitch: float) -> bool:
    """Each January, and the first month where the January after it leaves room."""
    return month.month == 1 or (at == 0 and (13 - month.month) * pitch >= YEAR_LABEL_WIDTH)
