"""Line chart of the totals after each round."""

from __future__ import annotations

from collections.abc import Sequence

from companion.charts.line_chart import LineChart, Series, build_line_chart
from companion.core.match import Match
from companion.core.text import _
from companion.people.services import pick_look
from companion.tables.forms.pad import format_side_name
from companion.tables.models import Seat

MIN_ROUNDS = 2


def build_score_chart(match: Match, seats: Sequence[Seat]) -> LineChart | None:
    """Return the chart, or None after fewer than two rounds; `seats` must have their players loaded."""
    rounds = match.finished_rounds
    if len(rounds) < MIN_ROUNDS:
        return None
    totals = [match.standing_after(rounds[:count]).totals for count in range(1, len(rounds) + 1)]
    looks = {seat.number: (seat.player.colour, seat.player.sign) for seat in seats if seat.player}
    sides = match.game.scoring.sides(match.options, match.seats)
    series = []
    for index, side in enumerate(sides):
        colour, sign = looks.get(side[0]) or pick_look(index)
        series.append(Series(format_side_name(match.seats, side), tuple(row[index] for row in totals), colour, sign))
    return build_line_chart(
        series, title=_("Totals after each round"), labels=[str(played.number) for played in rounds]
    )
