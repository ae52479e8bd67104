"""Vertical columns, one per month."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date

from companion.charts.scales import LINE_HEIGHT, TOP_MARGIN, WIDTH, Axis, Plot, choose_axis_numbers, measure_widest
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
LABEL_WIDTH = 40
"""Room for a year, or the short name of a month in any language of the app."""


@dataclass(frozen=True)
class Column:
    """A month (its first day) and its column."""

    month: date
    count: int
    x: float
    center_x: float
    y: float
    height: float
    has_month: bool
    has_year: bool
    """Whether its year is shown below it."""


@dataclass(frozen=True)
class ColumnChart(Plot):
    """Columns; the axis is drawn only if there is no room for a number above each column."""

    column_width: float
    columns: tuple[Column, ...]


def build_column_chart(counts: Mapping[date, int], *, title: Text = TITLE) -> ColumnChart:
    """Return a column for each of these consecutive months, which are given by their first days."""
    axis = Axis(
        choose_axis_numbers(0, max(counts.values())),
        bottom=HEIGHT - 2 * LINE_HEIGHT - 6,
        top=TOP_MARGIN + LINE_HEIGHT,
        is_drawn=measure_widest(counts.values(), FONT_SIZE * BOLD_FACTOR) + 2 > min(MAX_PITCH, WIDTH / len(counts)),
    )
    pitch = min(MAX_PITCH, (WIDTH - axis.left) / len(counts))
    return ColumnChart(
        title=title,
        height=HEIGHT,
        axis=axis,
        right=WIDTH,
        column_width=round(pitch * COLUMN_SHARE, 1),
        columns=tuple(_iter_columns(counts, pitch, axis)),
    )


def _iter_columns(counts: Mapping[date, int], pitch: float, axis: Axis) -> Iterator[Column]:
    step = next((step for step in LABEL_STEPS if step * pitch >= LABEL_WIDTH), LABEL_STEPS[-1])
    for index, (month, count) in enumerate(counts.items()):
        y = axis.y(count)
        yield Column(
            month=month,
            count=count,
            x=round(axis.left + pitch * (index + (1 - COLUMN_SHARE) / 2), 1),
            center_x=round(axis.left + pitch * (index + 0.5), 1),
            y=y,
            height=round(axis.bottom - y, 1),
            has_month=(month.month - 1) % step == 0,
            # In January, and at the first column if the next January leaves room.
            has_year=month.month == 1 or (index == 0 and (13 - month.month) * pitch >= LABEL_WIDTH),
        )
