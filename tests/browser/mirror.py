"""A round simulated alongside the browser, for legal plays and the expected state."""

from __future__ import annotations

from random import Random
from typing import Any

from companion.core.game import Game
from companion.core.match import Match
from companion.core.protocols import Play
from companion.core.text import Text


class Mirror:
    """A round kept by the core; the same seed chooses the same plays."""

    def __init__(self, game: Game, seats: int, seed: int = 7, **options: Any) -> None:
        self.match = Match(game, game.options.cls(**options), seats)
        self.game = game
        self.random = Random(seed)
        self.state = game.referee.setup(self.match.options, seats, 0)

    def play(self, kind: str, **fields: Any) -> None:
        self.state = self.game.referee.apply(self.state, self.game.plays[kind](**fields))

    def get_refusal(self, kind: str, **fields: Any) -> Text:
        """Return the message of the first violation of an illegal play."""
        return next(self.game.referee.judge(self.state, self.game.plays[kind](**fields))).message

    @property
    def is_over(self) -> bool:
        return self.state.is_over

    def choose_play(self, *, prefer: tuple[str, ...] = ()) -> Play:
        """Return a legal play, of a preferred kind if possible."""
        plays = list(self.game.referee.iter_legal_plays(self.state))
        preferred = [play for play in plays if self.game.get_kind(play) in prefer]
        return self.random.choice(preferred or plays)

    def apply(self, play: Play) -> None:
        self.state = self.game.referee.apply(self.state, play)

    @property
    def points(self) -> tuple[int, ...]:
        return self.game.scoring.score(self.match.options, self.game.referee.tally(self.state)).points
