"""Colours and signs of players."""

from __future__ import annotations

from dataclasses import dataclass

from companion.core.text import Text, _

COLOURS: tuple[Text, ...] = (
    _("red"),
    _("blue"),
    _("green"),
    _("orange"),
    _("purple"),
    _("turquoise"),
    _("pink"),
    _("olive"),
)
"""Colour names by index (`--look0` to `--look7` in the stylesheet), given out in this order: neighbours differ most."""

GRID = 24
"""Width and height of a sign in path units."""


@dataclass(frozen=True)
class Sign:
    """A filled shape; `path` is SVG path data on a 24 by 24 grid, with fill rule "evenodd"."""

    name: str
    label: Text
    path: str


SIGNS: tuple[Sign, ...] = (
    Sign("star", _("star"), "M12 1.5L15.1 8.6L22.8 9.4L17 14.6L18.6 22.1L12 18.2L5.4 22.1L7 14.6L1.2 9.4L8.9 8.6Z"),
    Sign("moon", _("moon"), "M14.5 2A10.2 10.2 0 1 0 22 15.6A8.6 8.6 0 0 1 14.5 2Z"),
    Sign(
        "sun",
        _("sun"),
        "M17 12A5 5 0 0 1 7 12A5 5 0 0 1 17 12ZM12 1L13.8 5.2H10.2ZM12 23L10.2 18.8H13.8ZM1 12L5.2 10.2V13.8Z"
        "M23 12L18.8 13.8V10.2ZM4.2 4.2L8.5 5.9L5.9 8.5ZM19.8 4.2L18.1 8.5L15.5 5.9ZM19.8 19.8L15.5 18.1L18.1 15.5Z"
        "M4.2 19.8L5.9 15.5L8.5 18.1Z",
    ),
    Sign(
        "leaf",
        _("leaf"),
        "M21.5 2.5C9.5 2 2.8 7 3.6 14.6L14.4 8.4L15.2 9.8L4.4 16L2.2 20.4L4 21.8L6.2 18.4"
        "C15.6 20.6 22.4 14.5 21.5 2.5Z",
    ),
    Sign("drop", _("drop"), "M12 1.5C15.6 7.2 19.5 10.9 19.5 15.2A7.5 7.5 0 0 1 4.5 15.2C4.5 10.9 8.4 7.2 12 1.5Z"),
    Sign(
        "heart",
        _("heart"),
        "M12 21.5C4.6 15.8 1.5 12.2 1.5 8.2A5.4 5.4 0 0 1 12 5.8A5.4 5.4 0 0 1 22.5 8.2C22.5 12.2 19.4 15.8 12 21.5Z",
    ),
    Sign(
        "key",
        _("key"),
        "M10.6 12.8A5.8 5.8 0 1 1 13.4 12.8V14.6H17V17.2H13.4V19H17V22.5H10.6ZM14.4 7.2A2.4 2.4 0 0 0 9.6 7.2"
        "A2.4 2.4 0 0 0 14.4 7.2Z",
    ),
    Sign(
        "bell",
        _("bell"),
        "M10.4 4.2A1.7 1.7 0 1 1 13.6 4.2C16.9 5 18.6 7.6 18.6 11V15.2L21.2 18.6H2.8L5.4 15.2V11"
        "C5.4 7.6 7.1 5 10.4 4.2ZM9 20H15A3 3 0 0 1 9 20Z",
    ),
    Sign(
        "boat",
        _("boat"),
        "M11.2 1.8V15H2.8C6.8 11.4 9.8 7.2 11.2 1.8ZM13 5.2C14.6 9 17 12.4 20.4 15H13ZM1.5 16.8H22.5L18.8 22H5.2Z",
    ),
    Sign(
        "fish",
        _("fish"),
        "M1.2 12C4.6 6 12 4.6 17 10.2L22.6 6V18L17 13.8C12 19.4 4.6 18 1.2 12ZM8.4 10.4A1.4 1.4 0 0 0 5.6 10.4"
        "A1.4 1.4 0 0 0 8.4 10.4Z",
    ),
    Sign(
        "flower",
        _("flower"),
        "M15.6 5A3.6 3.6 0 0 1 8.4 5A3.6 3.6 0 0 1 15.6 5ZM22.3 9.8A3.6 3.6 0 0 1 15.1 9.8A3.6 3.6 0 0 1 22.3 9.8Z"
        "M19.7 17.7A3.6 3.6 0 0 1 12.5 17.7A3.6 3.6 0 0 1 19.7 17.7Z"
        "M11.5 17.7A3.6 3.6 0 0 1 4.3 17.7A3.6 3.6 0 0 1 11.5 17.7ZM8.9 9.8A3.6 3.6 0 0 1 1.7 9.8"
        "A3.6 3.6 0 0 1 8.9 9.8ZM14.4 12A2.4 2.4 0 0 1 9.6 12A2.4 2.4 0 0 1 14.4 12Z",
    ),
    Sign("mountain", _("mountain"), "M.8 20.8L8.6 5L12.9 13.2L15.8 9L23.2 20.8Z"),
    Sign("bolt", _("bolt"), "M14.8 1L4 13.8H10.6L8.8 23L20 9.2H13Z"),
    Sign(
        "kite",
        _("kite"),
        "M12.8 1V7.8H6.6ZM14.4 1L20.6 7.8H14.4ZM12.8 9.4V17L6.6 9.4ZM14.4 9.4H20.6L14.4 17ZM12.6 17.6"
        "L14.6 17.6C14.6 21 10 20.2 8.2 23L3.4 23C5 19.4 12 20.2 12.6 17.6Z",
    ),
    Sign("house", _("house"), "M12 2L23 12H19.8V21.8H14.4V15.2H9.6V21.8H4.2V12H1Z"),
    Sign("tree", _("tree"), "M12 1L17.8 8.2H15.2L20.8 16.6H13.6V22.8H10.4V16.6H3.2L8.8 8.2H6.2Z"),
)

_SIGNS_BY_NAME = {sign.name: sign for sign in SIGNS}


def get_sign(name: str) -> Sign | None:
    """Return the sign with that name, or None: the name may come from another version."""
    return _SIGNS_BY_NAME.get(name)
