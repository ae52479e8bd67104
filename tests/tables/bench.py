"""Benchmarks of a table with the maximum of players and entries."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial
from itertools import repeat

PLAYERS = 12
"""The maximum of any game."""


def figures() -> Iterator[tuple[str, str]]:
    from django.test import Client

    from companion.games import get_games
    from companion.limits import MAX_ENTRIES
    from companion.people.auth import COOKIE_NAME, add_to_circle, hash_token
    from companion.people.models import Circle, Device
    from companion.people.services import get_or_create_player
    from companion.tables.log_cache import load_log
    from companion.tables.models import Entry, Table
    from companion.tables.services.tables import open_table
    from tests.history.bench import format_spread

    circle = Circle.objects.create()
    device = Device.objects.create(token_hash=hash_token("f" * 43), label="Bench")
    add_to_circle(device, circle)
    players = [get_or_create_player(circle, f"Player {number}") for number in range(PLAYERS)]
    table = open_table(circle, game=get_games()["any-game"], players=players, options={"name": "Farm"}, mode="pad")
    Entry.objects.bulk_create(
        Entry(
            table=table, number=n + 1, key=f"full-{n}", kind="count", round=1 + n // PLAYERS, game_version=1,
            words={"seat": str(n % PLAYERS), "points": str(n * 7 % 99_991)}, device=device,
        )
        for n in range(MAX_ENTRIES)
    )  # fmt: skip
    Table.objects.filter(pk=table.pk).update(version=MAX_ENTRIES)
    table.refresh_from_db()
    start = time.perf_counter()
    match = load_log(table, PLAYERS).match
    rounds = len(match.finished_rounds)
    yield "full table: players, rounds, entries", f"{PLAYERS} / {rounds} / {MAX_ENTRIES:,}"
    yield "full table: replay of its log", f"{time.perf_counter() - start:.2f} s"
    client = Client(SERVER_NAME="localhost")
    client.cookies[COOKIE_NAME] = "f" * 43
    url = f"/tables/{table.public_id}/"
    for title, path in {"page": url, "log": f"{url}log/", "display": f"{url}display/"}.items():
        raw, compressed = (
            client.get(path, headers={"Accept-Encoding": encoding}).content for encoding in ("identity", "gzip")
        )
        yield f"full table, {title}: bytes / compressed", f"{len(raw):,} / {len(compressed):,}"
        yield f"full table, {title}: median / 95th percentile", format_spread(repeat(partial(client.get, path)))
