"""State and board of Any Game, which has nothing to show."""

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
