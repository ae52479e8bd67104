"""Benchmark of pages and entries with a history of 100,000 tables."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice, repeat
from typing import Any

TABLES = 100_000
SAMPLES = 40


def figures() -> Iterator[tuple[str, str]]:
    from django.test import Client

    from companion.ops.server import tune_garbage_collector
    from companion.people.auth import COOKIE_NAME, add_to_circle, hash_token
    from companion.people.models import Circle, Device, Player
    from companion.tables.models import Entry, Table
    from tests.crowd import copy_tables, create_tables

    circle = Circle.objects.create()
    device = Device.objects.create(token_hash=hash_token("b" * 43), label="Bench")
    add_to_circle(device, circle)
    create_tables(circle, each=5, counted=(0.8, 1))  # some 40 entries a table
    began = time.perf_counter()
    copy_tables(circle, TABLES)
    yield "history: tables and entries", f"{Table.objects.count():,} / {Entry.objects.count():,}"
    yield "history: filling the database", f"{time.perf_counter() - began:,.0f} s"
    tune_garbage_collector()  # as the server does
    client = Client(SERVER_NAME="localhost")
    client.cookies[COOKIE_NAME] = "b" * 43

    def repeat_get(url: str) -> Iterator[Callable[[], Any]]:
        return repeat(partial(client.get, url))

    middle = Table.objects.filter(circle=circle).order_by("-began_at")[TABLES // 2]
    player = Player.objects.filter(circle=circle).order_by("-seated_at", "pk")[3]
    since = f"{int(middle.began_at.timestamp() * 1_000_000)}-{middle.pk}"
    yield "history, an entry: median / 95th percentile", format_spread(repeat_first_entry(client))
    for name, requests in {
        "first page": repeat_get("/history/"),
        "page in the middle": repeat_get(f"/history/?before={since}"),
        "last year, one game, one player": repeat_get(f"/history/?game=take-that&player={player.pk}&period=2025"),
        "search for a name": repeat_get("/history/?q=freya"),
        "search for a word of a note": repeat_get("/history/?q=βροχη"),
        "search for what is not there": repeat_get("/history/?q=nowhere"),
        "a player’s statistics": repeat_get(f"/players/{player.pk}/"),
        "statistics of the circle": repeat_get("/statistics/"),
        "statistics of a game": repeat_get("/statistics/take-that/"),
        "table page": repeat_get(f"/tables/{middle.public_id}/"),
    }.items():
        yield f"history, {name}: median / 95th percentile", format_spread(requests)


def repeat_first_entry(client: Any) -> Iterator[Callable[[], Any]]:
    """Yield requests that each make the first entry at a new table."""
    from urllib.parse import urlencode

    from tests.bench import open_prepared_table

    form = "application/x-www-form-urlencoded"
    while True:
        url, words = open_prepared_table(client, "take-that", 0)
        yield partial(
            client.post, f"{url}entries/", urlencode(words), content_type=form, headers={"HX-Request": "true"}
        )


def format_spread(requests: Iterable[Callable[[], Any]]) -> str:
    """Return the median and 95th percentile in ms; the first request only warms the caches."""
    times = []
    for send in islice(requests, SAMPLES + 1):
        began = time.perf_counter()
        response = send()
        assert response.status_code == 200, response.status_code
        times.append((time.perf_counter() - began) * 1000)
    return f"{statistics.median(times[1:]):.0f} / {statistics.quantiles(times[1:], n=20)[-1]:.0f} ms"
