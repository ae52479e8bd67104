"""What is said of words that are no entry at all; what breaks a rule is a violation, and another matter."""

from __future__ import annotations

from companion.core.text import Text


class Malformed(ValueError):
    """Words that are no entry at all: an unknown kind or field, a missing one, or a value of the wrong shape."""

    def __init__(self, text: Text, field: str = "") -> None:
        super().__init__(str(text))
        self.text = text
        self.field = field


class Incomplete(Malformed):
    """Words that say nothing wrong, but not enough."""


def display_word(word: str) -> str:
    """A stranger's word, short and printable enough to stand in an error message."""
    clean = "".join(letter if letter.isprintable() else "·" for letter in word[:24])
    return clean + ("…" if len(word) > 24 else "")
