"""PNG image of a result."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from typing import Any, TypeAlias

from django.contrib.staticfiles import finders
from PIL import Image, ImageChops, ImageDraw

from companion.avatars import COLOURS, GRID, get_sign
from companion.exchange.export_records import ExportedPlayer
from companion.exchange.sharing.result_text import ResultRow, SharedResult, format_points
from companion.printing.fonts import Font, Weight

WIDTH, HEIGHT = 1080, 1350
MARGIN, PADDING = 60, 56
"""Pixels around the sheet and inside it."""
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
    image = Image.new("RGB", (WIDTH, HEIGHT), palette["ground"])
    draw = ImageDraw.Draw(image)
    draw.rounded_rectangle((MARGIN, MARGIN, WIDTH - MARGIN, HEIGHT - MARGIN), 28, palette["sheet"], palette["line"], 2)
    _draw_title(draw, result, palette)
    top = _draw_verdict(draw, result, palette)
    _draw_rows(image, draw, result, palette, top)
    _draw_footer(draw, result, palette)
    content = BytesIO()
    image.save(content, "PNG", optimize=False)
    return content.getvalue()


def _draw_title(draw: ImageDraw.ImageDraw, result: SharedResult, palette: Palette) -> None:
    box = (MARGIN, MARGIN, WIDTH - MARGIN, MARGIN + HEADER_HEIGHT)
    draw.rounded_rectangle(box, 28, palette["accent"], corners=(True, True, False, False))
    room = WIDTH - 2 * (MARGIN + PADDING)
    font = next((bold for bold in _bold_fonts(88, 76, 64) if bold.width(result.title) <= room), Font(Weight.BOLD, 56))
    font.write(
        draw,
        (MARGIN + PADDING, MARGIN + HEADER_HEIGHT / 2 + font.size * 0.35),
        font.truncate(result.title, room),
        palette["on-accent"],
    )


def _bold_fonts(*sizes: int) -> list[Font]:
    return [Font(Weight.BOLD, size) for size in sizes]


def _draw_verdict(draw: ImageDraw.ImageDraw, result: SharedResult, palette: Palette) -> float:
    """Draw the verdict and return the y where it ends."""
    room, max_lines = WIDTH - 2 * (MARGIN + PADDING), 2 if len(result.rows) > 6 else 3
    font = Font(Weight.BOLD, 46 if len(result.rows) > 6 else 54)
    y = MARGIN + HEADER_HEIGHT + 32.0
    for line in font.wrap(result.verdict, room, max_lines):
        y += font.size * 1.25
        font.write(draw, (MARGIN + PADDING, y), line, palette["ink"])
    return y + 44


def _draw_rows(
    image: Image.Image, draw: ImageDraw.ImageDraw, result: SharedResult, palette: Palette, top: float
) -> None:
    bottom = HEIGHT - MARGIN - FOOTER_HEIGHT
    if len(result.rows) == 1:
        _draw_single_total(draw, result.rows[0], palette, top, bottom)
        return
    count = len(result.rows)
    height = min(max(MAX_ROW_HEIGHT, ROWS_HEIGHT / max(3, count)), (bottom - top) / count)
    top += (bottom - top - height * count) * 0.3
    font = Font(Weight.DIGITS, round(height * 0.52))
    widest = max(font.width(str(row.rank)) if row.rank else 0 for row in result.rows)
    for index, row in enumerate(result.rows):
        _draw_row(image, draw, row, palette, (MARGIN + PADDING, top + index * height), height, round(widest))


def _draw_row(
    image: Image.Image,
    draw: ImageDraw.ImageDraw,
    row: ResultRow,
    palette: Palette,
    at: tuple[int, float],
    height: float,
    widest: int,
) -> None:
    """Draw rank, sign (of a side of one player), names and total; ranks take `widest` pixels."""
    (left, top), right = at, WIDTH - MARGIN - PADDING
    line, font = top + height * 0.68, Font(Weight.DIGITS, round(height * 0.52))
    if row.rank == 1:
        draw.rounded_rectangle((left - 24, top + 2, right + 24, top + height - 2), 16, palette["wash"])
    if row.rank:
        font.write(draw, (left, line), str(row.rank), palette["accent-deep"])
        left += widest + round(height * 0.25)
    if len(row.players) == 1 and (sign := _draw_sign(row.players[0], palette, round(height * 0.5))):
        image.paste(sign[0], (left, round(top + height * 0.25)), sign[1])
        left += round(height * 0.68)
    total = format_points(row.total)
    font.write(draw, (right - font.width(total), line), total, palette["ink"])
    _draw_names(draw, row, palette, (left, top), height, right - font.width(total) - 32 - left)


def _draw_names(
    draw: ImageDraw.ImageDraw, row: ResultRow, palette: Palette, at: tuple[float, float], height: float, room: float
) -> None:
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
        font.write(draw, (at[0], y + step * index), line, palette["ink"])


def _draw_single_total(draw: ImageDraw.ImageDraw, row: ResultRow, palette: Palette, top: float, bottom: float) -> None:
    """Draw the only total, of a cooperative or solo game, above the names."""
    room, font = WIDTH - 2 * (MARGIN + PADDING), Font(Weight.DIGITS, 220)
    total, top = format_points(row.total), top + (bottom - top - 400) * 0.25
    draw.rounded_rectangle((MARGIN + PADDING, top, WIDTH - MARGIN - PADDING, top + 330), 20, palette["wash"])
    font.write(draw, ((WIDTH - font.width(total)) / 2, top + 242), total, palette["accent-deep"])
    names_font = Font(Weight.PLAIN, 46)
    y = top + 340
    for line in names_font.wrap(", ".join(row.names), room, max(1, int((bottom - y) / 58))):
        y += 58
        names_font.write(draw, ((WIDTH - names_font.width(line)) / 2, y), line, palette["ink"])


def _draw_footer(draw: ImageDraw.ImageDraw, result: SharedResult, palette: Palette) -> None:
    left, right, y = MARGIN + PADDING, WIDTH - MARGIN - PADDING, HEIGHT - MARGIN - 52
    draw.line((left, y - 62, right, y - 62), palette["line"], 2)
    bold_font, font = Font(Weight.BOLD, 30), Font(Weight.PLAIN, 32)
    app = "Companion"
    bold_font.write(draw, (right - bold_font.width(app), y), app, palette["soft"])
    details = " · ".join(part for part in (result.day, result.place) if part)
    font.write(draw, (left, y), font.truncate(details, right - left - bold_font.width(app) - 40), palette["soft"])


def _draw_sign(player: ExportedPlayer, palette: Palette, size: int) -> tuple[Image.Image, Image.Image] | None:
    """Return a player's sign in the player's colour, and its mask; None if the player has no sign."""
    if get_sign(player.sign) is None:
        return None
    colour = palette[f"look{player.colour % len(COLOURS)}"]
    mask = _draw_mask(player.sign, size)
    return Image.new("RGB", mask.size, colour), mask


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
    """Return an SVG path as closed polygons."""
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
