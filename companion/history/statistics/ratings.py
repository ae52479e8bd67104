"""How strong players have shown to be at the games that rank people. Which outcomes there are is told elsewhere.

Everybody begins at 1,500. After a match each pair of sides is compared as if they had met alone (Elo's formula for two,
as it is usually carried over to many): points move from the one that placed lower to the one that placed higher, the
more the less that was expected, and members of a side win and lose the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet

from companion.db.errors import ignore_transient_db_errors
from companion.history.models import Outcome, RatedUntil, Rating
from companion.people.models import Circle
from companion.people.services import lock_circle
from companion.tables.models import Table
from companion.web.concurrency import limit_concurrency

INITIAL_RATING = 1_500.0
K_FACTOR = 32.0
"""Points that move at most, at the end of a match, from one side to another of equal rating: half of it."""
MIN_MATCHES = 5
"""Before that a rating says more about chance than about the player, and is not shown."""


@dataclass(frozen=True)
class RatedSide:
    """A side at the end of a match: its rank, and the numbers of its players (None: erased)."""

    rank: int
    players: tuple[int | None, ...]


def compute_ratings(sides: Sequence[RatedSide], ratings: Mapping[int, float]) -> dict[int, float]:
    """The ratings of those who played, after the match."""
    known = [[ratings.get(player or 0, INITIAL_RATING) for player in side.players] for side in sides]
    strengths = [sum(values) / len(values) for values in known]
    after: dict[int, float] = {}
    for index, side in enumerate(sides):
        others = [other for other in range(len(sides)) if other != index]
        gained = sum(_score(side, sides[o]) - _expected_score(strengths[index], strengths[o]) for o in others)
        for player, value in zip(side.players, known[index], strict=True):
            if player is not None:
                after[player] = value + K_FACTOR * gained / len(others)
    return after


def _score(side: RatedSide, other: RatedSide) -> float:
    return 0.5 if side.rank == other.rank else float(side.rank < other.rank)


def _expected_score(own: float, other: float) -> float:
    return float(1 / (1 + 10 ** ((other - own) / 400)))


def reset_if_rated(table: Table, outcomes: Iterable[Outcome]) -> None:
    """Notes that the outcomes of a table are others than before: ratings that have seen it begin anew. Who calls it has
    locked the circle, or ratings that are just being reckoned would pass the table over."""
    for game, called in {(outcome.game, outcome.called) for outcome in outcomes}:
        seen = RatedUntil.objects.filter(circle=table.circle_id, game=game, called=called)
        times = [table.began_at, *(o.began_at for o in outcomes)]
        if seen.filter(Q(began_at__gt=min(times)) | Q(began_at=min(times), table__gte=table.pk)).delete()[0]:
            Rating.objects.filter(circle=table.circle_id, game=game, called=called).delete()


def reset(circle: Circle) -> None:
    """All ratings of a circle begin anew."""
    RatedUntil.objects.filter(circle=circle).delete()
    Rating.objects.filter(circle=circle).delete()


def catch_up(circle: Circle, game: str, called: str = "") -> None:
    """Reckons with the outcomes that the ratings of a game have not seen yet, in the order of play.

    Where the database is busy it is left for the next time, and the ratings are those of before.
    """
    own = {"circle": circle, "game": game, "called": called}
    if not _unrated_outcomes(RatedUntil.objects.filter(**own).first(), own).exists():
        return
    with limit_concurrency(), ignore_transient_db_errors(), transaction.atomic():
        lock_circle(circle.pk)  # of two who ask, one reckons
        values, matches, last = _load(own)
        for mark, sides in _iterate_matches(_unrated_outcomes(last, own)):
            after, last = compute_ratings(sides, values), mark
            values.update(after)
            matches.update(after.keys())
        _save(own, values, matches, last)


def _load(own: Mapping[str, Any]) -> tuple[dict[int, float], Counter[int], RatedUntil | None]:
    rows = list(Rating.objects.filter(**own))
    matches = Counter({rating.player_id: rating.matches for rating in rows})
    return {rating.player_id: rating.value for rating in rows}, matches, RatedUntil.objects.filter(**own).first()


def _save(
    own: Mapping[str, Any], values: Mapping[int, float], matches: Mapping[int, int], last: RatedUntil | None
) -> None:
    if last is None:
        return
    Rating.objects.filter(**own).delete()
    Rating.objects.bulk_create(
        Rating(**own, player_id=player, value=value, matches=matches[player]) for player, value in values.items()
    )
    seen = {"began_at": last.began_at, "table": last.table}
    RatedUntil.objects.update_or_create(**own, defaults=seen)


def _unrated_outcomes(until: RatedUntil | None, own: Mapping[str, Any]) -> QuerySet[Outcome]:
    """The outcomes of matches that ranked people, after those that the ratings have seen."""
    rows = Outcome.objects.filter(**own, rank__gt=0, sides__gt=1)
    if until is None:
        return rows
    return rows.filter(Q(began_at__gt=until.began_at) | Q(began_at=until.began_at, table__gt=until.table))


def _iterate_matches(rows: QuerySet[Outcome]) -> Iterator[tuple[RatedUntil, list[RatedSide]]]:
    """The matches in the order of play: each as the mark of having seen it, and its sides."""
    in_order = rows.order_by("began_at", "table", "side", "seat")
    found = in_order.values_list("began_at", "table", "side", "rank", "player")
    for (began_at, table), seats in groupby(found.iterator(chunk_size=5_000), itemgetter(0, 1)):
        sides = groupby(seats, itemgetter(2, 3))
        ended = [RatedSide(rank, tuple(seat[4] for seat in members)) for (_side, rank), members in sides]
        yield RatedUntil(began_at=began_at, table=table), ended
