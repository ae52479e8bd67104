"""Six-symbol join codes: generation, spelling alphabet and lenient parsing."""

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
"""The 28 symbols with their spelling words, the same in both languages.

No two look alike: 0 but not O, 1 but not I or L, 2 but not Z, 5 but not S, 8 but not B, V but not U. R is missing
because the Greek letter that looks like P is read as R.
"""
_LOOKALIKES = str.maketrans(
    {"O": "0", "I": "1", "L": "1", "Z": "2", "S": "5", "B": "8", "U": "V", "R": "P"}
    | dict(zip("ΑΕΗΚΜΝΡΠΤΥΧ", "AEHKMNPPTYX", strict=True))
    | dict(zip("ΒΖΙΟΔΦΓ", "8210DFG", strict=True))
)
"""Look-alikes and letters of the Greek keyboard, by the symbol that is meant."""


def generate_code() -> str:
    return "".join(secrets.choice(list(SPELLING)) for _symbol in range(CODE_LENGTH))


def parse_code(typed: str) -> str:
    """Return the code that was typed, whatever its case, spaces and look-alikes; empty if it is not a code."""
    code = "".join(letter for letter in typed[:40].upper() if letter.isalnum()).translate(_LOOKALIKES)
    return code if len(code) == CODE_LENGTH and set(code) <= set(SPELLING) else ""


def spell_code(code: str) -> tuple[Text, ...]:
    """Return the spelling words of the code."""
    return tuple(SPELLING[symbol] for symbol in code)
