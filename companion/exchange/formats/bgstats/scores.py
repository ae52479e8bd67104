"""How a play of BG Stats was scored: order, sides and points. What it becomes is in plays.py."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

NO_POINTS, COOPERATIVE, UNDECIDED = 2, 4, 8
"""The bits of `scoringSetting`, where it is not 0."""
MAX_TEAMS = 6
MAX_SUM_LENGTH, MAX_SHOWN_LENGTH = 60, 40
_NUMBER = r"[0-9]{1,9}(?:\.[0-9]{1,6})?"
_SUM = re.compile(rf"[+-]?{_NUMBER}(?:(?:\+-|[+-]){_NUMBER})*", re.ASCII)
_TERM = re.compile(rf"\+?-?{_NUMBER}", re.ASCII)


@dataclass(frozen=True)
class BgStatsGame:
    """A game as the file has it."""

    name: str
    highest_wins: bool
    has_no_points: bool
    is_cooperative: bool


@dataclass(frozen=True)
class PlayerScore:
    """A player of a play; `said` is a score that is not kept as it stands."""

    player: str | None
    points: int | None
    said: str
    is_winner: bool
    team: str
    order: int


@dataclass(frozen=True)
class PlayScoring:
    """How a play is scored: sides of seats, and the points of each, None where the file does not say."""

    wins: str
    sides: tuple[tuple[int, ...], ...]
    points: tuple[int | None, ...]
    teams: int = 0
    drops_points: bool = False
    """Whether winning is a point, for the file has not the points of everybody."""

    @property
    def counted(self) -> list[tuple[int, int]]:
        """The first seat and the points of each side of which the file says them."""
        return [(side[0], own) for side, own in zip(self.sides, self.points, strict=True) if own is not None]


def parse_score(score: Mapping[str, Any], player: str | None) -> PlayerScore:
    word = score["score"].strip()
    exact = _parse_sum(word)
    points = None if exact is None else int(exact.quantize(Decimal(1), ROUND_HALF_UP))  # half away from zero
    said = word[:MAX_SHOWN_LENGTH] if exact is None or exact != points else ""
    return PlayerScore(player, points, said, score["winner"], score["team"].strip(), score["seatOrder"])


def _parse_sum(word: str) -> Decimal | None:
    """What numbers, added and subtracted, come to; None for anything else."""
    plain = word.replace(" ", "").replace("−", "-")
    if len(plain) > MAX_SUM_LENGTH or not _SUM.fullmatch(plain):
        return None
    return sum((Decimal(term.replace("+-", "-")) for term in _TERM.findall(plain)), Decimal(0))


def order_seats(rows: list[PlayerScore], uses_teams: bool) -> tuple[list[PlayerScore], int]:
    """Clockwise as far as the file says so, partners alternating; and how many teams of one size there are."""
    if len({row.order for row in rows if row.order > 0}) == len(rows):
        rows = sorted(rows, key=lambda row: row.order)
    names = list(dict.fromkeys(row.team for row in rows))
    size, rest = divmod(len(rows), len(names))
    teams = [[row for row in rows if row.team == name] for name in names]
    if not uses_teams or "" in names or rest or size < 2 or not 2 <= len(names) <= MAX_TEAMS:
        return rows, 0
    if any(len(team) != size for team in teams):
        return rows, 0
    return [row for together in zip(*teams, strict=True) for row in together], len(names)


def score_play(rows: Sequence[PlayerScore], teams: int, kind: BgStatsGame, setting: int) -> PlayScoring:
    is_cooperative = bool(setting & COOPERATIVE) if setting else kind.is_cooperative
    has_no_points = bool(setting & NO_POINTS) if setting else kind.has_no_points
    seats = range(len(rows))
    count = 1 if is_cooperative else teams or len(rows)
    sides = tuple(tuple(seats[first::count]) for first in range(count))
    is_decided = any(row.is_winner for row in rows) or (is_cooperative and not setting & UNDECIDED)
    points = tuple(_combine_points([rows[seat].points for seat in side]) for side in sides)
    is_known = any(row.points is not None for row in rows)
    by_winners = has_no_points or not is_known or (None in points and is_decided)
    if by_winners:
        won = [any(rows[seat].is_winner for seat in side) for side in sides]
        points = tuple(int(one) if is_decided else None for one in won)
    wins = "highest" if by_winners or kind.highest_wins else "lowest"
    return PlayScoring(
        wins="shared" if is_cooperative else wins,
        sides=sides,
        points=points,
        teams=0 if is_cooperative else teams,
        drops_points=by_winners and is_known and not has_no_points,
    )


def _combine_points(scores: Sequence[int | None]) -> int | None:
    """The points of a side: those that each of it was given, or the sum of what they made."""
    known = [score for score in scores if score is not None]
    if not known:
        return None
    return known[0] if len(set(known)) == 1 else sum(known)


def find_winners(sheet: PlayScoring) -> tuple[int, ...]:
    """The seats that win by the sheet; none while it is not whole."""
    known = [number for number in sheet.points if number is not None]
    if len(known) < len(sheet.points):
        return ()
    best = max(known) if sheet.wins == "highest" else min(known)
    return tuple(sorted(seat for side, n in zip(sheet.sides, known, strict=True) if n == best for seat in side))
