"""Letters for pictures that the server draws: which face has which, how wide a text is, and what fits of it."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from io import BytesIO
from itertools import groupby
from pathlib import Path

from django.conf import settings
from PIL import ImageDraw, ImageFont

from companion.printing.pdf import decompress_woff2


class Weight(StrEnum):
    PLAIN = "plain"
    BOLD = "bold"
    DIGITS = "digits"


_FILES = {
    Weight.PLAIN: ("text", "text-greek", "text-ext", "signs", "signs-arrows", "signs-music"),
    Weight.BOLD: ("text-bold", "text-greek-bold", "text-ext-bold", "signs", "signs-arrows", "signs-music"),
    Weight.DIGITS: ("digits", "text-bold"),
}
"""The faces of a weight: the first one that has a letter draws it."""
ELLIPSIS = "…"
PLACEHOLDER = "?"
"""What stands for a text of which no letter can be drawn."""


@dataclass(frozen=True)
class Face:
    """A font, and the letters that are in it."""

    data: bytes
    letters: frozenset[int]


@dataclass(frozen=True)
class Font:
    """Letters of a weight and a size, in pixels."""

    weight: Weight
    size: int

    def width(self, text: str) -> float:
        return sum(font.getlength(run) for font, run in self._runs(text))

    def cut(self, text: str, room: float) -> str:
        """The text as it can be drawn, cut to so many pixels."""
        text = get_drawable_text(text, self.weight)
        if self.width(text) <= room:
            return text
        while text and self.width(text.rstrip() + ELLIPSIS) > room:
            text = text[:-1]
        return text.rstrip() + ELLIPSIS

    def wrapped(self, text: str, room: float, most: int) -> list[str]:
        """The text as it can be drawn, in at most so many lines."""
        lines, words = [""], get_drawable_text(text, self.weight).split(" ")
        for index, word in enumerate(words):
            longer = f"{lines[-1]} {word}".strip()
            if not lines[-1] or self.width(longer) <= room:
                lines[-1] = longer
            elif len(lines) < most:
                lines.append(word)
            else:
                lines[-1] = " ".join([lines[-1], *words[index:]])
                break
        return [self.cut(line, room) for line in lines]

    def write(self, draw: ImageDraw.ImageDraw, at: tuple[float, float], text: str, fill: str) -> None:
        """Draws what can be drawn of a text; `at` is where its first letter stands on its line."""
        x, y = at
        for font, run in self._runs(text):
            draw.text((x, y), run, font=font, fill=fill, anchor="ls")
            x += font.getlength(run)

    def _runs(self, text: str) -> Iterator[tuple[ImageFont.FreeTypeFont, str]]:
        placed = ((_find_font_file(letter, self.weight), letter) for letter in text)
        for file, run in groupby(placed, lambda own: own[0]):
            if file:
                yield _load_font(file, self.size), "".join(letter for _file, letter in run)


def get_drawable_text(text: str, weight: Weight = Weight.PLAIN) -> str:
    """What can be drawn of a text; of a letter whose accent no face has, the letter without it."""
    letters = (_get_drawable_letter(letter, weight) for letter in unicodedata.normalize("NFC", text))
    return " ".join("".join(letters).split()) or PLACEHOLDER


def _get_drawable_letter(letter: str, weight: Weight) -> str:
    if unicodedata.category(letter) in ("Mn", "Me", "Cf"):
        return ""  # marks without a letter that has them would stand beside it
    if letter.isspace():
        return " "
    bare = unicodedata.normalize("NFD", letter)[0]
    return next((own for own in (letter, bare) if _find_font_file(own, weight)), "")


@lru_cache(maxsize=5_000)
def _find_font_file(letter: str, weight: Weight) -> str:
    return next((file for file in _FILES[weight] if ord(letter) in _load_face(file).letters), "")


@lru_cache(maxsize=100)
def _load_font(file: str, size: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(BytesIO(_load_face(file).data), size, layout_engine=ImageFont.Layout.BASIC)


@lru_cache(maxsize=20)
def _load_face(file: str) -> Face:
    from fontTools.ttLib import TTFont  # takes a while to load

    data = decompress_woff2(Path(settings.ROOT, "static", "fonts", f"{file}.woff2").read_bytes())
    return Face(data, frozenset(TTFont(BytesIO(data)).getBestCmap()))
