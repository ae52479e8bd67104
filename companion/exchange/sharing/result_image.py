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

from companion.avatars import COLOURS, GRID, sign_named
from companion.exchange.export_records import Guest
from companion.exchange.sharing.result_text import Place, Shown, signed
from companion.printing.fonts import Lettering, Weight

WIDTH, HEIGHT = 1080, 1350
EDGE, PAD = 60, 56
"""Pixels around the sheet, and within it."""
BAND = 190
FOOT = 150
TALLEST, FULLEST = 124, 540
"""Pixels of a line, where there is room; and of all lines, where a few may be taller."""
FINE = 4
"""How many times larger a sign is drawn, to be smooth when it is made smaller."""
_TOKEN = re.compile(r"--([a-z0-9-]+): (#[0-9a-f]{3,6});")
_BLOCK = re.compile(r"\{([^{}]*--accent:[^{}]*)\}")


@dataclass(frozen=True)
class Colours:
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
def colours(slug: str) -> Colours:
    """As the stylesheets have them by day."""
    found = {**_tokens("css/companion.css"), **_tokens(f"games/{slug}/style.css")}
    return Colours(
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


def _tokens(name: str) -> dict[str, str]:
    """The colours of a stylesheet by name: those of its first block of them, for the night comes later.

    None where there is no such file.
    """
    path = finders.find(name)
    block = _BLOCK.search(Path(path).read_text(encoding="utf-8")) if path else None
    return dict(_TOKEN.findall(block[1])) if block else {}


def picture(told: Shown) -> bytes:
    """The result as a PNG of 1080 by 1350 pixels, in the active language."""
    own = colours(told.game)
    image = Image.new("RGB", (WIDTH, HEIGHT), own.ground)
    draw = ImageDraw.Draw(image)
    draw.rounded_rectangle((EDGE, EDGE, WIDTH - EDGE, HEIGHT - EDGE), 28, own.sheet, own.line, 2)
    _band(draw, told, own)
    top = _verdict(draw, told, own)
    _places(image, draw, told, own, top)
    _foot(draw, told, own)
    content = BytesIO()
    image.save(content, "PNG", optimize=False)
    return content.getvalue()


def _band(draw: ImageDraw.ImageDraw, told: Shown, own: Colours) -> None:
    box = (EDGE, EDGE, WIDTH - EDGE, EDGE + BAND)
    draw.rounded_rectangle(box, 28, own.accent, corners=(True, True, False, False))
    room = WIDTH - 2 * (EDGE + PAD)
    letters = next((own for own in _bold(88, 76, 64) if own.width(told.title) <= room), Lettering(Weight.BOLD, 56))
    letters.write(
        draw, (EDGE + PAD, EDGE + BAND / 2 + letters.size * 0.35), letters.cut(told.title, room), own.on_accent
    )


def _bold(*sizes: int) -> list[Lettering]:
    return [Lettering(Weight.BOLD, size) for size in sizes]


def _verdict(draw: ImageDraw.ImageDraw, told: Shown, own: Colours) -> float:
    """Draws what is said of the result, and gives where it ends."""
    room, most = WIDTH - 2 * (EDGE + PAD), 2 if len(told.places) > 6 else 3
    letters = Lettering(Weight.BOLD, 46 if len(told.places) > 6 else 54)
    y = EDGE + BAND + 32.0
    for line in letters.wrapped(told.verdict, room, most):
        y += letters.size * 1.25
        letters.write(draw, (EDGE + PAD, y), line, own.ink)
    return y + 44


def _places(image: Image.Image, draw: ImageDraw.ImageDraw, told: Shown, own: Colours, top: float) -> None:
    bottom = HEIGHT - EDGE - FOOT
    if len(told.places) == 1:
        _together(draw, told.places[0], own, top, bottom)
        return
    count = len(told.places)
    height = min(max(TALLEST, FULLEST / max(3, count)), (bottom - top) / count)
    top += (bottom - top - height * count) * 0.3
    figures = Lettering(Weight.DIGITS, round(height * 0.52))
    widest = max(figures.width(str(place.rank)) if place.rank else 0 for place in told.places)
    for index, place in enumerate(told.places):
        _place(image, draw, place, own, (EDGE + PAD, top + index * height), height, round(widest))


def _place(
    image: Image.Image,
    draw: ImageDraw.ImageDraw,
    place: Place,
    own: Colours,
    at: tuple[int, float],
    height: float,
    widest: int,
) -> None:
    """A line: the place, the sign of who has it alone, names and total; the figures of all places in `widest`."""
    (left, top), right = at, WIDTH - EDGE - PAD
    line, figures = top + height * 0.68, Lettering(Weight.DIGITS, round(height * 0.52))
    if place.rank == 1:
        draw.rounded_rectangle((left - 24, top + 2, right + 24, top + height - 2), 16, own.wash)
    if place.rank:
        figures.write(draw, (left, line), str(place.rank), own.accent_deep)
        left += widest + round(height * 0.25)
    if len(place.guests) == 1 and (sign := _sign(place.guests[0], own, round(height * 0.5))):
        image.paste(sign[0], (left, round(top + height * 0.25)), sign[1])
        left += round(height * 0.68)
    total = signed(place.total)
    figures.write(draw, (right - figures.width(total), line), total, own.ink)
    _names(draw, place, own, (left, top), height, right - figures.width(total) - 32 - left)


def _names(
    draw: ImageDraw.ImageDraw, place: Place, own: Colours, at: tuple[float, float], height: float, room: float
) -> None:
    """On one line, or smaller on two where that shows more of them."""
    weight = Weight.BOLD if place.rank == 1 else Weight.PLAIN
    names = ", ".join(place.names)
    letters = Lettering(weight, round(max(height * 0.42, min(height * 0.56, 38))))
    lines = letters.wrapped(names, room, 1)
    if letters.width(names) > room and height > 72:
        letters = Lettering(weight, round(height * 0.32))
        lines = letters.wrapped(names, room, 2)
    step = letters.size * 1.2
    y = at[1] + height * 0.5 + letters.size * 0.35 - step * (len(lines) - 1) / 2
    for index, line in enumerate(lines):
        letters.write(draw, (at[0], y + step * index), line, own.ink)


def _together(draw: ImageDraw.ImageDraw, place: Place, own: Colours, top: float, bottom: float) -> None:
    """The one total of a table that plays together, or of who plays alone; below it, who that was."""
    room, figures = WIDTH - 2 * (EDGE + PAD), Lettering(Weight.DIGITS, 220)
    total, top = signed(place.total), top + (bottom - top - 400) * 0.25
    draw.rounded_rectangle((EDGE + PAD, top, WIDTH - EDGE - PAD, top + 330), 20, own.wash)
    figures.write(draw, ((WIDTH - figures.width(total)) / 2, top + 242), total, own.accent_deep)
    letters = Lettering(Weight.PLAIN, 46)
    y = top + 340
    for line in letters.wrapped(", ".join(place.names), room, max(1, int((bottom - y) / 58))):
        y += 58
        letters.write(draw, ((WIDTH - letters.width(line)) / 2, y), line, own.ink)


def _foot(draw: ImageDraw.ImageDraw, told: Shown, own: Colours) -> None:
    left, right, y = EDGE + PAD, WIDTH - EDGE - PAD, HEIGHT - EDGE - 52
    draw.line((left, y - 62, right, y - 62), own.line, 2)
    quiet, letters = Lettering(Weight.BOLD, 30), Lettering(Weight.PLAIN, 32)
    app = "Companion"
    quiet.write(draw, (right - quiet.width(app), y), app, own.soft)
    when = " · ".join(part for part in (told.day, told.place) if part)
    letters.write(draw, (left, y), letters.cut(when, right - left - quiet.width(app) - 40), own.soft)


def _sign(guest: Guest, own: Colours, size: int) -> tuple[Image.Image, Image.Image] | None:
    """A player's sign in the player's colour, and where it is to be seen; None of whom there is none."""
    if sign_named(guest.sign) is None:
        return None
    colour = own.players[guest.colour % len(own.players)]
    mask = _mask(guest.sign, size)
    return Image.new("RGB", mask.size, colour), mask


@lru_cache(maxsize=100)
def _mask(name: str, size: int) -> Image.Image:
    """The shape of a sign: a point is in it that an odd number of its outlines surrounds."""
    sign, large = sign_named(name), size * FINE
    found = Image.new("1", (large, large))
    for outline in _outlines(sign.path if sign else ""):
        one = Image.new("1", found.size)
        ImageDraw.Draw(one).polygon([(x * large / GRID, y * large / GRID) for x, y in outline], fill=1)
        found = ImageChops.logical_xor(found, one)
    return found.convert("L").resize((size, size), Image.Resampling.BOX)


@lru_cache(maxsize=100)
def _outlines(path: str) -> tuple[tuple[tuple[float, float], ...], ...]:
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
            found[-1] += _curved((found[-1][-1], *points))
    return tuple(map(tuple, found))


def _curved(points: tuple[tuple[float, float], ...], steps: int = 12) -> list[tuple[float, float]]:
    """Points on the curve of Bézier that these control, without its first."""
    return [_on_curve(points, step / steps) for step in range(1, steps + 1)]


def _on_curve(points: tuple[tuple[float, float], ...], part: float) -> tuple[float, float]:
    if len(points) == 1:
        return points[0]
    pairs = pairwise(points)
    nearer = tuple((a + (c - a) * part, b + (d - b) * part) for (a, b), (c, d) in pairs)
    return _on_curve(nearer, part)
