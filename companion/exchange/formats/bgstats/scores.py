"""Seat order, sides and points of BG Stats plays."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

NO_POINTS, COOPERATIVE, UNDECIDED = 2, 4, 8
"""Bits of `scoringSetting`; if it is 0, the settings of the game apply."""
MAX_TEAMS = 6
MAX_SUM_LENGTH, MAX_SHOWN_LENGTH = 60, 40
_NUMBER = r"[0-9]{1,9}(?:\.[0-9]{1,6})?"
_SUM = re.compile(rf"[+-]?{_NUMBER}(?:(?:\+-|[+-]){_NUMBER})*", re.ASCII)
_TERM = re.compile(rf"\+?-?{_NUMBER}", re.ASCII)


@dataclass(frozen=True)
class BgStatsGame:
    """A game in the file."""

    name: str
    highest_wins: bool
    has_no_points: bool
    is_cooperative: bool


@dataclass(frozen=True)
class PlayerScore:
    """Score of a player; `lost_score` is its text if `points` does not represent it exactly."""

    player: str | None
    points: int | None
    lost_score: str
    is_winner: bool
    team: str
    order: int


@dataclass(frozen=True)
class PlayScoring:
    """Sides of a play and the points of each; None if the file does not say."""

    wins: str
    sides: tuple[tuple[int, ...], ...]
    points: tuple[int | None, ...]
    teams: int = 0
    replaces_points: bool = False
    """Whether the points are replaced by one for each winner, as some are missing."""

    @property
    def scored_sides(self) -> list[tuple[int, int]]:
        """First seat and points of each side that has points."""
        return [(side[0], own) for side, own in zip(self.sides, self.points, strict=True) if own is not None]


def parse_score(score: Mapping[str, Any], player: str | None) -> PlayerScore:
    text = score["score"].strip()
    exact = _parse_sum(text)
    points = None if exact is None else int(exact.quantize(Decimal(1), ROUND_HALF_UP))  # half away from zero
    lost_score = text[:MAX_SHOWN_LENGTH] if exact is None or exact != points else ""
    return PlayerScore(player, points, lost_score, score["winner"], score["team"].strip(), score["seatOrder"])


def _parse_sum(text: str) -> Decimal | None:
    """Evaluate a sum such as `3+4-1`; None for anything else."""
    terms = text.replace(" ", "").replace("−", "-")
    if len(terms) > MAX_SUM_LENGTH or not _SUM.fullmatch(terms):
        return None
    return sum((Decimal(term.replace("+-", "-")) for term in _TERM.findall(terms)), Decimal(0))


def order_seats(scores: list[PlayerScore], uses_teams: bool) -> tuple[list[PlayerScore], int]:
    """Return the scores in seat order, team-mates alternating, and the number of equally large teams (0 if none)."""
    if len({score.order for score in scores if score.order > 0}) == len(scores):
        scores = sorted(scores, key=lambda score: score.order)
    names = list(dict.fromkeys(score.team for score in scores))
    size, remainder = divmod(len(scores), len(names))
    teams = [[score for score in scores if score.team == name] for name in names]
    if not uses_teams or "" in names or remainder or size < 2 or not 2 <= len(names) <= MAX_TEAMS:
        return scores, 0
    if any(len(team) != size for team in teams):
        return scores, 0
    return [score for group in zip(*teams, strict=True) for score in group], len(names)


def score_play(scores: Sequence[PlayerScore], teams: int, game: BgStatsGame, setting: int) -> PlayScoring:
    is_cooperative = bool(setting & COOPERATIVE) if setting else game.is_cooperative
    has_no_points = bool(setting & NO_POINTS) if setting else game.has_no_points
    seats = range(len(scores))
    count = 1 if is_cooperative else teams or len(scores)
    sides = tuple(tuple(seats[first::count]) for first in range(count))
    is_decided = any(score.is_winner for score in scores) or (is_cooperative and not setting & UNDECIDED)
    points = tuple(_combine_points([scores[seat].points for seat in side]) for side in sides)
    has_points = any(score.points is not None for score in scores)
    replaces_points = has_no_points or not has_points or (None in points and is_decided)
    if replaces_points:
        side_won = [any(scores[seat].is_winner for seat in side) for side in sides]
        points = tuple(int(one) if is_decided else None for one in side_won)
    wins = "highest" if replaces_points or game.highest_wins else "lowest"
    return PlayScoring(
        wins="shared" if is_cooperative else wins,
        sides=sides,
        points=points,
        teams=0 if is_cooperative else teams,
        replaces_points=replaces_points and has_points and not has_no_points,
    )


def _combine_points(scores: Sequence[int | None]) -> int | None:
    """Return the points of a side: those that all its players have, or else their sum."""
    points = [score for score in scores if score is not None]
    if not points:
        return None
    return points[0] if len(set(points)) == 1 else sum(points)


def find_winners(scoring: PlayScoring) -> tuple[int, ...]:
    """Return the winning seats; none if points are missing."""
    points = [number for number in scoring.points if number is not None]
    if len(points) < len(scoring.points):
        return ()
    best = max(points) if scoring.wins == "highest" else min(points)
    return tuple(sorted(seat for side, n in zip(scoring.sides, points, strict=True) if n == best for seat in side))
