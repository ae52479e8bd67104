"""Bars that lie, one for every player, in parts that differ by pattern. How they are drawn is left to the template."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from companion.avatars import get_sign
from companion.charts.scales import SIGN_SIZE, WIDTH, format_sign_transform, round_to_tenth
from companion.charts.text_width import BOLD_FACTOR, FONT_SIZE, measure_text
from companion.core.text import Text

PATTERNS = ("solid", "hatched", "outline")
"""Of the parts of a bar, in their order; there are no more."""
ROW_HEIGHT = 24
BAR_HEIGHT = 14
NAME_WIDTH = 108
"""Room for a name, left of the bar."""
MIN_SEGMENT_WIDTH = 1.5
"""How wide a part is at least, so that what is there is seen."""
MAX_NUMBERS_WIDTH = 104
"""Room for all numbers of a bar; where they take more, only their sum is shown."""


@dataclass(frozen=True)
class Bar:
    """A player and the parts of a whole: what each part is, all bars say together."""

    name: Text
    parts: tuple[int, ...]
    colour: int
    sign: str

    @property
    def total(self) -> int:
        return sum(self.parts)


@dataclass(frozen=True)
class BarSegment:
    """A part of a bar that is drawn from `x` on, `width` wide."""

    pattern: str
    x: float
    width: float


@dataclass(frozen=True)
class BarRow:
    """A bar in its place: `y` is its top, `text` the foot of its letters, `after` where its numbers begin."""

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
    """Rows below each other; `keys` says which pattern is which part, and `hatched` which colours need that pattern."""

    title: Text
    parts: tuple[Text, ...]
    legend: tuple[tuple[str, Text], ...]
    hatched: tuple[int, ...]
    height: float
    names_x: float
    name_width: float
    rows: tuple[BarRow, ...]
    width: int = WIDTH
    bar_height: int = BAR_HEIGHT


def build_bar_chart(rows: Sequence[Bar], *, title: Text, parts: Sequence[Text]) -> BarChart:
    """A bar for each row, to one scale; `parts` says what the parts are, at most three of them."""
    numbers = [_numbers(row) for row in rows]
    left = SIGN_SIZE + 4 + NAME_WIDTH + 4
    room = (
        WIDTH
        - left
        - 5
        - max((measure_text(words, FONT_SIZE * BOLD_FACTOR) for words in numbers), default=0)
        - len(PATTERNS) * MIN_SEGMENT_WIDTH
    )
    most = max((sum(max(0, part) for part in row.parts) for row in rows), default=0)
    scale = room / most if most else 0
    return BarChart(
        title=title,
        parts=tuple(parts),
        legend=tuple(zip(PATTERNS, parts, strict=False)),
        hatched=tuple(sorted({row.colour for row in rows})) if len(parts) > 1 else (),
        height=len(rows) * ROW_HEIGHT,
        names_x=SIGN_SIZE + 4,
        name_width=NAME_WIDTH,
        rows=tuple(
            _row(row, at, left, scale, words) for at, (row, words) in enumerate(zip(rows, numbers, strict=True))
        ),
    )


def _numbers(row: Bar) -> str:
    """All parts where there is room for them."""
    words = " · ".join(str(part) for part in row.parts).replace("-", "−")
    return (
        words if measure_text(words, FONT_SIZE * BOLD_FACTOR) <= MAX_NUMBERS_WIDTH else str(row.total).replace("-", "−")
    )


def _row(bar: Bar, at: int, left: float, scale: float, numbers: str) -> BarRow:
    middle = at * ROW_HEIGHT + ROW_HEIGHT / 2
    pieces = tuple(_pieces(bar, left, scale))
    end = pieces[-1].x + pieces[-1].width if pieces else left
    return BarRow(
        bar=bar,
        sign_path=found.path if (found := get_sign(bar.sign)) else "",
        sign_transform=format_sign_transform(SIGN_SIZE / 2, middle),
        y=middle - BAR_HEIGHT / 2,
        text_y=round_to_tenth(middle + FONT_SIZE / 3),
        segments=pieces,
        numbers=numbers,
        numbers_x=round_to_tenth(end + 5),
    )


def _pieces(bar: Bar, left: float, scale: float) -> Iterator[BarSegment]:
    x = float(left)
    for kind, part in zip(PATTERNS, bar.parts, strict=False):
        if part > 0:
            wide = max(MIN_SEGMENT_WIDTH, part * scale)
            yield BarSegment(kind, round_to_tenth(x), round_to_tenth(wide))
            x += wide
