"""Horizontal stacked bars, one per player."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from companion.avatars import get_sign
from companion.charts.scales import SIGN_SIZE, WIDTH, build_description, format_sign_transform, round_to_tenth
from companion.charts.text_width import BOLD_FACTOR, FONT_SIZE, measure_text
from companion.core.text import Text

ROW_HEIGHT = 24
BAR_HEIGHT = 14
NAME_WIDTH = 108
"""Room for a name at the left of a bar."""
MIN_SEGMENT_WIDTH = 1.5
"""Keeps small parts visible."""
MAX_NUMBERS_WIDTH = 104
"""If the numbers of a bar are wider, only their sum is shown."""


@dataclass(frozen=True)
class Pattern:
    """How a part of a bar is filled."""

    fill: str
    is_hatched: bool = False


PATTERNS = (Pattern("currentColor"), Pattern("none", is_hatched=True), Pattern("none"))
"""Patterns of the parts of a bar, in order."""


@dataclass(frozen=True)
class Bar:
    """A player, and the parts of the bar in the order of the chart's `parts`."""

    name: Text
    parts: tuple[int, ...]
    colour: int
    sign: str

    @property
    def total(self) -> int:
        return sum(self.parts)


@dataclass(frozen=True)
class BarSegment:
    """A part of a bar, from `x` on; `fill` is its SVG paint."""

    pattern: Pattern
    x: float
    width: float
    fill: str


@dataclass(frozen=True)
class BarRow:
    """A bar with its position: `y` is its top, `text_y` the baseline of its texts."""

    bar: Bar
    sign_path: str
    sign_transform: str
    y: float
    text_y: float
    segments: tuple[BarSegment, ...]
    numbers: str
    numbers_x: float


@dataclass(frozen=True)
class BarChart:
    """Rows of bars. `legend` pairs patterns with parts; `hatched` are the colours that need a hatch pattern."""

    title: Text
    legend: tuple[tuple[Pattern, Text], ...]
    hatched: tuple[int, ...]
    height: float
    names_x: float
    name_width: float
    rows: tuple[BarRow, ...]
    width: int = WIDTH
    bar_height: int = BAR_HEIGHT

    @property
    def description(self) -> Text:
        return build_description((row.bar.name, row.numbers) for row in self.rows)


def build_bar_chart(rows: Sequence[Bar], *, title: Text, parts: Sequence[Text]) -> BarChart:
    """Return a bar per row, on one scale; `parts` labels the three parts."""
    numbers = [_format_numbers(row) for row in rows]
    left = SIGN_SIZE + 4 + NAME_WIDTH + 4
    widest = max((measure_text(text, FONT_SIZE * BOLD_FACTOR) for text in numbers), default=0)
    room = WIDTH - left - 5 - widest - len(PATTERNS) * MIN_SEGMENT_WIDTH
    scale = room / max((row.total for row in rows if row.total), default=1)
    return BarChart(
        title=title,
        legend=tuple(zip(PATTERNS, parts, strict=True)),
        hatched=tuple(sorted({row.colour for row in rows})),
        height=len(rows) * ROW_HEIGHT,
        names_x=SIGN_SIZE + 4,
        name_width=NAME_WIDTH,
        rows=tuple(
            _build_row(row, index, left, scale, text)
            for index, (row, text) in enumerate(zip(rows, numbers, strict=True))
        ),
    )


def _format_numbers(row: Bar) -> str:
    """Return the values of all parts, or their sum if there is no room for them."""
    text = " · ".join(map(str, row.parts))
    is_narrow = measure_text(text, FONT_SIZE * BOLD_FACTOR) <= MAX_NUMBERS_WIDTH
    return text if is_narrow else str(row.total)


def _build_row(bar: Bar, index: int, left: float, scale: float, numbers: str) -> BarRow:
    middle = index * ROW_HEIGHT + ROW_HEIGHT / 2
    segments = tuple(_iter_segments(bar, left, scale))
    end = segments[-1].x + segments[-1].width if segments else left
    return BarRow(
        bar=bar,
        sign_path=sign.path if (sign := get_sign(bar.sign)) else "",
        sign_transform=format_sign_transform(SIGN_SIZE / 2, middle),
        y=middle - BAR_HEIGHT / 2,
        text_y=round_to_tenth(middle + FONT_SIZE / 3),
        segments=segments,
        numbers=numbers,
        numbers_x=round_to_tenth(end + 5),
    )


def _iter_segments(bar: Bar, left: float, scale: float) -> Iterator[BarSegment]:
    x = float(left)
    for pattern, part in zip(PATTERNS, bar.parts, strict=True):
        if part > 0:
            width = max(MIN_SEGMENT_WIDTH, part * scale)
            fill = f"url(#hatch-{bar.colour})" if pattern.is_hatched else pattern.fill
            yield BarSegment(pattern, round_to_tenth(x), round_to_tenth(width), fill)
            x += width
