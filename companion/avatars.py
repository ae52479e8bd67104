"""Colours and signs of players."""

from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from companion.core.text import Text, _

COLOURS = (_("red"), _("blue"), _("green"), _("orange"), _("purple"), _("turquoise"), _("pink"), _("olive"))
"""Colour names by index (`--look0` to `--look7` in the stylesheet), given out in this order: neighbours differ most."""
DRAWINGS = Path(__file__).parent.parent / "static" / "icons" / "signs.svg"
GRID = 24
"""Width and height of a sign in path units."""


@dataclass(frozen=True)
class Sign:
    """A filled shape; `path` is SVG path data on a 24 by 24 grid, with fill rule "evenodd"."""

    name: str
    label: Text
    path: str


_LABELS = (
    _("star"),
    _("moon"),
    _("sun"),
    _("leaf"),
    _("drop"),
    _("heart"),
    _("key"),
    _("bell"),
    _("boat"),
    _("fish"),
    _("flower"),
    _("mountain"),
    _("bolt"),
    _("kite"),
    _("house"),
    _("tree"),
)
_PATHS = {shape.get("id"): shape.get("d", "") for shape in ElementTree.parse(DRAWINGS).iter()}
SIGNS = tuple(Sign(label.message, label, _PATHS[label.message]) for label in _LABELS)
_SIGNS_BY_NAME = {sign.name: sign for sign in SIGNS}


def get_sign(name: str) -> Sign | None:
    """Return the sign with that name, or None: the name may come from another version."""
    return _SIGNS_BY_NAME.get(name)
