"""Codes that are said aloud across a table: their symbols, how they are spelt, and how they are heard."""

from __future__ import annotations

import secrets

from companion.core.text import Text, pgettext

CODE_LENGTH = 6
SPELLING: dict[str, Text] = {
    **{digit: Text(digit) for digit in "0123456789"},
    "A": pgettext("spelling", "Alfa"),
    "C": pgettext("spelling", "Charlie"),
    "D": pgettext("spelling", "Delta"),
    "E": pgettext("spelling", "Echo"),
    "F": pgettext("spelling", "Foxtrot"),
    "G": pgettext("spelling", "Golf"),
    "H": pgettext("spelling", "Hotel"),
    "J": pgettext("spelling", "Juliett"),
    "K": pgettext("spelling", "Kilo"),
    "M": pgettext("spelling", "Mike"),
    "N": pgettext("spelling", "November"),
    "P": pgettext("spelling", "Papa"),
    "Q": pgettext("spelling", "Quebec"),
    "T": pgettext("spelling", "Tango"),
    "V": pgettext("spelling", "Victor"),
    "W": pgettext("spelling", "Whiskey"),
    "X": pgettext("spelling", "X-ray"),
    "Y": pgettext("spelling", "Yankee"),
}
"""The 28 symbols, and the word that each is called by over a bad line, the same in both languages.

Of those that look alike there is one: 0 and no O, 1 and no I or L, 2 and no Z, 5 and no S, 8 and no B, V and no U; and
no R, for the letter that looks like P is read so in Greek.
"""
_LOOKALIKES = str.maketrans(
    {"O": "0", "I": "1", "L": "1", "Z": "2", "S": "5", "B": "8", "U": "V", "R": "P"}
    | dict(zip("ΑΕΗΚΜΝΡΠΤΥΧ", "AEHKMNPPTYX", strict=True))
    | dict(zip("ΒΖΙΟΔΦΓ", "8210DFG", strict=True))
)
"""Look-alikes, and what a Greek keyboard writes."""


def generate_code() -> str:
    return "".join(secrets.choice(list(SPELLING)) for _place in range(CODE_LENGTH))


def parse_code(typed: str) -> str:
    """The code that somebody means; empty where it can be none."""
    kept = "".join(letter for letter in typed[:40].upper() if letter.isalnum()).translate(_LOOKALIKES)
    return kept if len(kept) == CODE_LENGTH and set(kept) <= set(SPELLING) else ""


def spell_code(code: str) -> tuple[Text, ...]:
    """The code word by word, to be read aloud."""
    return tuple(SPELLING[symbol] for symbol in code)
