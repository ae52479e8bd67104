"""Text widths in charts, estimated on the wide side because the font is not known."""

import unicodedata

FONT_SIZE = 13
"""Font size in chart units: a chart is 360 wide, about as many pixels as a small phone."""
BOLD_FACTOR = 1.13
"""Width of bold text relative to regular text."""
JOINERS = "\u200c\u200d"
_NARROW = frozenset("iljIftr.,:;'|!()[] ·ιϊίΐΙ")
_WIDE = frozenset("mwMW@%&ΩΏΜмшщжюфМШЩЖЮФ…—")
_BROAD = frozenset("-−+ωώ")


def measure_text(text: str, size: float = FONT_SIZE) -> float:
    """Return the estimated width of a text in chart units."""
    return size * sum(map(_get_em_width, text))


def truncate_text(text: str, room: float, size: float = FONT_SIZE) -> str:
    """Return a text shortened to a width in chart units, with an ellipsis if letters are left out.

    Direction controls are removed, as truncation could leave them unbalanced.
    """
    text = "".join(letter for letter in text if unicodedata.category(letter) != "Cf" or letter in JOINERS).strip()
    if measure_text(text, size) <= room:
        return text
    left = room - measure_text("…", size)
    end = 0
    while end < len(text) and (left := left - size * _get_em_width(text[end])) >= 0:
        end += 1
    return text[:end].rstrip(" " + JOINERS) + "…"


def _get_em_width(letter: str) -> float:
    """Return the width of a letter in ems; 0 for combining marks."""
    category = unicodedata.category(letter)
    if category in ("Mn", "Me", "Cf", "Cc"):
        return 0
    if unicodedata.east_asian_width(letter) in "WF" or category == "So":
        return 1.3
    if letter in _NARROW:
        return 0.42
    if letter in _WIDE:
        return 1.02
    if letter in _BROAD:
        return 0.86
    return 0.75 if category == "Lu" else 0.64
