"""What people type as text: cleaned where that harms nobody, refused with a reason where it cannot be kept."""

from __future__ import annotations

import re
import unicodedata
from itertools import groupby

from companion.core.errors import Malformed
from companion.core.text import _

_UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f"
    "\u2800\u3164\ufe00-\ufe0d\ufeff\uffa0\U000e0100-\U000e01ef]"
    "|(?<![\U0001f3f4\U000e0020-\U000e007f])[\U000e0000-\U000e007f]"  # the letters of a flag follow the flag
    "|(?<=[ 0-9A-Za-z\u00c0-\u052f\u1f00-\u1fff])(?!\ufe0f\u20e3)[\u200d\ufe0e\ufe0f]+"  # what joins emoji, elsewhere
)
"""Characters that show nothing or turn the direction of what follows."""
MAX_MARKS = 3
"""Accents and other marks on one letter."""
_UNREADABLE = "\ufffd"
"""What stands where bytes were no text: nobody has typed it."""
_EMOJI_PARTS = frozenset("\u200d\ufe0e\ufe0f")


def clean_text(text: str, *, longest: int, name: str = "name") -> str:
    """The text trimmed and in canonical form, of at most so many letters; lines are kept. Raises Malformed."""
    text = unicodedata.normalize("NFC", _UNSEEN.sub("", text)).strip() if len(text) <= longest * 10 else text
    if len(text) > longest * 4:
        raise Malformed(_("That is too long: at most {n} characters.", n=longest), name)
    for letter in text:
        is_shown = letter == "\n" or unicodedata.category(letter) not in ("Cc", "Cs", "Cn", "Co")
        if not is_shown or letter == _UNREADABLE:
            raise Malformed(_("It contains a character that can’t be displayed."), name)
    if any(is_mark and len(list(run)) > MAX_MARKS for is_mark, run in groupby(text, _is_mark)):
        raise Malformed(_("One letter has too many accents."), name)
    if sum(not unicodedata.combining(letter) and letter not in _EMOJI_PARTS for letter in text) > longest:
        raise Malformed(_("That is too long: at most {n} characters.", n=longest), name)
    return re.sub(r"[^\S\n]+", " ", text)


def fold_text(text: str) -> str:
    """The text as it is compared and searched: without capitals, accents and spaces at its ends."""
    bare = unicodedata.normalize("NFD", text.casefold())
    return unicodedata.normalize("NFC", "".join(letter for letter in bare if not unicodedata.combining(letter))).strip()


def _is_mark(letter: str) -> bool:
    return unicodedata.category(letter) in ("Mn", "Me") and letter not in _EMOJI_PARTS
