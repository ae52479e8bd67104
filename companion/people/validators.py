"""Validation of names, places and notes."""

import re
import unicodedata

from django.utils.translation import gettext

from companion import limits
from companion.core.errors import Malformed
from companion.core.sanitize import clean_text
from companion.core.text import _


def clean_name(text: str) -> str:
    """Return a player's name, trimmed and normalized. Raises Malformed."""
    name = clean_text(re.sub(r"[\t\n]", " ", text), longest=limits.MAX_NAME_LENGTH)
    if not any(unicodedata.category(letter)[0] in "LNSP" for letter in name):
        raise Malformed(_("A name needs at least one letter."), "name")
    return name


def clean_place(text: str) -> str:
    """Return a place's name, trimmed and normalized; may be empty. Raises Malformed."""
    return clean_text(re.sub(r"[\t\n]", " ", text), longest=limits.MAX_NAME_LENGTH, name="place")


def display_name(name: str | None) -> str:
    """Return the name, or a translated placeholder for an erased player."""
    return name or gettext("a player")


def clean_note(text: str) -> str:
    """Return a note, trimmed and normalized; may be empty or multi-line. Raises Malformed."""
    return clean_text(text.replace("\r\n", "\n"), longest=limits.MAX_NOTE_LENGTH)
