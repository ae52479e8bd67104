"""How much room words take in a picture, guessed on the wide side: which font a phone has is not known."""

from __future__ import annotations

import unicodedata

FONT_SIZE = 13
"""Height of letters in units of a picture 360 wide, which is about as many pixels on the smallest phones."""
BOLD_FACTOR = 1.13
"""How much wider bold letters are."""
JOINERS = "\u200c\u200d"
_NARROW = frozenset("iljIftr.,:;'|!()[] ·ιϊίΐΙ")
_WIDE = frozenset("mwMW@%&ΩΏΜмшщжюфМШЩЖЮФ…—")
_BROAD = frozenset("-−+ωώ")


def measure_text(words: str, size: float = FONT_SIZE) -> float:
    """The room that words take, in units, with letters of that size."""
    return size * sum(map(_em, words))


def truncate_text(words: str, room: float, size: float = FONT_SIZE) -> str:
    """As many letters as there is room for, with an ellipsis where some are left out.

    Signs that only turn the direction of writing are left out: a cut would leave them open.
    """
    words = "".join(letter for letter in words if unicodedata.category(letter) != "Cf" or letter in JOINERS).strip()
    if measure_text(words, size) <= room:
        return words
    left = room - measure_text("…", size)
    end = 0
    while end < len(words) and (left := left - size * _em(words[end])) >= 0:
        end += 1
    return words[:end].rstrip(" " + JOINERS) + "…"


def _em(letter: str) -> float:
    """The width of a letter as part of its height; nothing for marks that stand on another one."""
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
