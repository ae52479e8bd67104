"""Charts on the pages of players and statistics."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date

from django.utils import timezone

from companion.charts.bar_chart import Bar, BarChart, build_bar_chart
from companion.charts.column_chart import ColumnChart, build_column_chart
from companion.charts.scatter_chart import ScatterChart, build_scatter_chart
from companion.core.text import _, ngettext
from companion.history.queries import start_of_day
from companion.history.statistics.group_stats import PlayerCount, TeamResults, list_month_starts
from companion.history.statistics.player_stats import MIN_MATCHES_FOR_CHART, RANKS_SHOWN, PlayedMatch
from companion.people.models import Player

MIN_TABLES_FOR_CHART = 4


def build_rank_chart(matches: Sequence[PlayedMatch], player: Player) -> ScatterChart | None:
    """Return the player's ranks over time, or None below MIN_MATCHES_FOR_CHART ranked matches."""
    ranked = [match for match in matches if match.rank][-RANKS_SHOWN:]
    if len(ranked) < MIN_MATCHES_FOR_CHART:
        return None
    title = ngettext("The place in {n} match", "Places in the last {n} matches", len(ranked))
    days = [timezone.localtime(match.began_at).date() for match in ranked]
    return build_scatter_chart(
        [match.rank for match in ranked], title=title, days=days, colour=player.colour, is_rank=True
    )


def build_player_month_chart(matches: Sequence[PlayedMatch]) -> ColumnChart | None:
    """Return the player's matches by month, or None if there are too few."""
    months = list_month_starts()
    starts = [start_of_day(month) for month in months]
    counts = Counter(bisect_right(starts, match.began_at) for match in matches if match.began_at >= starts[0])
    return build_month_chart({month: counts[index] for index, month in enumerate(months, 1)})


def build_month_chart(counts: Mapping[date, int]) -> ColumnChart | None:
    """Return the tables by month from the first one with any, or None below MIN_TABLES_FOR_CHART tables."""
    if sum(counts.values()) < MIN_TABLES_FOR_CHART:
        return None
    first = min(month for month, count in counts.items() if count)
    return build_column_chart({month: count for month, count in counts.items() if month >= first})


def build_wins_chart(player_counts: Sequence[PlayerCount]) -> BarChart | None:
    """Return each player's matches split into won, shared and not won, or None if nobody has won yet."""
    if not any(row.outright_wins or row.shared_wins for row in player_counts):
        return None
    rows = [
        Bar(
            _("{name}", name=row.player.name),
            (row.outright_wins, row.shared_wins, row.not_won),
            row.player.colour,
            row.player.sign,
        )
        for row in player_counts
        if row.decided
    ]
    parts = (_("won"), _("shared the win"), _("not won"))
    return build_bar_chart(rows, title=_("Matches by player"), parts=parts)


def build_totals_chart(team_results: TeamResults) -> ScatterChart | None:
    """Return the totals of a cooperative game over time, or None below MIN_MATCHES_FOR_CHART tables."""
    if len(team_results.totals) < MIN_MATCHES_FOR_CHART:
        return None
    title = ngettext("The result of {n} match", "Results of the last {n} matches", len(team_results.totals))
    return build_scatter_chart(team_results.totals, title=title, days=team_results.days)
