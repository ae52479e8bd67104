"""Acknowledged entries after the server is killed or restarted."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from tests.faults.phones import Writer, create_host, open_table
from tests.faults.servers import AppServer
from tests.faults.store import HistoryCounts, Store, check_history, read_stored_log
from tests.scale import choose_count
from tests.servers import wait_until

SEED = 20261122
WRITERS = 6
KILLS = choose_count(4, 200)
FEWEST, MOST = choose_count(15, 40), choose_count(45, 160)
"""Entries acknowledged between two kills."""
STOPS = choose_count(2, 10)
PHONES = 8


def create_writers(app: AppServer, host, table: str, count: int) -> list[Writer]:
    return [Writer(host.copy(app.port), table, seat) for seat in range(count)]


def count_acknowledged(writers: Sequence[Writer]) -> int:
    return sum(1 for writer in writers for _ in writer.acknowledged)


def have_all_progressed(writers: Sequence[Writer], before: Sequence[int]) -> bool:
    return all(count_acknowledged([writer]) > count for writer, count in zip(writers, before, strict=True))


@contextmanager
def run_writers(work: Callable[[Writer], None], writers: Sequence[Writer]) -> Iterator[None]:
    """Run each writer in its own thread; stop them all on exit."""
    threads = [threading.Thread(target=work, args=(writer,)) for writer in writers]
    for writer, thread in zip(writers, threads, strict=True):
        writer.stop.clear()
        thread.start()
    try:
        yield
    finally:
        for writer in writers:
            writer.stop.set()
        for thread in threads:
            thread.join()


def kill_while_writing(app: AppServer, store: Store, writers: Sequence[Writer], rng: random.Random) -> None:
    """Kill the server, and sometimes PostgreSQL, at a random time during writes; start it again."""
    target = count_acknowledged(writers) + rng.randint(FEWEST, MOST)
    with run_writers(Writer.run, writers):
        wait_until(lambda: count_acknowledged(writers) >= target)
        time.sleep(rng.uniform(0, 0.02))
        kills_database = store.server is not None and rng.random() < 0.5
        if store.server and kills_database:
            store.server.kill()
        app.kill()
    if store.server and kills_database:
        store.server.start()
    app.start()


def test_acknowledged_entries_survive_kill_9(store, capsys):
    """After each kill the phones resend every unanswered entry."""
    rng, total = random.Random(SEED), HistoryCounts()
    with AppServer(store.data, store.url) as app:
        host, table = create_host(app.port, WRITERS)
        writers = create_writers(app, host, table, WRITERS)
        for number in range(KILLS):
            if number and number % 2 == 0:  # every other table is written to again after a kill
                table = open_table(host, WRITERS)
                writers = create_writers(app, host, table, WRITERS)
            kill_while_writing(app, store, writers, rng)
            store.assert_sound()
            unanswered = sum(len(writer.list_unanswered()) for writer in writers)
            check_history(read_stored_log(store, table), writers)
            for writer in writers:
                writer.resend_unanswered()
            counts = check_history(read_stored_log(store, table), writers)
            total += counts if number % 2 or number == KILLS - 1 else HistoryCounts()
            assert unanswered == 0 or not any(writer.list_unanswered() for writer in writers)
        assert "Traceback" not in app.log or store.server
    assert total.acknowledged >= FEWEST * KILLS
    with capsys.disabled():
        print(f"\n{KILLS} kills, {total}")  # noqa: T201 - results for REQUIREMENTS.md


def test_restarts_under_load_keep_each_entry_once(store, capsys):
    """Every phone has an entry accepted after each restart."""
    with AppServer(store.data, store.url) as app:
        host, table = create_host(app.port, PHONES)
        writers = create_writers(app, host, table, PHONES)
        with run_writers(Writer.run_with_retries, writers):
            for number in range(STOPS + 1):
                before = [count_acknowledged([writer]) for writer in writers]
                wait_until(lambda before=before: have_all_progressed(writers, before))
                if number < STOPS:
                    assert app.stop() == 0
                    app.start()
        for writer in writers:
            writer.resend_unanswered()
    counts = check_history(read_stored_log(store, table), writers)
    with capsys.disabled():
        print(f"\n{STOPS} stops, {counts}")  # noqa: T201
