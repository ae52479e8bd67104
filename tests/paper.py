"""Inspection of PDFs with Poppler: sheets, positions of words, ink and fonts."""

from __future__ import annotations

import io
import re
import subprocess
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from xml.etree import ElementTree

from pypdf import PdfReader
from pypdf.generic import DictionaryObject

MM = 72 / 25.4
"""Points per millimetre."""
DOTS = 72
"""Resolution in dots per inch: one dot is one point."""
XHTML = "{http://www.w3.org/1999/xhtml}"


@dataclass(frozen=True)
class TextLine:
    """A line of text on a sheet and its box, in mm from the upper left corner."""

    text: str
    left: float
    top: float
    right: float
    bottom: float


@dataclass(frozen=True)
class SheetImage:
    """A printed sheet as rows of grey pixels."""

    width: int
    height: int
    dots: bytes

    def is_blank(self, left: float, top: float, right: float, bottom: float) -> bool:
        """Return whether a box, in mm, is blank."""
        first, last = max(round(left * MM), 0), min(round(right * MM), self.width)
        rows = range(
            max(round(top * MM), 0) * self.width, min(round(bottom * MM), self.height) * self.width, self.width
        )
        return all(not self.dots[row + first : row + last].strip(b"\xff") for row in rows)


class PdfInspector:
    def __init__(self, content: bytes) -> None:
        assert content.startswith(b"%PDF-")
        self.content = content

    @cached_property
    def sheets(self) -> list[tuple[float, float]]:
        """Width and height of each sheet, in mm."""
        pages = PdfReader(io.BytesIO(self.content)).pages
        return [(float(page.mediabox.width) / MM, float(page.mediabox.height) / MM) for page in pages]

    @cached_property
    def fonts(self) -> dict[str, bool]:
        """Whether each font is embedded, by name."""
        is_embedded = {}
        for page in PdfReader(io.BytesIO(self.content)).pages:
            for font in (page["/Resources"].get("/Font") or {}).values():
                properties = font.get_object()
                inner = (
                    properties["/DescendantFonts"][0].get_object() if "/DescendantFonts" in properties else properties
                )
                descriptor = inner.get("/FontDescriptor", DictionaryObject()).get_object()
                is_embedded[str(properties["/BaseFont"])] = any(
                    key in descriptor for key in ("/FontFile", "/FontFile2", "/FontFile3")
                )
        return is_embedded

    @cached_property
    def lines(self) -> list[list[TextLine]]:
        """The lines of text on each sheet."""
        root = ElementTree.fromstring(_run_poppler("pdftotext", "-bbox-layout", "-", "-", data=self.content))
        return [[_parse_line(line) for line in page.iter(f"{XHTML}line")] for page in root.iter(f"{XHTML}page")]

    @property
    def text(self) -> str:
        return " ".join(line.text for sheet in self.lines for line in sheet)

    @cached_property
    def ink(self) -> list[SheetImage]:
        return [ink for ink, _is_grey in self._dots]

    @cached_property
    def _dots(self) -> list[tuple[SheetImage, bool]]:
        """Green channel of each sheet, and whether all its dots are grey, within rounding errors."""
        return list(_parse_ppm(_run_poppler("pdftoppm", "-r", str(DOTS), "-", data=self.content)))

    @property
    def is_black_and_white(self) -> bool:
        return all(is_grey for _ink, is_grey in self._dots)


def extract_letters(text: str) -> str:
    """Return the letters and digits of a text, to ignore hyphenation and spacing."""
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", text))


def _parse_line(line: ElementTree.Element) -> TextLine:
    text = " ".join(word.text or "" for word in line.iter(f"{XHTML}word"))
    box = [float(line.attrib[name]) / MM for name in ("xMin", "yMin", "xMax", "yMax")]
    return TextLine(text, *box)


def _parse_ppm(data: bytes) -> Iterator[tuple[SheetImage, bool]]:
    while data:
        head = re.match(rb"P6\s(\d+)\s(\d+)\s255\s", data)
        assert head
        width, height = int(head[1]), int(head[2])
        dots, data = data[head.end() :][: 3 * width * height], data[head.end() + 3 * width * height :]
        red, green, blue = dots[::3], dots[1::3], dots[2::3]
        is_grey = red == green == blue or _is_nearly_grey(red, green, blue)
        yield SheetImage(width, height, green), is_grey


def _is_nearly_grey(*colours: bytes) -> bool:
    return all(max(dot) - min(dot) <= 3 for dot in set(zip(*colours, strict=True)))


def _run_poppler(*command: str, data: bytes) -> bytes:
    return subprocess.run(command, input=data, capture_output=True, check=True).stdout
