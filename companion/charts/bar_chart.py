"""Bars that lie, one for every player, in parts that differ by pattern. How they are drawn is left to the template."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from companion.avatars import sign_named
from companion.charts.scales import SIGN, WIDTH, sign_at, tenth
from companion.charts.text_width import BOLD, SIZE, width
from companion.core.text import Text

KINDS = ("solid", "hatched", "outline")
"""Of the parts of a bar, in their order; there are no more."""
ROW = 24
THICK = 14
NAME = 108
"""Room for a name, left of the bar."""
LEAST = 1.5
"""How wide a part is at least, so that what is there is seen."""
ROOMY = 104
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
class Piece:
    """A part of a bar that is drawn from `x` on, `width` wide."""

    kind: str
    x: float
    width: float


@dataclass(frozen=True)
class Row:
    """A bar in its place: `y` is its top, `text` the foot of its letters, `after` where its numbers begin."""

    bar: Bar
    sign: str
    place: str
    y: float
    text: float
    pieces: tuple[Piece, ...]
    numbers: str
    after: float


@dataclass(frozen=True)
class Bars:
    """Rows below each other; `keys` says which pattern is which part, and `hatched` which colours need that pattern."""

    title: Text
    parts: tuple[Text, ...]
    keys: tuple[tuple[str, Text], ...]
    hatched: tuple[int, ...]
    height: float
    names: float
    room: float
    rows: tuple[Row, ...]
    width: int = WIDTH
    thick: int = THICK


def bars(rows: Sequence[Bar], *, title: Text, parts: Sequence[Text]) -> Bars:
    """A bar for each row, to one scale; `parts` says what the parts are, at most three of them."""
    numbers = [_numbers(row) for row in rows]
    left = SIGN + 4 + NAME + 4
    room = WIDTH - left - 5 - max((width(words, SIZE * BOLD) for words in numbers), default=0) - len(KINDS) * LEAST
    most = max((sum(max(0, part) for part in row.parts) for row in rows), default=0)
    scale = room / most if most else 0
    return Bars(
        title=title,
        parts=tuple(parts),
        keys=tuple(zip(KINDS, parts, strict=False)),
        hatched=tuple(sorted({row.colour for row in rows})) if len(parts) > 1 else (),
        height=len(rows) * ROW,
        names=SIGN + 4,
        room=NAME,
        rows=tuple(
            _row(row, at, left, scale, words) for at, (row, words) in enumerate(zip(rows, numbers, strict=True))
        ),
    )


def _numbers(row: Bar) -> str:
    """All parts where there is room for them."""
    words = " · ".join(str(part) for part in row.parts).replace("-", "−")
    return words if width(words, SIZE * BOLD) <= ROOMY else str(row.total).replace("-", "−")


def _row(bar: Bar, at: int, left: float, scale: float, numbers: str) -> Row:
    middle = at * ROW + ROW / 2
    pieces = tuple(_pieces(bar, left, scale))
    end = pieces[-1].x + pieces[-1].width if pieces else left
    return Row(
        bar=bar,
        sign=found.path if (found := sign_named(bar.sign)) else "",
        place=sign_at(SIGN / 2, middle),
        y=middle - THICK / 2,
        text=tenth(middle + SIZE / 3),
        pieces=pieces,
        numbers=numbers,
        after=tenth(end + 5),
    )


def _pieces(bar: Bar, left: float, scale: float) -> Iterator[Piece]:
    x = float(left)
    for kind, part in zip(KINDS, bar.parts, strict=False):
        if part > 0:
            wide = max(LEAST, part * scale)
            yield Piece(kind, tenth(x), tenth(wide))
            x += wide
