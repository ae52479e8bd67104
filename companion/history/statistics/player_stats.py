"""Statistics of one player: totals, results by game, head-to-head records and streaks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from statistics import median

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


@dataclass(frozen=True)
class PlayedMatch:
    """A finished match from one player's point of view."""

    table: int
    game: str
    called: str
    began_at: datetime
    total: int
    is_high_good: bool
    rank: int
    sides: int
    is_won: bool
    is_shared: bool


@dataclass(frozen=True)
class PlayerGameStats:
    """A player's results in one game."""

    game: Game | None
    called: Text
    matches: int
    decided: int
    """Matches that could be won."""
    wins: int
    shared_wins: int
    """Wins in which another side came first as well."""
    best: int
    median_total: int | None
    """None below MIN_MATCHES_FOR_MEDIAN."""
    slug: str

    @property
    def is_cooperative(self) -> bool:
        return self.game is not None and self.game.scoring.is_won_together is not None


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
    by_game: tuple[PlayerGameStats, ...]
    against: tuple[HeadToHead, ...]
    together: tuple[HeadToHead, ...]
    streak: Streak
    first: datetime | None
    last: datetime | None

    @property
    def has_averages(self) -> bool:
        return self.matches >= MIN_MATCHES_FOR_MEDIAN


def list_matches(player: Player) -> list[PlayedMatch]:
    """Return the player's finished matches, oldest first."""
    columns = ("table", "game", "called", "began_at", "total", "is_high_good", "rank", "sides", "is_won", "is_shared")
    rows = SeatResult.objects.filter(player=player).order_by("began_at", "table").values_list(*columns)
    return [PlayedMatch(*row) for row in rows.iterator(chunk_size=5_000)]


def build_player_stats(player: Player, matches: Sequence[PlayedMatch]) -> PlayerStats:
    """Return the statistics of a player with these matches, given oldest first."""
    decided = [match for match in matches if can_be_won(match)]
    against, together = build_head_to_head(player)
    return PlayerStats(
        matches=len(matches),
        wins=sum(match.is_won for match in matches),
        shared_wins=sum(match.is_shared for match in matches),
        decided=len(decided),
        by_game=build_game_stats(matches),
        against=against,
        together=together,
        streak=compute_streak(decided),
        first=matches[0].began_at if matches else None,
        last=matches[-1].began_at if matches else None,
    )


def can_be_won(match: PlayedMatch) -> bool:
    """Return whether the match ranked its sides, or was played together against the game."""
    return match.rank > 0 or match.game in list_cooperative_slugs()


@cache
def list_cooperative_slugs() -> frozenset[str]:
    """Return the slugs of the games in which the whole table wins or loses."""
    return frozenset(game.slug for game in get_games().values() if game.scoring.is_won_together)


def build_game_stats(matches: Iterable[PlayedMatch]) -> tuple[PlayerGameStats, ...]:
    """Return the results by game, most played first."""
    by_game: dict[tuple[str, str], list[PlayedMatch]] = defaultdict(list)
    for match in matches:
        by_game[match.game, match.called].append(match)
    stats = (_build_stats_of_game(slug, called, played) for (slug, called), played in by_game.items())
    return tuple(sorted(stats, key=lambda row: (-row.matches, str(row.called))))


def _build_stats_of_game(slug: str, called: str, matches: Sequence[PlayedMatch]) -> PlayerGameStats:
    totals = [match.total for match in matches]
    is_high_good = matches[-1].is_high_good
    return PlayerGameStats(
        game=get_games().get(slug),
        called=get_game_title(slug, called),
        matches=len(matches),
        decided=sum(map(can_be_won, matches)),
        wins=sum(match.is_won for match in matches),
        shared_wins=sum(match.is_shared for match in matches),
        best=max(totals) if is_high_good else min(totals),
        median_total=round(median(totals)) if len(totals) >= MIN_MATCHES_FOR_MEDIAN else None,
        slug=slug,
    )


def compute_streak(matches: Iterable[PlayedMatch]) -> Streak:
    """Return the winning streaks in matches that could be won, given oldest first. Shared wins count."""
    longest = current = 0
    for match in matches:
        current = current + 1 if match.is_won else 0
        longest = max(longest, current)
    return Streak(longest, current)


def build_head_to_head(player: Player) -> tuple[tuple[HeadToHead, ...], tuple[HeadToHead, ...]]:
    """Return the records against other players and on the same side as them, each with the most matches first."""
    with connection.cursor() as cursor:
        cursor.execute(HEAD_TO_HEAD_SQL, [player.pk, player.pk])
        rows = cursor.fetchall()
    against = [row for is_mate, *row in rows if not is_mate][:OPPONENTS_SHOWN]
    together = [row for is_mate, *row in rows if is_mate][:OPPONENTS_SHOWN]
    players = Player.objects.in_bulk({player for player, *_counts in (*against, *together)})
    return (
        tuple(HeadToHead(players[player], *counts) for player, *counts in against),
        tuple(HeadToHead(players[player], *counts) for player, *counts in together),
    )
