"""A round of a game that the app knows nothing of: who plays it, and nothing to show on a board."""

from __future__ import annotations

from dataclasses import dataclass

from companion.games.any_game.counts import Options


@dataclass(frozen=True)
class State:
    options: Options
    seats: int


@dataclass(frozen=True)
class Board:
    turn: int | None = None
