"""A card as boards show it."""

from typing import NamedTuple

from companion.core.text import Text


class CardView(NamedTuple):
    """A card of a grid: `word` is posted, `face` shown, `notes` are read out as well.

    A named tuple, because a page draws about a hundred of them; games keep those that they have built.
    """

    word: str
    face: Text | str
    is_legal: bool = False
    tags: tuple[str, ...] = ()
    """What a page can tell cards apart by, such as `laid`."""
    notes: tuple[Text, ...] = ()
    details: tuple[tuple[str, str], ...] = ()
    """Names and values that the scripts of a page need."""
