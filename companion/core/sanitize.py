"""Sanitizing of names and notes that people type."""

import re
import unicodedata
from itertools import groupby

from companion.core import refusals
from companion.core.errors import Malformed
from companion.core.text import _

_UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f"
    "\u2800\u3164\ufe00-\ufe0d\ufeff\uffa0\U000e0100-\U000e01ef]"
    "|(?<![\U0001f3f4\U000e0020-\U000e007f])[\U000e0000-\U000e007f]"  # tag letters, except those that follow a flag
    "|(?<=[ 0-9A-Za-z\u00c0-\u052f\u1f00-\u1fff])(?!\ufe0f\u20e3)[\u200d\ufe0e\ufe0f]+"  # emoji joiners elsewhere
)
"""Characters that are invisible or change the text direction."""
MAX_MARKS = 3
"""Most combining marks allowed on one letter."""
_UNREADABLE = "\ufffd"
"""The replacement character of failed decoding: nobody types it."""
_EMOJI_PARTS = frozenset("\u200d\ufe0e\ufe0f")


def clean_text(text: str, *, longest: int, name: str = "name") -> str:
    r"""Return the text in NFC, trimmed, with single spaces and without invisible characters; line breaks stay.

    Raises Malformed, naming the field, for more than `longest` letters (combining marks do not count), control or
    unassigned characters, and stacks of combining marks.

    >>> clean_text("  Zoë \u200b  B. ", longest=10)
    'Zoë B.'
    """
    text = unicodedata.normalize("NFC", _UNSEEN.sub("", text)).strip() if len(text) <= longest * 10 else text
    if len(text) > longest * 4:
        raise Malformed(refusals.TEXT_TOO_LONG.with_values(n=longest), name)
    for letter in text:
        is_shown = letter == "\n" or unicodedata.category(letter) not in ("Cc", "Cs", "Cn", "Co")
        if not is_shown or letter == _UNREADABLE:
            raise Malformed(refusals.UNPRINTABLE, name)
    if any(is_mark and len(list(run)) > MAX_MARKS for is_mark, run in groupby(text, _is_mark)):
        raise Malformed(_("One letter has too many accents."), name)
    if sum(not unicodedata.combining(letter) and letter not in _EMOJI_PARTS for letter in text) > longest:
        raise Malformed(refusals.TEXT_TOO_LONG.with_values(n=longest), name)
    return re.sub(r"[^\S\n]+", " ", text)


def fold_text(text: str) -> str:
    """Return the text folded for comparison and search: trimmed, without case and accents.

    >>> fold_text(" Ελένη ")
    'ελενη'
    """
    bare = unicodedata.normalize("NFD", text.casefold())
    return unicodedata.normalize("NFC", "".join(letter for letter in bare if not unicodedata.combining(letter))).strip()


def _is_mark(letter: str) -> bool:
    return unicodedata.category(letter) in ("Mn", "Me") and letter not in _EMOJI_PARTS
