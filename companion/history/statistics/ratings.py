"""Elo ratings of players, by circle and game.

Everybody starts at 1,500. A match counts as one game between each pair of sides: points move from the lower-placed side
to the higher-placed one, more for an upset, and all members of a side gain or lose the same.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet

from companion.db.errors import ignore_transient_db_errors
from companion.history.models import Rating, RatingProgress, SeatResult
from companion.people.models import Circle
from companion.people.services import lock_circle
from companion.tables.models import Table
from companion.web.concurrency import limit_concurrency

INITIAL_RATING = 1_500.0
K_FACTOR = 32.0
"""Most points that a side can gain or lose in a match; half of it against a side of equal rating."""
MIN_MATCHES = 5
"""Ratings based on fewer matches are mostly luck, and are not shown."""


@dataclass(frozen=True)
class RatedSide:
    """A side's rank in a match, and its player ids."""

    rank: int
    players: tuple[int | None, ...]
    """None for an erased player."""


def compute_ratings(sides: Sequence[RatedSide], ratings: Mapping[int, float]) -> dict[int, float]:
    """Return the new ratings of the players in a match, given the ratings before it."""
    before = [[ratings.get(player or 0, INITIAL_RATING) for player in side.players] for side in sides]
    strengths = [sum(values) / len(values) for values in before]
    after: dict[int, float] = {}
    for index, side in enumerate(sides):
        others = [other for other in range(len(sides)) if other != index]
        surplus = sum(_score(side, sides[o]) - _expected_score(strengths[index], strengths[o]) for o in others)
        for player, value in zip(side.players, before[index], strict=True):
            if player is not None:
                after[player] = value + K_FACTOR * surplus / len(others)
    return after


def _score(side: RatedSide, other: RatedSide) -> float:
    return 0.5 if side.rank == other.rank else float(side.rank < other.rank)


def _expected_score(rating: float, opponent: float) -> float:
    return float(1 / (1 + 10 ** ((opponent - rating) / 400)))


def reset_if_rated(table: Table, seat_results: Iterable[SeatResult]) -> None:
    """Delete the ratings that already include the table, whose results have changed.

    The caller holds the lock on the circle: otherwise a concurrent `catch_up` could skip the table.
    """
    for game, called in {(result.game, result.called) for result in seat_results}:
        rated = RatingProgress.objects.filter(circle=table.circle_id, game=game, called=called)
        times = [table.began_at, *(result.began_at for result in seat_results)]
        if rated.filter(Q(began_at__gt=min(times)) | Q(began_at=min(times), table__gte=table.pk)).delete()[0]:
            Rating.objects.filter(circle=table.circle_id, game=game, called=called).delete()


def reset(circle: Circle) -> None:
    """Delete all ratings of a circle; `catch_up` computes them again."""
    RatingProgress.objects.filter(circle=circle).delete()
    Rating.objects.filter(circle=circle).delete()


def catch_up(circle: Circle, game: str, called: str = "") -> None:
    """Apply the results not yet rated, oldest first.

    If the database is busy, leave the ratings as they are until the next call.
    """
    key: dict[str, Any] = {"circle": circle, "game": game, "called": called}
    if not _unrated_results(RatingProgress.objects.filter(**key).first(), key).exists():
        return
    with limit_concurrency(), ignore_transient_db_errors(), transaction.atomic():
        lock_circle(circle.pk)  # only one of two concurrent requests computes them
        rows = list(Rating.objects.filter(**key))
        values = {rating.player_id: rating.value for rating in rows}
        matches = Counter({rating.player_id: rating.matches for rating in rows})
        last = RatingProgress.objects.filter(**key).first()
        for mark, sides in _iterate_matches(_unrated_results(last, key)):
            after, last = compute_ratings(sides, values), mark
            values.update(after)
            matches.update(after.keys())
        if last is not None:
            Rating.objects.filter(**key).delete()
            Rating.objects.bulk_create(
                Rating(**key, player_id=player, value=value, matches=matches[player])
                for player, value in values.items()
            )
            RatingProgress.objects.update_or_create(**key, defaults={"began_at": last.began_at, "table": last.table})


def _unrated_results(until: RatingProgress | None, key: Mapping[str, Any]) -> QuerySet[SeatResult]:
    rows = SeatResult.objects.filter(**key, rank__gt=0, sides__gt=1)
    if until is None:
        return rows
    return rows.filter(Q(began_at__gt=until.began_at) | Q(began_at=until.began_at, table__gt=until.table))


def _iterate_matches(rows: QuerySet[SeatResult]) -> Iterator[tuple[RatingProgress, list[RatedSide]]]:
    """Yield each match, oldest first: an unsaved mark of having rated it, and its sides."""
    in_order = rows.order_by("began_at", "table", "side", "seat")
    columns = in_order.values_list("began_at", "table", "side", "rank", "player")
    for (began_at, table), seats in groupby(columns.iterator(chunk_size=5_000), itemgetter(0, 1)):
        sides = groupby(seats, itemgetter(2, 3))
        rated_sides = [RatedSide(rank, tuple(seat[4] for seat in members)) for (_side, rank), members in sides]
        yield RatingProgress(began_at=began_at, table=table), rated_sides
