"""The picture of a result, drawn as a PNG. What is told in it is chosen in showing.py."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any

from django.contrib.staticfiles import finders
from PIL import Image, ImageChops, ImageDraw

from companion.avatars import COLOURS, GRID, get_sign
from companion.exchange.export_records import ExportedPlayer
from companion.exchange.sharing.result_text import ResultRow, SharedResult, format_points
from companion.printing.fonts import Font, Weight

WIDTH, HEIGHT = 1080, 1350
MARGIN, PADDING = 60, 56
"""Pixels around the sheet, and within it."""
HEADER_HEIGHT = 190
FOOTER_HEIGHT = 150
MAX_ROW_HEIGHT, ROWS_HEIGHT = 124, 540
"""Pixels of a line, where there is room; and of all lines, where a few may be taller."""
SUPERSAMPLING = 4
"""How many times larger a sign is drawn, to be smooth when it is made smaller."""
_TOKEN = re.compile(r"--([a-z0-9-]+): (#[0-9a-f]{3,6});")
_BLOCK = re.compile(r"\{([^{}]*--accent:[^{}]*)\}")


@dataclass(frozen=True)
class Palette:
    """Of the paper, and of the game."""

    ground: str
    sheet: str
    line: str
    ink: str
    soft: str
    accent: str
    accent_deep: str
    on_accent: str
    wash: str
    players: tuple[str, ...]


@lru_cache(maxsize=100)
def load_palette(slug: str) -> Palette:
    """As the stylesheets have them by day."""
    found = {**_read_tokens("css/companion.css"), **_read_tokens(f"games/{slug}/style.css")}
    return Palette(
        ground=found["ground"],
        sheet=found["sheet"],
        line=found["line"],
        ink=found["ink"],
        soft=found["soft"],
        accent=found["accent"],
        accent_deep=found["accent-deep"],
        on_accent=found["on-accent"],
        wash=found["wash"],
        players=tuple(found[f"look{index}"] for index in range(len(COLOURS))),
    )


def _read_tokens(name: str) -> dict[str, str]:
    """The colours of a stylesheet by name: those of its first block of them, for the night comes later.

    None where there is no such file.
    """
    path = finders.find(name)
    block = _BLOCK.search(Path(path).read_text(encoding="utf-8")) if path else None
    return dict(_TOKEN.findall(block[1])) if block else {}


def draw_result(told: SharedResult) -> bytes:
    """The result as a PNG of 1080 by 1350 pixels, in the active language."""
    own = load_palette(told.game)
    image = Image.new("RGB", (WIDTH, HEIGHT), own.ground)
    draw = ImageDraw.Draw(image)
    draw.rounded_rectangle((MARGIN, MARGIN, WIDTH - MARGIN, HEIGHT - MARGIN), 28, own.sheet, own.line, 2)
    _draw_title(draw, told, own)
    top = _draw_verdict(draw, told, own)
    _draw_rows(image, draw, told, own, top)
    _draw_footer(draw, told, own)
    content = BytesIO()
    image.save(content, "PNG", optimize=False)
    return content.getvalue()


def _draw_title(draw: ImageDraw.ImageDraw, told: SharedResult, own: Palette) -> None:
    box = (MARGIN, MARGIN, WIDTH - MARGIN, MARGIN + HEADER_HEIGHT)
    draw.rounded_rectangle(box, 28, own.accent, corners=(True, True, False, False))
    room = WIDTH - 2 * (MARGIN + PADDING)
    letters = next((own for own in _bold_fonts(88, 76, 64) if own.width(told.title) <= room), Font(Weight.BOLD, 56))
    letters.write(
        draw,
        (MARGIN + PADDING, MARGIN + HEADER_HEIGHT / 2 + letters.size * 0.35),
        letters.cut(told.title, room),
        own.on_accent,
    )


def _bold_fonts(*sizes: int) -> list[Font]:
    return [Font(Weight.BOLD, size) for size in sizes]


def _draw_verdict(draw: ImageDraw.ImageDraw, told: SharedResult, own: Palette) -> float:
    """Draws what is said of the result, and gives where it ends."""
    room, most = WIDTH - 2 * (MARGIN + PADDING), 2 if len(told.places) > 6 else 3
    letters = Font(Weight.BOLD, 46 if len(told.places) > 6 else 54)
    y = MARGIN + HEADER_HEIGHT + 32.0
    for line in letters.wrapped(told.verdict, room, most):
        y += letters.size * 1.25
        letters.write(draw, (MARGIN + PADDING, y), line, own.ink)
    return y + 44


def _draw_rows(image: Image.Image, draw: ImageDraw.ImageDraw, told: SharedResult, own: Palette, top: float) -> None:
    bottom = HEIGHT - MARGIN - FOOTER_HEIGHT
    if len(told.places) == 1:
        _draw_single_total(draw, told.places[0], own, top, bottom)
        return
    count = len(told.places)
    height = min(max(MAX_ROW_HEIGHT, ROWS_HEIGHT / max(3, count)), (bottom - top) / count)
    top += (bottom - top - height * count) * 0.3
    figures = Font(Weight.DIGITS, round(height * 0.52))
    widest = max(figures.width(str(place.rank)) if place.rank else 0 for place in told.places)
    for index, place in enumerate(told.places):
        _draw_row(image, draw, place, own, (MARGIN + PADDING, top + index * height), height, round(widest))


def _draw_row(
    image: Image.Image,
    draw: ImageDraw.ImageDraw,
    place: ResultRow,
    own: Palette,
    at: tuple[int, float],
    height: float,
    widest: int,
) -> None:
    """A line: the place, the sign of who has it alone, names and total; the figures of all places in `widest`."""
    (left, top), right = at, WIDTH - MARGIN - PADDING
    line, figures = top + height * 0.68, Font(Weight.DIGITS, round(height * 0.52))
    if place.rank == 1:
        draw.rounded_rectangle((left - 24, top + 2, right + 24, top + height - 2), 16, own.wash)
    if place.rank:
        figures.write(draw, (left, line), str(place.rank), own.accent_deep)
        left += widest + round(height * 0.25)
    if len(place.guests) == 1 and (sign := _draw_sign(place.guests[0], own, round(height * 0.5))):
        image.paste(sign[0], (left, round(top + height * 0.25)), sign[1])
        left += round(height * 0.68)
    total = format_points(place.total)
    figures.write(draw, (right - figures.width(total), line), total, own.ink)
    _draw_names(draw, place, own, (left, top), height, right - figures.width(total) - 32 - left)


def _draw_names(
    draw: ImageDraw.ImageDraw, place: ResultRow, own: Palette, at: tuple[float, float], height: float, room: float
) -> None:
    """On one line, or smaller on two where that shows more of them."""
    weight = Weight.BOLD if place.rank == 1 else Weight.PLAIN
    names = ", ".join(place.names)
    letters = Font(weight, round(max(height * 0.42, min(height * 0.56, 38))))
    lines = letters.wrapped(names, room, 1)
    if letters.width(names) > room and height > 72:
        letters = Font(weight, round(height * 0.32))
        lines = letters.wrapped(names, room, 2)
    step = letters.size * 1.2
    y = at[1] + height * 0.5 + letters.size * 0.35 - step * (len(lines) - 1) / 2
    for index, line in enumerate(lines):
        letters.write(draw, (at[0], y + step * index), line, own.ink)


def _draw_single_total(draw: ImageDraw.ImageDraw, place: ResultRow, own: Palette, top: float, bottom: float) -> None:
    """The one total of a table that plays together, or of who plays alone; below it, who that was."""
    room, figures = WIDTH - 2 * (MARGIN + PADDING), Font(Weight.DIGITS, 220)
    total, top = format_points(place.total), top + (bottom - top - 400) * 0.25
    draw.rounded_rectangle((MARGIN + PADDING, top, WIDTH - MARGIN - PADDING, top + 330), 20, own.wash)
    figures.write(draw, ((WIDTH - figures.width(total)) / 2, top + 242), total, own.accent_deep)
    letters = Font(Weight.PLAIN, 46)
    y = top + 340
    for line in letters.wrapped(", ".join(place.names), room, max(1, int((bottom - y) / 58))):
        y += 58
        letters.write(draw, ((WIDTH - letters.width(line)) / 2, y), line, own.ink)


def _draw_footer(draw: ImageDraw.ImageDraw, told: SharedResult, own: Palette) -> None:
    left, right, y = MARGIN + PADDING, WIDTH - MARGIN - PADDING, HEIGHT - MARGIN - 52
    draw.line((left, y - 62, right, y - 62), own.line, 2)
    quiet, letters = Font(Weight.BOLD, 30), Font(Weight.PLAIN, 32)
    app = "Companion"
    quiet.write(draw, (right - quiet.width(app), y), app, own.soft)
    when = " · ".join(part for part in (told.day, told.place) if part)
    letters.write(draw, (left, y), letters.cut(when, right - left - quiet.width(app) - 40), own.soft)


def _draw_sign(guest: ExportedPlayer, own: Palette, size: int) -> tuple[Image.Image, Image.Image] | None:
    """A player's sign in the player's colour, and where it is to be seen; None of whom there is none."""
    if get_sign(guest.sign) is None:
        return None
    colour = own.players[guest.colour % len(own.players)]
    mask = _draw_mask(guest.sign, size)
    return Image.new("RGB", mask.size, colour), mask


@lru_cache(maxsize=100)
def _draw_mask(name: str, size: int) -> Image.Image:
    """The shape of a sign: a point is in it that an odd number of its outlines surrounds."""
    sign, large = get_sign(name), size * SUPERSAMPLING
    found = Image.new("1", (large, large))
    for outline in _flatten_path(sign.path if sign else ""):
        one = Image.new("1", found.size)
        ImageDraw.Draw(one).polygon([(x * large / GRID, y * large / GRID) for x, y in outline], fill=1)
        found = ImageChops.logical_xor(found, one)
    return found.convert("L").resize((size, size), Image.Resampling.BOX)


@lru_cache(maxsize=100)
def _flatten_path(path: str) -> tuple[tuple[tuple[float, float], ...], ...]:
    """A drawing as closed lines of many points."""
    from fontTools.pens.recordingPen import DecomposingRecordingPen
    from fontTools.svgLib.path import parse_path

    pen: Any = DecomposingRecordingPen({})
    parse_path(path, pen)
    found: list[list[tuple[float, float]]] = []
    for command, points in pen.value:
        if command == "moveTo":
            found.append([points[0]])
        elif command == "lineTo":
            found[-1].append(points[0])
        elif command in ("curveTo", "qCurveTo"):
            found[-1] += _flatten_curve((found[-1][-1], *points))
    return tuple(map(tuple, found))


def _flatten_curve(points: tuple[tuple[float, float], ...], steps: int = 12) -> list[tuple[float, float]]:
    """Points on the curve of Bézier that these control, without its first."""
    return [_interpolate_curve(points, step / steps) for step in range(1, steps + 1)]


def _interpolate_curve(points: tuple[tuple[float, float], ...], part: float) -> tuple[float, float]:
    if len(points) == 1:
        return points[0]
    pairs = pairwise(points)
    nearer = tuple((a + (c - a) * part, b + (d - b) * part) for (a, b), (c, d) in pairs)
    return _interpolate_curve(nearer, part)
