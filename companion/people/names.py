"""What people type as text: cleaned where that harms nobody, refused with a reason where it cannot be kept."""

from __future__ import annotations

import re
import unicodedata

from companion.core.fields import Malformed
from companion.core.text import _

LONGEST_NAME = 40
LONGEST_NOTE = 500
_UNSEEN = re.compile("[\u00ad\u061c\u180e\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]")
"""Characters that show nothing or turn the direction of what follows; the joiner of emoji is not among them."""
_STACKED = re.compile("[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]{4,}")
_UNREADABLE = "\ufffd"
"""What stands where bytes were no text: nobody has typed it."""
_EMOJI_PARTS = frozenset("\u200d\ufe0e\ufe0f")


def clean_name(text: str) -> str:
    """A player's name, trimmed and in canonical form. Raises Malformed."""
    name = _clean(text.replace("\n", " "), longest=LONGEST_NAME)
    if not any(unicodedata.category(letter)[0] in "LNSP" for letter in name):
        raise Malformed(_("A name needs at least one letter."), "name")
    return name


def clean_note(text: str) -> str:
    """A note of one or more lines, or nothing. Raises Malformed."""
    return _clean(text.replace("\r\n", "\n"), longest=LONGEST_NOTE)


def _clean(text: str, *, longest: int) -> str:
    if len(text) > longest * 4:
        raise Malformed(_("That is too long: at most {n} letters fit.", n=longest), "name")
    text = unicodedata.normalize("NFC", _UNSEEN.sub("", text)).strip()
    for letter in text:
        is_shown = letter == "\n" or unicodedata.category(letter) not in ("Cc", "Cs", "Cn", "Co")
        if not is_shown or letter == _UNREADABLE:
            raise Malformed(_("There is a character in it that cannot be shown."), "name")
    if _STACKED.search(text):
        raise Malformed(_("There are too many marks on one letter."), "name")
    if sum(not unicodedata.combining(letter) and letter not in _EMOJI_PARTS for letter in text) > longest:
        raise Malformed(_("That is too long: at most {n} letters fit.", n=longest), "name")
    return re.sub(r"[^\S\n]+", " ", text)
