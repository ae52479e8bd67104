"""Yahtzee, only counted."""

from dataclasses import dataclass

from companion.core.game import About, Pad
from companion.core.game_builder import build_game
from companion.core.schema import field
from companion.core.text import Text


@dataclass(frozen=True)
class Count:
    seat: int
    upper: int = field(Text("upper section"))
    lower: int = field(Text("lower section"))


GAME = build_game(
    about=About("yahtzee", Text("Yahtzee"), Text("Five dice."), 1, range(1, 11)), pad=Pad({"count": Count})
)
