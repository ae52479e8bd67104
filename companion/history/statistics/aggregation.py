"""Aggregation of finished tables into seat results and facts. A changed table is `is_unread` until it is read again."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet

from companion.core.log import Log
from companion.core.match import Match
from companion.core.match_facts import collect_facts
from companion.core.sanitize import fold_text
from companion.db.errors import ignore_transient_db_errors
from companion.games import get_games
from companion.history.game_titles import games_by_title
from companion.history.models import MAX_GAME_NAME_LENGTH, Fact, SeatResult
from companion.history.statistics import ratings
from companion.people.models import Circle
from companion.people.services import lock_circle
from companion.tables.log_cache import load_log
from companion.tables.models import Seat, Table
from companion.tables.services.entries import summarize_log
from companion.web.concurrency import limit_concurrency

BATCH_SIZE = 100
"""Most tables that one page view brings up to date."""


def catch_up(circle: Circle | None, limit: int = BATCH_SIZE) -> int:
    """Update the statistics of up to `limit` changed tables, oldest first. Return how many remain beyond the limit.

    If the database is busy, the tables stay marked for the next call.
    """
    unread = _loadable_tables(circle).filter(has_stale_stats=True).reverse()
    tables = list(unread[: limit + 1])
    if tables:
        # A page then shows the earlier statistics. An IntegrityError means that a player was erased meanwhile.
        with limit_concurrency(), suppress(IntegrityError), ignore_transient_db_errors():
            for table in tables[:limit]:
                update_table(table)
    return unread.count() if len(tables) > limit else 0


def _loadable_tables(circle: Circle | None) -> QuerySet[Table]:
    """Tables whose statistics can be updated. Those of a game that fails to load keep theirs until it loads again."""
    return Table.objects.of(circle).filter(Q(game__in=get_games()) | Q(binned_at__isnull=False))


def update_table(table: Table, log: Log | None = None) -> None:
    """Replace the seat results and facts of a table by those of its log, unless the table has changed meanwhile.

    Update its denormalized result as well: a newer version of the game may judge the log differently.
    """
    seats = list(Seat.objects.filter(table=table))
    copies: dict[str, Any] = {}
    if table.game in get_games():
        log = log or load_log(table, len(seats)).log
        copies = summarize_log(log) if log.entries else {}
        if copies and not (copies["is_over"] or copies["is_closed"]):
            copies["ended_at"] = None
    for name, value in copies.items():
        setattr(table, name, value)
    seat_results, facts = _build_rows_if_counted(table, seats, log)
    with transaction.atomic():
        lock_circle(table.circle_id)
        unchanged = Table.objects.filter(
            pk=table.pk, version=table.version, began_at=table.began_at, has_stale_stats=True
        )
        if not unchanged.filter(binned_at=table.binned_at).update(has_stale_stats=False, **copies):
            return
        before = list(SeatResult.objects.filter(table=table))
        SeatResult.objects.filter(table=table).delete()
        Fact.objects.filter(table=table).delete()
        SeatResult.objects.bulk_create(seat_results)
        Fact.objects.bulk_create(facts)
        ratings.reset_if_rated(table, [*before, *seat_results])


def _build_rows_if_counted(
    table: Table, seats: Sequence[Seat], log: Log | None = None
) -> tuple[tuple[SeatResult, ...], tuple[Fact, ...]]:
    """Build the rows of a table; none if it is unfinished, in the bin, or its game is not loaded."""
    if not (table.is_over or table.is_closed) or table.binned_at is not None or table.game not in get_games():
        return (), ()
    match = (log or load_log(table, len(seats)).log).match
    if not match.finished_rounds:
        return (), ()
    game, standing, players = match.game, match.standing, {seat.number: seat.player_id for seat in seats}
    slug, called = _resolve_game(match)
    sides = game.scoring.sides(match.options, match.seats)
    ranks = standing.ranks or (0,) * len(sides)
    is_beaten = game.scoring.is_won_together(match.options, standing) if game.scoring.is_won_together else None
    seat_results = tuple(
        SeatResult(
            table=table,
            circle_id=table.circle_id,
            seat=seat,
            player_id=players.get(seat),
            game=slug,
            called=called,
            began_at=table.began_at,
            side=index,
            sides=len(sides),
            total=standing.totals[index],
            is_high_good=game.scoring.highest_wins(match.options),
            rank=ranks[index],
            is_won=ranks[index] == 1 if is_beaten is None else is_beaten,
            is_shared=ranks[index] == 1 and ranks.count(1) > 1,
            minutes=table.minutes,
        )
        for index, side in enumerate(sides)
        for seat in side
    )
    facts = (
        Fact(
            table=table,
            circle_id=table.circle_id,
            seat=fact.seat,
            player_id=None if fact.seat is None else players.get(fact.seat),
            game=game.slug,
            name=fact.name,
            value=fact.value,
        )
        for fact in (collect_facts(match) if slug == game.slug else ())
    )
    return seat_results, tuple(facts)


def _resolve_game(match: Match) -> tuple[str, str]:
    """Return the slug of the game that a match counts for, and its name if it is a named game.

    A sheet with the title of an implemented game counts for that game, if high totals are good in both or in neither.
    """
    game = match.game
    name = game.get_table_title(match.options)
    called = str(name)[:MAX_GAME_NAME_LENGTH] if name != game.title else ""
    namesake = games_by_title().get(fold_text(called)) if game.is_generic else None
    if namesake is None or not match.standing.ranks:
        return game.slug, called
    is_high_good = namesake.scoring.highest_wins(namesake.options.cls())
    return (namesake.slug, "") if is_high_good == game.scoring.highest_wins(match.options) else (game.slug, called)


def catch_up_fully(circle: Circle) -> int:
    """Update the statistics of all changed tables, as far as the database allows. Return how many were updated."""
    unread = _loadable_tables(circle).filter(has_stale_stats=True)
    start = remaining = unread.count()
    while remaining:
        catch_up(circle, limit=1_000)
        before, remaining = remaining, unread.count()
        if remaining >= before:
            break
    return start - remaining


def rebuild(circles: Iterable[Circle]) -> int:
    """Recompute the statistics of the circles from their logs. Return the number of tables updated."""
    count = 0
    for circle in circles:
        ratings.reset(circle)
        Table.objects.of(circle).update(has_stale_stats=True)
        count += catch_up_fully(circle)
    return count


def find_differing_tables(circle: Circle) -> Iterator[str]:
    """Yield the public ids of up-to-date tables whose statistics differ from their logs."""
    for table in _loadable_tables(circle).filter(has_stale_stats=False).iterator():
        if any(find_differences(table, list(Seat.objects.filter(table=table)))):
            yield table.public_id


def find_differences(
    table: Table, seats: Sequence[Seat], log: Log | None = None
) -> Iterator[tuple[str, object, object]]:
    """Yield "seat_results" or "facts" with the stored values and the log's, each without those they share."""
    seat_results, facts = _build_rows_if_counted(table, seats, log)
    for name, model, rows in (("seat_results", SeatResult, seat_results), ("facts", Fact, facts)):
        stored, expected = _values(model.objects.filter(table=table)), _values(rows)
        if stored != expected:
            yield name, sorted(stored - expected, key=str), sorted(expected - stored, key=str)


def _values(rows: Iterable[SeatResult | Fact]) -> set[tuple[object, ...]]:
    """All columns but the id."""
    return {
        tuple(getattr(row, field.attname) for field in row._meta.concrete_fields if field.name != "id") for row in rows
    }
