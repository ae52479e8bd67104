"""Reads finished tables for the statistics: one fold a table, and only of those that have changed since."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet

from companion.core.game import Game, Standing
from companion.core.log import Log
from companion.core.match import Match
from companion.core.match_facts import collect_facts
from companion.db.errors import ignore_transient_db_errors
from companion.games import get_games
from companion.history.game_titles import find_game_by_title
from companion.history.models import LONGEST_CALLED, Fact, Outcome
from companion.history.statistics import ratings
from companion.people.models import Circle
from companion.people.services import lock_circle
from companion.tables.log_cache import load_log
from companion.tables.models import Seat, Table
from companion.tables.services.details import get_duration
from companion.tables.services.entries import summarize_log
from companion.web.concurrency import limit_concurrency

BATCH_SIZE = 100
"""Tables that are read before a page is shown; more of them wait for the next one."""


def catch_up(circle: Circle | None, most: int = BATCH_SIZE) -> int:
    """Reads what has changed, the oldest first, and gives how many are still to be read; a busy database may wait."""
    unread = _loadable_tables(circle).filter(is_unread=True).reverse()
    tables = list(unread[: most + 1])
    if tables:
        _update_tables(tables[:most])
    return unread.count() if len(tables) > most else 0


@limit_concurrency()
def _update_tables(tables: Sequence[Table]) -> None:
    """Read tables, each folded from its log; what cannot be written now waits for the next time."""
    # The page shows what was read before; also where somebody who sat there is erased at this moment.
    with suppress(IntegrityError), ignore_transient_db_errors():
        for table in tables:
            update_table(table)


def _loadable_tables(circle: Circle | None) -> QuerySet[Table]:
    """The tables whose logs can be folded. What is kept of others stays until their game can be loaded again."""
    return Table.objects.of(circle).filter(Q(game__in=get_games()) | Q(binned_at__isnull=False))


def update_table(table: Table, log: Log | None = None) -> None:
    """Replaces what the statistics keep of a table, unless somebody has changed it meanwhile.

    So are the copies for lists: a newer version of the game may judge the log otherwise than the one that wrote them.
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
    outcomes, facts = _build_rows_if_counted(table, seats, log)
    with transaction.atomic():
        lock_circle(table.circle_id)
        same = Table.objects.filter(pk=table.pk, version=table.version, began_at=table.began_at, is_unread=True)
        if not same.filter(binned_at=table.binned_at).update(is_unread=False, **copies):
            return
        before = list(Outcome.objects.filter(table=table))
        Outcome.objects.filter(table=table).delete()
        Fact.objects.filter(table=table).delete()
        Outcome.objects.bulk_create(outcomes)
        Fact.objects.bulk_create(facts)
        ratings.reset_if_rated(table, [*before, *outcomes])


def _build_rows_if_counted(
    table: Table, seats: Sequence[Seat], log: Log | None = None
) -> tuple[tuple[Outcome, ...], tuple[Fact, ...]]:
    """The same as `told_of`, and nothing of a table that does not count."""
    if not (table.is_over or table.is_closed) or table.binned_at is not None or table.game not in get_games():
        return (), ()
    return _build_rows(table, seats, log or load_log(table, len(seats)).log)


def _build_rows(table: Table, seats: Sequence[Seat], log: Log) -> tuple[tuple[Outcome, ...], tuple[Fact, ...]]:
    """What a finished table's log says for the statistics; nothing where no round was finished."""
    match = log.match
    if not match.finished_rounds:
        return (), ()
    game, players = match.game, {seat.number: seat.player_id for seat in seats}
    slug, called = _resolve_game(match)
    standing, sides = match.standing, game.sides(match.options, match.seats)
    best = standing.ranks.count(1)
    outcomes = tuple(
        Outcome(
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
            is_high_good=game.highest_wins(match.options),
            rank=standing.ranks[index] if standing.ranks else 0,
            is_won=_is_won(
                game.is_won_together(match.options, standing) if game.is_won_together else None, standing, index
            ),
            is_shared=best > 1 and standing.ranks[index] == 1,
            minutes=get_duration(table),
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
    return outcomes, tuple(facts)


def _resolve_game(match: Match) -> tuple[str, str]:
    """The slug of the game for which a match counts, and its name where that is not the title.

    A sheet for any game that bears the title of one counts for that one, where its totals mean the same there.
    """
    game = match.game
    name = game.get_table_title(match.options)
    called = str(name)[:LONGEST_CALLED] if name != game.title else ""
    twin = find_game_by_title(called) if game.is_generic else None
    is_alike = twin is not None and match.standing.ranks and _is_high_good(twin) == game.highest_wins(match.options)
    return (twin.slug, "") if twin is not None and is_alike else (game.slug, called)


def _is_high_good(game: Game) -> bool:
    return game.highest_wins(game.options())


def _is_won(is_beaten: bool | None, standing: Standing, side: int) -> bool:
    return bool(standing.ranks and standing.ranks[side] == 1) if is_beaten is None else is_beaten


def catch_up_fully(circle: Circle) -> int:
    """Reads all that has changed, as far as the database lets. The number of tables read."""
    unread = _loadable_tables(circle).filter(is_unread=True)
    first = waiting = unread.count()
    while waiting:
        catch_up(circle, most=1_000)
        before, waiting = waiting, unread.count()
        if waiting >= before:
            break
    return first - waiting


def rebuild(circles: Iterable[Circle]) -> int:
    """Makes the statistics of the circles anew from the logs. The number of tables read."""
    count = 0
    for circle in circles:
        ratings.reset(circle)
        Table.objects.of(circle).update(is_unread=True)
        count += catch_up_fully(circle)
    return count


def find_stale_tables(circle: Circle) -> Iterator[str]:
    """The public ids of tables of which the statistics keep something else than their logs say."""
    for table in _loadable_tables(circle).filter(is_unread=False).iterator():
        if any(find_differences(table, list(Seat.objects.filter(table=table)))):
            yield table.public_id


def find_differences(
    table: Table, seats: Sequence[Seat], log: Log | None = None
) -> Iterator[tuple[str, object, object]]:
    """Of a table that the statistics have read: what they keep, and what its log says instead."""
    outcomes, facts = _build_rows_if_counted(table, seats, log)
    for name, rows, wanted in (
        ("outcomes", Outcome.objects.filter(table=table), _values(outcomes)),
        ("facts", Fact.objects.filter(table=table), _values(facts)),
    ):
        kept = _values(rows)
        if kept != wanted:
            yield name, sorted(kept - wanted, key=str), sorted(wanted - kept, key=str)


def _values(rows: Iterable[Outcome | Fact]) -> set[tuple[object, ...]]:
    """What rows say, whatever their numbers are."""
    return {
        tuple(getattr(row, part.attname) for part in row._meta.concrete_fields if part.name != "id") for row in rows
    }
