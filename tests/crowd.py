"""Circles with years of history: tables of random matches, and copies of them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import cache
from typing import Any

from django.db import connection, transaction
from django.utils import timezone

from companion.core.entry import Entry as LogEntry
from companion.core.entry import EntryKind
from companion.core.log import Log
from companion.core.notation import encode
from companion.games import get_games
from companion.history.statistics import aggregation
from companion.people.models import Circle, Player
from companion.people.services import get_or_create_player
from companion.tables.models import Entry, Seat, Table
from companion.tables.services import details
from tests.games.random_play import random_logs, sample_cases

SEED = 20161015
NAMES = (
    "Άννα",
    "Bo",
    "Cleo",
    "Δημήτρης",
    "Ελένη",
    "Freya",
    "Γιώργος",
    "Hugo",
    "Ιωάννα",
    "Jan",
    "Κώστας",
    "Lea",
    "Μάρθα",
)
PLACES = ("Home", "Στης Μαρίας", "The club", "Λευκάδα")
NOTES = ("The toads came late.", "Δύσκολη βραδιά, με πολλή βροχή.", "First time with the new pattern.", "")


def create_tables(circle: Circle, *, each: int, counted: tuple[float, ...] = (0, 0.5)) -> list[Table]:
    """Create tables of random matches, `each` per game, spread over the years until now."""
    rng = random.Random(SEED)
    with transaction.atomic():
        players = [get_or_create_player(circle, name) for name in NAMES]
    logs = rng.sample(draw_matches(each, counted), len(get_games()) * each)
    began = timezone.now() - timedelta(days=800)
    step = (timezone.now() - timedelta(days=1) - began) / max(len(logs), 1)
    return [_create_table(circle, log, players, began + number * step, rng) for number, log in enumerate(logs)]


@cache
def draw_matches(each: int, counted: tuple[float, ...] = (0, 0.5)) -> list[Log]:
    """Return random matches, `each` per game, with these odds of counting instead of refereeing; slow."""
    rng = random.Random(SEED)
    cases = [rng.choice(sample_cases(slug, 3)) for slug in get_games() for _ in range(each)]
    return [_close(random_logs(case, rng, counted=rng.choice(counted))[-1]) for case in cases]


def _close(log: Log) -> Log:
    """Close the log of a match that is not over."""
    return log if log.match.standing.is_over else log.append(LogEntry(len(log.entries) + 1, EntryKind.CLOSE, {}))


def _create_table(circle: Circle, log: Log, players: Sequence[Player], began: datetime, rng: random.Random) -> Table:
    match = log.match
    standing = match.standing
    table = Table.objects.create(
        circle=circle,
        game=match.game.slug,
        game_version=match.game.about.version,
        options=encode(match.options),
        began_at=began,
        ended_at=began + timedelta(minutes=rng.randint(8, 90)),
        version=len(log.entries),
        is_over=standing.is_over,
        is_closed=log.is_closed,
        has_stale_stats=True,
        result={"totals": standing.totals, "ranks": standing.ranks, "rounds": len(match.finished_rounds)},
        place=details.get_or_create_place(circle.pk, rng.choice(PLACES)) if rng.random() < 0.7 else None,
    )
    details.update_note(table, note=rng.choice(NOTES), by=None)
    seated = rng.sample(players, match.seats)
    Seat.objects.bulk_create(Seat(table=table, number=number, player=player) for number, player in enumerate(seated))
    Entry.objects.bulk_create(_build_entry(table, entry, began) for entry in log.entries)
    return table


def _build_entry(table: Table, entry: Any, began: datetime) -> Entry:
    return Entry(
        table=table,
        number=entry.number,
        key=f"crowd-{table.pk}-{entry.number}",
        kind=entry.kind,
        round=entry.round,
        words=dict(entry.words),
        overruled=list(entry.overruled),
        game_version=1,
        at=began + timedelta(seconds=20 * entry.number),
    )


def copy_tables(circle: Circle, count: int, people: int = 61) -> None:
    """Copy tables in SQL up to a total of `count`, with other players and times.

    `people` must be prime, so that no player gets two seats at a table.
    """
    with transaction.atomic():
        for number in range(people - circle.players.count()):
            get_or_create_player(circle, f"Player {number}")
    aggregation.rebuild([circle])
    originals = list(Table.objects.filter(circle=circle).order_by("pk").values_list("pk", flat=True))
    players = list(Player.objects.filter(circle=circle).values_list("pk", flat=True))
    first, copies = originals[-1] + 1, count - len(originals)
    began = timezone.now() - timedelta(days=1_500)
    times = (began + n * timedelta(days=1_499) / copies for n in range(copies))
    adapt = connection.ops.adapt_datetimefield_value
    pairs = [(first + n, originals[n % len(originals)], adapt(time)) for n, time in enumerate(times)]
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("CREATE TEMPORARY TABLE copies (own BIGINT PRIMARY KEY, of BIGINT, began TIMESTAMP)")
        cursor.executemany("INSERT INTO copies VALUES (%s, %s, %s)", pairs)
        cursor.execute("CREATE TEMPORARY TABLE sitters (place BIGINT PRIMARY KEY, player BIGINT)")
        cursor.executemany("INSERT INTO sitters VALUES (%s, %s)", list(enumerate(players)))
        for model, changed in _copied_columns(len(players)).items():
            _copy_rows(cursor, model, changed)
        cursor.execute("DROP TABLE copies")
        cursor.execute("DROP TABLE sitters")


def _copied_columns(players: int) -> dict[str, dict[str, str]]:
    """Return the tables to copy, in order, with the columns that differ from the original."""

    def pick_player(seat: str) -> str:
        place = f"(own * 7 + {seat} * (1 + own % {players - 1})) % {players}"
        return f"(SELECT player FROM sitters WHERE place = {place})"

    return {
        "tables_table": {"id": "own", "public_id": "'copy-' || own", "began_at": "began", "opened_with": "NULL"},
        "tables_seat": {"table_id": "own", "player_id": pick_player("t.number")},
        "tables_entry": {"table_id": "own"},
        "tables_foldednote": {"table_id": "own"},
        "history_outcome": {"table_id": "own", "began_at": "began", "player_id": pick_player("t.seat")},
        "history_fact": {"table_id": "own", "player_id": f"CASE WHEN t.seat >= 0 THEN {pick_player('t.seat')} END"},
    }


def _copy_rows(cursor: Any, table: str, changed: dict[str, str]) -> None:
    names = [column.name for column in connection.introspection.get_table_description(cursor, table)]
    copied = [name for name in names if name != "id" or "id" in changed]
    key_column = "id" if table == "tables_table" else "table_id"
    columns, values = ", ".join(f'"{name}"' for name in copied), ", ".join(changed.get(n, f't."{n}"') for n in copied)
    rows = f'SELECT {values} FROM copies JOIN {table} t ON t.{key_column} = copies."of"'
    cursor.execute(f"INSERT INTO {table} ({columns}) {rows}")
