"""Statistics as pictures: which numbers go into which. How a picture is laid out is computed in charts."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date

from django.utils import timezone

from companion import charts
from companion.core.text import Text, _, ngettext
from companion.history.statistics.group_stats import PlayerCount, TeamResults, list_month_starts, start_of_day
from companion.history.statistics.player_stats import MIN_MATCHES_FOR_CHART, RANKS_SHOWN, PlayedMatch
from companion.people.models import Player

MIN_TABLES_FOR_CHART = 4
"""Tables from which on it is worth while to see when they were."""


def build_rank_chart(matches: Sequence[PlayedMatch], player: Player) -> charts.Dots | None:
    """The places of a player over time; None where there are too few to see anything."""
    ranked = [match for match in matches if match.rank][-RANKS_SHOWN:]
    if len(ranked) < MIN_MATCHES_FOR_CHART:
        return None
    title = ngettext("The place in {n} match", "The places in the last {n} matches", len(ranked))
    days = [timezone.localtime(match.began_at).date() for match in ranked]
    return charts.dots([match.rank for match in ranked], title=title, days=days, colour=player.colour, is_rank=True)


def build_player_month_chart(matches: Sequence[PlayedMatch]) -> charts.Months | None:
    """When somebody has played, in the last two years."""
    firsts = list_month_starts()
    starts = [start_of_day(first) for first in firsts]
    counts = Counter(bisect_right(starts, match.began_at) for match in matches if match.began_at >= starts[0])
    return build_month_chart({first: counts[place] for place, first in enumerate(firsts, 1)})


def build_month_chart(counts: Mapping[date, int]) -> charts.Months | None:
    if sum(counts.values()) < MIN_TABLES_FOR_CHART:
        return None
    begun = min(first for first, count in counts.items() if count)
    return charts.months({first: count for first, count in counts.items() if first >= begun})


def build_wins_chart(regulars: Sequence[PlayerCount]) -> charts.Bars | None:
    """Who has won how often, and shared, of how many matches."""
    if not any(regular.alone or regular.shared for regular in regulars):
        return None
    rows = [
        charts.Bar(_name(own.player), (own.alone, own.shared, own.others), own.player.colour, own.player.sign)
        for own in regulars
        if own.decided
    ]
    parts = (_("won"), _("shared the win"), _("not won"))
    return charts.bars(rows, title=_("Matches by player"), parts=parts)


def build_totals_chart(found: TeamResults) -> charts.Dots | None:
    """The totals of tables that win or lose together, over time."""
    if len(found.totals) < MIN_MATCHES_FOR_CHART:
        return None
    title = ngettext("The result of {n} match", "The results of the last {n} matches", len(found.totals))
    return charts.dots(found.totals, title=title, days=found.days)


def _name(player: Player) -> Text:
    return Text("{name}", (("name", player.name),))
