"""What the outcomes say of a player, computed. What a circle and a game have to tell stands in surveys.py."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from statistics import median

from django.db import connection

from companion.core.game import Game
from companion.core.text import Text
from companion.games import get_games
from companion.history.models import Outcome
from companion.people.models import Player

MIN_MATCHES_FOR_MEDIAN = 4
"""Matches of which something usual can be said: three plays are no trend."""
MIN_MATCHES_FOR_CHART = 4
OPPONENTS_SHOWN = 12
RANKS_SHOWN = 60
"""Matches that a course over time shows, the last ones."""


HEAD_TO_HEAD_SQL = """
SELECT other.player_id, other.side = own.side, COUNT(*), COUNT(*) FILTER (WHERE other.rank > 0),
    COUNT(*) FILTER (WHERE other.rank > own.rank), COUNT(*) FILTER (WHERE other.rank < own.rank),
    COUNT(*) FILTER (WHERE other.is_won)
FROM history_outcome own JOIN history_outcome other ON other.table_id = own.table_id
WHERE own.player_id = %s AND other.player_id <> %s
GROUP BY 1, 2 ORDER BY 3 DESC, 1
"""
"""Who sat with a player (twice): how often on which side, how often ranked, ahead and behind, and their wins.

The ORM would join the table between the two, and take three times as long.
"""


@dataclass(frozen=True)
class PlayedMatch:
    """A match as one player saw it end."""

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
    """What a player has done at one game. `best` and `usual` are totals, None where too little is known."""

    game: Game | None
    called: Text
    plays: int
    decided: int
    """Those in which there was something to win."""
    wins: int
    shared: int
    """Of the wins, those with somebody else in the first place."""
    best: int
    usual: int | None
    key: str
    """The game as an address has it."""

    @property
    def is_together(self) -> bool:
        """Whether the table wins or loses as one."""
        return self.game is not None and self.game.is_won_together is not None


@dataclass(frozen=True)
class HeadToHead:
    """Somebody who played against a player, or with them: how often, and who was ahead."""

    player: Player
    plays: int
    ahead: int
    level: int
    behind: int
    wins: int


@dataclass(frozen=True)
class Streak:
    """Wins in a row: the longest ever, and those that go on."""

    longest: int
    now: int


@dataclass(frozen=True)
class PlayerStats:
    """All that the page of a player prints but the pictures."""

    plays: int
    wins: int
    shared: int
    ranked: int
    """Matches in which somebody could win: against others, or together."""
    by_game: tuple[PlayerGameStats, ...]
    against: tuple[HeadToHead, ...]
    together: tuple[HeadToHead, ...]
    streak: Streak
    first: datetime | None
    last: datetime | None


def list_matches(player: Player) -> list[PlayedMatch]:
    """The matches of a player that have ended, in the order of play."""
    names = ("table", "game", "called", "began_at", "total", "is_high_good", "rank", "sides", "is_won", "is_shared")
    rows = Outcome.objects.filter(player=player).order_by("began_at", "table").values_list(*names)
    return [PlayedMatch(*row) for row in rows.iterator(chunk_size=5_000)]


def build_player_stats(player: Player, matches: Sequence[PlayedMatch]) -> PlayerStats:
    decided = [match for match in matches if can_be_won(match)]
    against, together = build_head_to_head(player)
    return PlayerStats(
        plays=len(matches),
        wins=sum(match.is_won for match in matches),
        shared=sum(match.is_shared for match in matches),
        ranked=len(decided),
        by_game=build_game_stats(matches),
        against=against,
        together=together,
        streak=compute_streak(decided),
        first=matches[0].began_at if matches else None,
        last=matches[-1].began_at if matches else None,
    )


def can_be_won(match: PlayedMatch) -> bool:
    """Whether there was something to win: against another side, or together against the game."""
    return match.rank > 0 or match.game in list_cooperative_slugs()


@cache
def list_cooperative_slugs() -> frozenset[str]:
    """The slugs of the games at which a table wins or loses as one."""
    return frozenset(game.slug for game in get_games().values() if game.is_won_together)


def build_game_stats(matches: Iterable[PlayedMatch]) -> tuple[PlayerGameStats, ...]:
    """Game by game, those played most first."""
    grouped: dict[tuple[str, str], list[PlayedMatch]] = defaultdict(list)
    for match in matches:
        grouped[match.game, match.called].append(match)
    found = (_build_stats_of_game(slug, called, own) for (slug, called), own in grouped.items())
    return tuple(sorted(found, key=lambda line: (-line.plays, str(line.called))))


def _build_stats_of_game(slug: str, called: str, matches: Sequence[PlayedMatch]) -> PlayerGameStats:
    totals = [match.total for match in matches]
    is_high_good = matches[-1].is_high_good
    game = get_games().get(slug)
    return PlayerGameStats(
        game=game,
        called=get_game_title(game, slug, called),
        plays=len(matches),
        decided=sum(map(can_be_won, matches)),
        wins=sum(match.is_won for match in matches),
        shared=sum(match.is_shared for match in matches),
        best=max(totals) if is_high_good else min(totals),
        usual=round(median(totals)) if len(totals) >= MIN_MATCHES_FOR_MEDIAN else None,
        key=slug,
    )


def get_game_title(game: Game | None, slug: str, called: str) -> Text:
    """What a game is called: its title, or what the table called it where it stands for many."""
    if called or game is None:
        return Text("{name}", (("name", called or slug),))
    return game.title


def compute_streak(matches: Iterable[PlayedMatch]) -> Streak:
    """Wins in a row among matches that could be won; a shared win is one."""
    longest = now = 0
    for match in matches:
        now = now + 1 if match.is_won else 0
        longest = max(longest, now)
    return Streak(longest, now)


def build_head_to_head(player: Player) -> tuple[tuple[HeadToHead, ...], tuple[HeadToHead, ...]]:
    """Against whom and with whom somebody played, most often first; with: on the same side."""
    with connection.cursor() as cursor:
        cursor.execute(HEAD_TO_HEAD_SQL, [player.pk, player.pk])
        rows = [HeadToHeadRow(*row) for row in cursor.fetchall()]
    against = [row for row in rows if not row.is_mate][:OPPONENTS_SHOWN]
    together = [row for row in rows if row.is_mate][:OPPONENTS_SHOWN]
    players = Player.objects.in_bulk({row.player for row in (*against, *together)})
    return tuple(row.company(players) for row in against), tuple(row.company(players) for row in together)


@dataclass(frozen=True)
class HeadToHeadRow:
    """A row of the question above."""

    player: int
    is_mate: bool
    plays: int
    ranked: int
    ahead: int
    behind: int
    wins: int

    def company(self, players: Mapping[int, Player]) -> HeadToHead:
        level = self.ranked - self.ahead - self.behind
        return HeadToHead(players[self.player], self.plays, self.ahead, level, self.behind, self.wins)
