"""PNG image of a result."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from io import BytesIO
from pathlib import Path
from typing import Any, TypeAlias

from django.contrib.staticfiles import finders
from PIL import Image, ImageChops, ImageDraw

from companion.avatars import COLOURS, GRID, get_sign
from companion.exchange.sharing.result_text import ResultRow, SharedResult, format_points
from companion.printing.fonts import Font, Weight

WIDTH, HEIGHT = 1080, 1350
MARGIN, PADDING = 60, 56
"""Pixels around the sheet and inside it."""
LEFT, RIGHT = MARGIN + PADDING, WIDTH - MARGIN - PADDING
ROOM = RIGHT - LEFT
"""Edges of the text and the pixels between them."""
HEADER_HEIGHT = 190
FOOTER_HEIGHT = 150
MAX_ROW_HEIGHT, ROWS_HEIGHT = 124, 540
"""Pixels of one row if there is room, and of all rows if there are few."""
SUPERSAMPLING = 4
"""Signs are drawn this many times larger and scaled down, for smooth edges."""
CURVE_STEPS = 12
"""Straight lines that a curve of a sign is drawn with."""
_TOKEN = re.compile(r"--([a-z0-9-]+): light-dark\((#[0-9a-f]{3,6}),")
Palette: TypeAlias = Mapping[str, str]
"""Colours by the name of their CSS variable."""


@lru_cache(maxsize=100)
def load_palette(slug: str) -> Palette:
    """Return the colours of the light theme from the stylesheets."""
    return {**_read_tokens("css/tokens.css"), **_read_tokens(f"games/{slug}/style.css")}


def _read_tokens(name: str) -> dict[str, str]:
    """Return the light colours of a stylesheet by name; none if there is no such file."""
    path = finders.find(name)
    return dict(_TOKEN.findall(Path(path).read_text(encoding="utf-8"))) if path else {}


def draw_result(result: SharedResult) -> bytes:
    """The result as a PNG of 1080 by 1350 pixels, in the active language."""
    palette = load_palette(result.game)
    picture = _Picture(result, palette, Image.new("RGB", (WIDTH, HEIGHT), palette["ground"]))
    picture.fill((MARGIN, MARGIN, WIDTH - MARGIN, HEIGHT - MARGIN), 28, "sheet", outline=palette["line"], width=2)
    picture.add_title()
    picture.add_rows(picture.add_verdict())
    picture.add_footer()
    content = BytesIO()
    picture.image.save(content, "PNG", optimize=False)
    return content.getvalue()


@dataclass(frozen=True)
class _Picture:
    """An image that is being drawn; colours are named as in the palette."""

    result: SharedResult
    palette: Palette
    image: Image.Image

    @cached_property
    def _draw(self) -> ImageDraw.ImageDraw:
        return ImageDraw.Draw(self.image)

    def fill(self, box: tuple[float, float, float, float], radius: int, colour: str, **more: Any) -> None:
        self._draw.rounded_rectangle(box, radius, self.palette[colour], **more)

    def _write(self, font: Font, at: tuple[float, float], text: str, colour: str) -> None:
        font.write(self._draw, at, text, self.palette[colour])

    def add_title(self) -> None:
        title = self.result.title
        self.fill(
            (MARGIN, MARGIN, WIDTH - MARGIN, MARGIN + HEADER_HEIGHT), 28, "accent", corners=(True, True, False, False)
        )
        fonts = [Font(Weight.BOLD, size) for size in (88, 76, 64)]
        font = next((font for font in fonts if font.width(title) <= ROOM), Font(Weight.BOLD, 56))
        self._write(
            font, (LEFT, MARGIN + HEADER_HEIGHT / 2 + font.size * 0.35), font.truncate(title, ROOM), "on-accent"
        )

    def add_verdict(self) -> float:
        """Draw the verdict and return the y where it ends."""
        has_many_rows = len(self.result.rows) > 6
        font = Font(Weight.BOLD, 46 if has_many_rows else 54)
        y = MARGIN + HEADER_HEIGHT + 32.0
        for line in font.wrap(self.result.verdict, ROOM, 2 if has_many_rows else 3):
            y += font.size * 1.25
            self._write(font, (LEFT, y), line, "ink")
        return y + 44

    def add_rows(self, top: float) -> None:
        rows, bottom = self.result.rows, HEIGHT - MARGIN - FOOTER_HEIGHT
        if len(rows) == 1:
            self._add_single_total(rows[0], top, bottom)
            return
        height = min(max(MAX_ROW_HEIGHT, ROWS_HEIGHT / max(3, len(rows))), (bottom - top) / len(rows))
        top += (bottom - top - height * len(rows)) * 0.3
        font = Font(Weight.DIGITS, round(height * 0.52))
        widest = round(max(font.width(str(row.rank)) if row.rank else 0 for row in rows))
        for index, row in enumerate(rows):
            self._add_row(row, top + index * height, height, widest)

    def _add_row(self, row: ResultRow, top: float, height: float, widest: int) -> None:
        """Draw rank, sign (of a side of one player), names and total; ranks take `widest` pixels."""
        left, line, font = LEFT, top + height * 0.68, Font(Weight.DIGITS, round(height * 0.52))
        if row.rank == 1:
            self.fill((LEFT - 24, top + 2, RIGHT + 24, top + height - 2), 16, "wash")
        if row.rank:
            self._write(font, (left, line), str(row.rank), "accent-deep")
            left += widest + round(height * 0.25)
        if len(row.players) == 1 and get_sign(row.players[0].sign):
            mask = _draw_mask(row.players[0].sign, round(height * 0.5))
            colour = self.palette[f"look{row.players[0].colour % len(COLOURS)}"]
            self.image.paste(Image.new("RGB", mask.size, colour), (left, round(top + height * 0.25)), mask)
            left += round(height * 0.68)
        total = format_points(row.total)
        right = RIGHT - font.width(total)
        self._write(font, (right, line), total, "ink")
        self._add_names(row, (left, top), height, right - 32 - left)

    def _add_names(self, row: ResultRow, at: tuple[float, float], height: float, room: float) -> None:
        """Draw the names on one line, or smaller on two if that shows more of them."""
        weight = Weight.BOLD if row.rank == 1 else Weight.PLAIN
        names = ", ".join(row.names)
        font = Font(weight, round(max(height * 0.42, min(height * 0.56, 38))))
        lines = font.wrap(names, room, 1)
        if font.width(names) > room and height > 72:
            font = Font(weight, round(height * 0.32))
            lines = font.wrap(names, room, 2)
        step = font.size * 1.2
        y = at[1] + height * 0.5 + font.size * 0.35 - step * (len(lines) - 1) / 2
        for index, line in enumerate(lines):
            self._write(font, (at[0], y + step * index), line, "ink")

    def _add_single_total(self, row: ResultRow, top: float, bottom: float) -> None:
        """Draw the only total, of a cooperative or solo game, above the names."""
        font, names_font = Font(Weight.DIGITS, 220), Font(Weight.PLAIN, 46)
        total, top = format_points(row.total), top + (bottom - top - 400) * 0.25
        self.fill((LEFT, top, RIGHT, top + 330), 20, "wash")
        self._write(font, ((WIDTH - font.width(total)) / 2, top + 242), total, "accent-deep")
        y = top + 340
        for line in names_font.wrap(", ".join(row.names), ROOM, max(1, int((bottom - y) / 58))):
            y += 58
            self._write(names_font, ((WIDTH - names_font.width(line)) / 2, y), line, "ink")

    def add_footer(self) -> None:
        y = HEIGHT - MARGIN - 52
        self._draw.line((LEFT, y - 62, RIGHT, y - 62), self.palette["line"], 2)
        bold_font, font, app = Font(Weight.BOLD, 30), Font(Weight.PLAIN, 32), "Companion"
        app_width = bold_font.width(app)
        self._write(bold_font, (RIGHT - app_width, y), app, "soft")
        details = " · ".join(part for part in (self.result.day, self.result.place) if part)
        self._write(font, (LEFT, y), font.truncate(details, ROOM - app_width - 40), "soft")


@lru_cache(maxsize=100)
def _draw_mask(name: str, size: int) -> Image.Image:
    """Return the shape of a sign, filled by the even-odd rule."""
    sign, large = get_sign(name), size * SUPERSAMPLING
    mask = Image.new("1", (large, large))
    for outline in _flatten_path(sign.path if sign else ""):
        polygon = Image.new("1", mask.size)
        ImageDraw.Draw(polygon).polygon([(x * large / GRID, y * large / GRID) for x, y in outline], fill=1)
        mask = ImageChops.logical_xor(mask, polygon)
    return mask.convert("L").resize((size, size), Image.Resampling.BOX)


@lru_cache(maxsize=100)
def _flatten_path(path: str) -> tuple[tuple[tuple[float, float], ...], ...]:
    from fontTools.misc.bezierTools import cubicPointAtT
    from fontTools.pens.recordingPen import DecomposingRecordingPen
    from fontTools.svgLib.path import parse_path

    pen: Any = DecomposingRecordingPen({})
    parse_path(path, pen)
    outlines: list[list[tuple[float, float]]] = []
    for command, points in pen.value:
        if command == "moveTo":
            outlines.append([points[0]])
        elif command == "lineTo":
            outlines[-1].append(points[0])
        elif command == "curveTo":
            curve = (outlines[-1][-1], *points)
            outlines[-1] += [cubicPointAtT(*curve, step / CURVE_STEPS) for step in range(1, CURVE_STEPS + 1)]
    return tuple(map(tuple, outlines))
