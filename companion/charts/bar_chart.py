"""Horizontal stacked bars, one per player."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from companion.charts.scales import SIGN_SIZE, WIDTH, build_description
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

    @property
    def numbers(self) -> str:
        """The values of all parts, or their sum if there is no room for them."""
        text = " · ".join(map(str, self.parts))
        return text if _measure(text) <= MAX_NUMBERS_WIDTH else str(self.total)


@dataclass(frozen=True)
class BarSegment:
    """A part of a bar, from `x` on; `fill` is its SVG paint."""

    x: float
    width: float
    fill: str


@dataclass(frozen=True)
class BarRow:
    """A bar with its position: `y` is its top, `middle` that of its texts."""

    bar: Bar
    y: float
    middle: float
    segments: tuple[BarSegment, ...]
    numbers_x: float


@dataclass(frozen=True)
class BarChart:
    """Rows of bars. `legend` pairs patterns with parts; `hatched` are the colours that need a hatch pattern."""

    title: Text
    legend: tuple[tuple[Pattern, Text], ...]
    hatched: tuple[int, ...]
    height: float
    rows: tuple[BarRow, ...]
    width: ClassVar[int] = WIDTH
    bar_height: ClassVar[int] = BAR_HEIGHT
    names_x: ClassVar[int] = SIGN_SIZE + 4
    name_width: ClassVar[int] = NAME_WIDTH

    @property
    def description(self) -> Text:
        return build_description((row.bar.name, row.bar.numbers) for row in self.rows)


def build_bar_chart(bars: Sequence[Bar], *, title: Text, parts: Sequence[Text]) -> BarChart:
    """Return the bars on one scale; `parts` labels the three parts."""
    left = BarChart.names_x + NAME_WIDTH + 4
    widest = max((_measure(bar.numbers) for bar in bars), default=0)
    room = WIDTH - left - 5 - widest - len(PATTERNS) * MIN_SEGMENT_WIDTH
    scale = room / max((bar.total for bar in bars if bar.total), default=1)
    return BarChart(
        title=title,
        legend=tuple(zip(PATTERNS, parts, strict=True)),
        hatched=tuple(sorted({bar.colour for bar in bars})),
        height=len(bars) * ROW_HEIGHT,
        rows=tuple(_build_row(bar, (index + 0.5) * ROW_HEIGHT, left, scale) for index, bar in enumerate(bars)),
    )


def _measure(numbers: str) -> float:
    return measure_text(numbers, FONT_SIZE * BOLD_FACTOR)


def _build_row(bar: Bar, middle: float, left: float, scale: float) -> BarRow:
    segments = tuple(_iter_segments(bar, left, scale))
    end = segments[-1].x + segments[-1].width if segments else left
    return BarRow(bar, middle - BAR_HEIGHT / 2, middle, segments, round(end + 5, 1))


def _iter_segments(bar: Bar, x: float, scale: float) -> Iterator[BarSegment]:
    for pattern, part in zip(PATTERNS, bar.parts, strict=True):
        if part > 0:
            width = max(MIN_SEGMENT_WIDTH, part * scale)
            fill = f"url(#hatch-{bar.colour})" if pattern.is_hatched else pattern.fill
            yield BarSegment(round(x, 1), round(width, 1), fill)
            x += width
