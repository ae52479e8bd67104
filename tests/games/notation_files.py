"""The matches in notation, by game."""

import re
from pathlib import Path

FOLDER = Path(__file__).parent / "notation"
GOOD = {path.stem: path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.txt")) if path.stem[:4] != "bad-"}
BAD = {path.stem: path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("bad-*.txt"))}
"""Text by name. A bad file says on its first line where it fails."""


def get_matches(game):
    """Return the good files of a game: the text by name."""
    matches = {name: text for name, text in GOOD.items() if re.search(rf"^game {game.slug}$", text, re.MULTILINE)}
    assert matches, f"tests/games/notation/{game.slug}.txt is missing: a match of {game.title} in notation."
    return matches
