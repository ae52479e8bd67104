"""Names and notes, cleaned as all that people type; who may use a name is decided elsewhere."""

from __future__ import annotations

import re
import unicodedata

from django.utils.translation import gettext

from companion import limits
from companion.core.errors import Malformed
from companion.core.sanitize import clean_text
from companion.core.text import _


def clean_name(text: str) -> str:
    """A player's name, trimmed and in canonical form. Raises Malformed."""
    name = clean_text(re.sub(r"[\t\n]", " ", text), longest=limits.MAX_NAME_LENGTH)
    if not any(unicodedata.category(letter)[0] in "LNSP" for letter in name):
        raise Malformed(_("A name needs at least one letter."), "name")
    return name


def clean_place(text: str) -> str:
    """A place as people call it, or nothing. Raises Malformed."""
    return clean_text(re.sub(r"[\t\n]", " ", text), longest=limits.MAX_NAME_LENGTH, name="place")


def display_name(name: str | None) -> str:
    """A name, or what stands for one that has been erased, in the active language."""
    return name or gettext("a player")


def clean_note(text: str) -> str:
    """A note of one or more lines, or nothing. Raises Malformed."""
    return clean_text(text.replace("\r\n", "\n"), longest=limits.MAX_NOTE_LENGTH)
