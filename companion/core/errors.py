"""Errors for input that cannot be read as an entry."""

from companion.core.text import Text


class Malformed(ValueError):
    """An unknown kind or field, or a value of the wrong shape. `text` is for people, `field` names the culprit.

    A well-formed entry that breaks a rule is a Violation instead.
    """

    def __init__(self, text: Text, field: str = "") -> None:
        super().__init__(str(text))
        self.text = text
        self.field = field


class Incomplete(Malformed):
    """A missing field or value; what is there is fine."""


def display_word(word: str) -> str:
    r"""Return untrusted input short and printable enough for an error message.

    >>> display_word("a\tb" + "c" * 30)
    'a·bccccccccccccccccccccc…'
    """
    printable = "".join(letter if letter.isprintable() else "·" for letter in word[:24])
    return printable + ("…" if len(word) > 24 else "")
