"""What is printed on goal cards, and is therefore drawn once and offered again whenever the goal comes back."""

from __future__ import annotations

from companion.core.fields import encode
from companion.core.game import Kept
from companion.core.text import _
from companion.games.sideboards.entries import Options
from companion.games.sideboards.goals import GIVEN, TWO_LINES


def keeps(options: Options) -> tuple[Kept, ...]:
    """The patterns with their points, and what the row goal names; without words what is kept is filled in."""
    words = encode(options)
    colour = _words(words, "colour_pattern", "colour_points") if options.colour_pattern else {}
    handle = _words(words, "handle_pattern", "handle_points") if options.handle_pattern else {}
    found = [
        Kept(f"colour-{options.colour_goal}", _("Goal {n}", n=options.colour_goal), colour),
        Kept(f"handle-{options.handle_goal}", _("Goal {n}", n=options.handle_goal), handle),
    ]
    if options.row_goal in (*GIVEN, *TWO_LINES):
        name = "row_of" if options.row_goal in GIVEN else "lines"
        found.append(Kept(f"row-{options.row_goal}", _("Goal {n}", n=options.row_goal), _words(words, name)))
    return tuple(found)


def _words(words: dict[str, str], *names: str) -> dict[str, str]:
    return {name: words[name] for name in names if name in words}
