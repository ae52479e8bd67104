"""Fonts for images drawn on the server, with fallback between faces."""

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
"""Font files by weight; the first one that has a letter is used."""
ELLIPSIS = "…"
PLACEHOLDER = "?"
"""Replaces a text without drawable letters."""


@dataclass(frozen=True)
class Font:
    """A weight at a size in pixels."""

    weight: Weight
    size: int

    def width(self, text: str) -> float:
        return sum(font.getlength(run) for font, run in self._runs(text))

    def truncate(self, text: str, room: float) -> str:
        """Return the drawable text, truncated to `room` pixels."""
        text = get_drawable_text(text, self.weight)
        if self.width(text) <= room:
            return text
        while text and self.width(text.rstrip() + ELLIPSIS) > room:
            text = text[:-1]
        return text.rstrip() + ELLIPSIS

    def wrap(self, text: str, room: float, max_lines: int) -> list[str]:
        """Return the drawable text in at most `max_lines` lines of `room` pixels."""
        lines, words = [""], get_drawable_text(text, self.weight).split(" ")
        for index, word in enumerate(words):
            longer = f"{lines[-1]} {word}".strip()
            if not lines[-1] or self.width(longer) <= room:
                lines[-1] = longer
            elif len(lines) < max_lines:
                lines.append(word)
            else:
                lines[-1] = " ".join([lines[-1], *words[index:]])
                break
        return [self.truncate(line, room) for line in lines]

    def write(self, draw: ImageDraw.ImageDraw, at: tuple[float, float], text: str, fill: str) -> None:
        """Draw a text; `at` is the left end of its baseline."""
        x, y = at
        for font, run in self._runs(text):
            draw.text((x, y), run, font=font, fill=fill, anchor="ls")
            x += font.getlength(run)

    def _runs(self, text: str) -> Iterator[tuple[ImageFont.FreeTypeFont, str]]:
        letters = ((_find_font_file(letter, self.weight), letter) for letter in text)
        for file, run in groupby(letters, lambda item: item[0]):
            if file:
                yield _load_font(file, self.size), "".join(letter for _file, letter in run)


def get_drawable_text(text: str, weight: Weight = Weight.PLAIN) -> str:
    """Return the drawable letters of a text; letters whose accent no face has lose the accent."""
    letters = (_get_drawable_letter(letter, weight) for letter in unicodedata.normalize("NFC", text))
    return " ".join("".join(letters).split()) or PLACEHOLDER


def _get_drawable_letter(letter: str, weight: Weight) -> str:
    if unicodedata.category(letter) in ("Mn", "Me", "Cf"):
        return ""  # combining marks would be drawn next to their letter
    if letter.isspace():
        return " "
    base = unicodedata.normalize("NFD", letter)[0]
    return next((candidate for candidate in (letter, base) if _find_font_file(candidate, weight)), "")


@lru_cache(maxsize=5_000)
def _find_font_file(letter: str, weight: Weight) -> str:
    return next((file for file in _FILES[weight] if ord(letter) in _load_face(file)[1]), "")


@lru_cache(maxsize=100)
def _load_font(file: str, size: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(BytesIO(_load_face(file)[0]), size, layout_engine=ImageFont.Layout.BASIC)


@lru_cache(maxsize=20)
def _load_face(file: str) -> tuple[bytes, frozenset[int]]:
    """Return a font file and the code points in it."""
    from fontTools.ttLib import TTFont  # takes a while to load

    data = decompress_woff2(Path(settings.ROOT, "static", "fonts", f"{file}.woff2").read_bytes())
    return data, frozenset(TTFont(BytesIO(data)).getBestCmap())
