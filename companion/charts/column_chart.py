"""Vertical columns, one per month."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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
from companion.charts.text_width import BOLD_FACTOR, FONT_SIZE
from companion.core.text import Text, _

HEIGHT = 170
MAX_PITCH = 46
"""Most distance between columns."""
COLUMN_SHARE = 0.68
"""Width of a column as a share of that distance."""
TITLE = _("Matches by month, in the last two years")
LABEL_STEPS = (1, 2, 3, 6, 12)
"""Possible distances, in months, between labels; counted from January."""
MONTH_LABEL_WIDTH = 40
"""Room for the short name of a month in any language of the app."""
YEAR_LABEL_WIDTH = 40


@dataclass(frozen=True)
class Column:
    """A month (its first day) and its column; `count_y` is the baseline of the number above it."""

    month: date
    count: int
    x: float
    center_x: float
    y: float
    height: float
    count_y: float
    has_month: bool
    has_year: bool
    """Whether its year is shown below it."""


@dataclass(frozen=True)
class ColumnChart(Plot):
    """Columns; without ticks if there is room for a number above each column."""

    years_y: float
    """Baseline of the years, below the months."""
    column_width: float
    columns: tuple[Column, ...]


def build_column_chart(counts: Mapping[date, int], *, title: Text = TITLE) -> ColumnChart:
    """Return a column for each of these consecutive months, which are given by their first days."""
    numbers = choose_axis_numbers(0, max(counts.values()))
    widest = measure_widest(counts.values(), FONT_SIZE * BOLD_FACTOR)
    has_counts = widest + 2 <= min(MAX_PITCH, WIDTH / len(counts))
    left = 0 if has_counts else round_to_tenth(measure_widest(numbers) + 6)
    pitch = min(MAX_PITCH, (WIDTH - left) / len(counts))
    scale = Scale(numbers[0], numbers[-1], TOP_MARGIN + LINE_HEIGHT, HEIGHT - 2 * LINE_HEIGHT - 6)
    return ColumnChart(
        title=title,
        height=HEIGHT,
        left=left,
        right=WIDTH,
        bottom=scale.bottom,
        ticks=() if has_counts else build_ticks(numbers, scale),
        years_y=scale.bottom + 16 + LINE_HEIGHT,
        column_width=round_to_tenth(pitch * COLUMN_SHARE),
        columns=tuple(_iter_columns(counts, left, pitch, scale)),
    )


def _iter_columns(counts: Mapping[date, int], left: float, pitch: float, scale: Scale) -> Iterator[Column]:
    step = next((step for step in LABEL_STEPS if step * pitch >= MONTH_LABEL_WIDTH), LABEL_STEPS[-1])
    for index, (month, count) in enumerate(counts.items()):
        y = scale.y(count)
        yield Column(
            month=month,
            count=count,
            x=round_to_tenth(left + pitch * (index + (1 - COLUMN_SHARE) / 2)),
            center_x=round_to_tenth(left + pitch * (index + 0.5)),
            y=y,
            height=round_to_tenth(scale.bottom - y),
            count_y=round_to_tenth(y - 4),
            has_month=(month.month - 1) % step == 0,
            has_year=_has_year(month, index, pitch),
        )


def _has_year(month: date, index: int, pitch: float) -> bool:
    """Whether to show the year: in January, and at the first column if the next January leaves room."""
    return month.month == 1 or (index == 0 and (13 - month.month) * pitch >= YEAR_LABEL_WIDTH)
