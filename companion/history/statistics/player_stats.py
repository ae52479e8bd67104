"""Statistics of one player: totals, results by game, head-to-head records and streaks."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from itertools import starmap
from statistics import median
from typing import NamedTuple

from django.db import connection

from companion.core.game import Game
from companion.core.text import Text
from companion.games import get_games
from companion.history.game_titles import get_game_title
from companion.history.models import SeatResult
from companion.people.models import Player

MIN_MATCHES_FOR_MEDIAN = 4
MIN_MATCHES_FOR_CHART = 4
OPPONENTS_SHOWN = 12
RANKS_SHOWN = 60
"""Most recent matches on the rank chart."""


HEAD_TO_HEAD_SQL = """
SELECT other.side = own.side, other.player_id, COUNT(*), COUNT(*) FILTER (WHERE other.rank > own.rank),
    COUNT(*) FILTER (WHERE other.rank = own.rank AND own.rank > 0), COUNT(*) FILTER (WHERE other.rank < own.rank),
    COUNT(*) FILTER (WHERE other.is_won)
FROM history_outcome own JOIN history_outcome other ON other.table_id = own.table_id
WHERE own.player_id = %s AND other.player_id <> %s
GROUP BY 1, 2 ORDER BY 3 DESC, 2
"""
"""One row per other player and side, as in `HeadToHead`; takes the player's id twice.

The ORM would also join the table between the two results, which takes three times as long.
"""


class PlayedMatch(NamedTuple):
    """A finished match from one player's point of view."""

    game: str
    called: str
    began_at: datetime
    total: int
    is_high_good: bool
    rank: int
    is_won: bool
    is_shared: bool

    @property
    def can_be_won(self) -> bool:
        """Whether it ranked its sides, or was played together against the game."""
        return self.rank > 0 or self.game in list_cooperative_slugs()


@dataclass(frozen=True)
class PlayerGameStats:
    """A player's results in one game."""

    slug: str
    called: Text
    matches: int
    can_be_won: bool
    wins: int
    shared_wins: int
    """Wins in which another side came first as well."""
    best: int
    median_total: int | None
    """None below MIN_MATCHES_FOR_MEDIAN."""

    @property
    def game(self) -> Game | None:
        return get_games().get(self.slug)

    @property
    def is_cooperative(self) -> bool:
        return self.slug in list_cooperative_slugs()


@dataclass(frozen=True)
class HeadToHead:
    """A player's record against another player, or with them on the same side."""

    player: Player
    matches: int
    ahead: int
    tied: int
    behind: int
    wins: int
    """Wins of the other player."""

    @property
    def is_ranked(self) -> bool:
        return self.ahead + self.tied + self.behind > 0


@dataclass(frozen=True)
class Streak:
    """Consecutive wins: the longest run, and the one still going."""

    longest: int
    current: int


@dataclass(frozen=True)
class PlayerStats:
    """All numbers on a player's page."""

    matches: int
    wins: int
    shared_wins: int
    decided: int
    """Matches that could be won."""
    by_game: Sequence[PlayerGameStats]
    against: Sequence[HeadToHead]
    together: Sequence[HeadToHead]
    streak: Streak
    first: datetime | None
    last: datetime | None

    @property
    def has_averages(self) -> bool:
        return self.matches >= MIN_MATCHES_FOR_MEDIAN


def list_matches(player: Player) -> list[PlayedMatch]:
    """Return the player's finished matches, oldest first."""
    rows = SeatResult.objects.filter(player=player).order_by("began_at", "table").values_list(*PlayedMatch._fields)
    return list(starmap(PlayedMatch, rows.iterator(chunk_size=5_000)))


def build_player_stats(player: Player, matches: Sequence[PlayedMatch]) -> PlayerStats:
    """Return the statistics of a player with these matches, given oldest first."""
    against, together = build_head_to_head(player)
    by_game: dict[tuple[str, str], list[PlayedMatch]] = defaultdict(list)
    for match in matches:
        by_game[match.game, match.called].append(match)
    return PlayerStats(
        matches=len(matches),
        wins=sum(match.is_won for match in matches),
        shared_wins=sum(match.is_shared for match in matches),
        decided=sum(match.can_be_won for match in matches),
        by_game=sorted(map(_build_stats_of_game, by_game.values()), key=lambda row: (-row.matches, str(row.called))),
        against=against,
        together=together,
        streak=compute_streak(matches),
        first=matches[0].began_at if matches else None,
        last=matches[-1].began_at if matches else None,
    )


@cache
def list_cooperative_slugs() -> frozenset[str]:
    """Return the slugs of the games in which the whole table wins or loses."""
    return frozenset(game.slug for game in get_games().values() if game.scoring.is_won_together)


def _build_stats_of_game(matches: Sequence[PlayedMatch]) -> PlayerGameStats:
    totals, last = [match.total for match in matches], matches[-1]
    return PlayerGameStats(
        slug=last.game,
        called=get_game_title(last.game, last.called),
        matches=len(matches),
        can_be_won=any(match.can_be_won for match in matches),
        wins=sum(match.is_won for match in matches),
        shared_wins=sum(match.is_shared for match in matches),
        best=max(totals) if last.is_high_good else min(totals),
        median_total=round(median(totals)) if len(totals) >= MIN_MATCHES_FOR_MEDIAN else None,
    )


def compute_streak(matches: Iterable[PlayedMatch]) -> Streak:
    """Return the winning streaks in matches given oldest first. Shared wins count; what nobody can win is left out."""
    longest = current = 0
    for match in matches:
        if match.can_be_won:
            current = current + 1 if match.is_won else 0
            longest = max(longest, current)
    return Streak(longest, current)


def build_head_to_head(player: Player) -> tuple[list[HeadToHead], list[HeadToHead]]:
    """Return the records against other players and on the same side as them, each with the most matches first."""
    with connection.cursor() as cursor:
        cursor.execute(HEAD_TO_HEAD_SQL, [player.pk, player.pk])
        rows = cursor.fetchall()
    against = [row for is_mate, *row in rows if not is_mate][:OPPONENTS_SHOWN]
    together = [row for is_mate, *row in rows if is_mate][:OPPONENTS_SHOWN]
    players = Player.objects.in_bulk({player for player, *_counts in (*against, *together)})
    return (
        [HeadToHead(players[player], *counts) for player, *counts in against],
        [HeadToHead(players[player], *counts) for player, *counts in together],
    )
