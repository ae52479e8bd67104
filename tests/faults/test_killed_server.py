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

SEED = 20261122
WRITERS = 6
KILLS = choose_count(4, 200)
FEWEST, MOST = choose_count(15, 40), choose_count(45, 160)
"""Entries that are acknowledged between two kills."""
STOPS = choose_count(2, 10)
PHONES = 8


def writers_at(app: AppServer, host, table: str, count: int) -> list[Writer]:
    return [Writer(host.twin(app.port), table, seat) for seat in range(count)]


def acknowledged(writers: Sequence[Writer]) -> int:
    return sum(1 for writer in writers for _own in writer.acknowledged)


def all_have_more(writers: Sequence[Writer], before: Sequence[int]) -> bool:
    return all(acknowledged([writer]) > count for writer, count in zip(writers, before, strict=True))


@contextmanager
def writing(work: Callable[[Writer], None], writers: Sequence[Writer]) -> Iterator[None]:
    """The writers write meanwhile, each in a thread, and are through with it afterwards."""
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


def wait_for(is_so: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.002)


def killed_in_midst(app: AppServer, store: Store, writers: Sequence[Writer], chance: random.Random) -> None:
    """The writers write until a moment that nobody knows, and are told nothing more; then it is served again."""
    enough = acknowledged(writers) + chance.randint(FEWEST, MOST)
    with writing(Writer.run, writers):
        wait_for(lambda: acknowledged(writers) >= enough)
        time.sleep(chance.uniform(0, 0.02))
        is_of_both = store.server is not None and chance.random() < 0.5
        if store.server and is_of_both:
            store.server.kill()
        app.kill()
    if store.server and is_of_both:
        store.server.start()
    app.start()


def test_acknowledged_entries_survive_kill_9(store, capsys):
    """6 phones write at full speed; after each kill they ask again for what was never answered."""
    chance, total = random.Random(SEED), HistoryCounts()
    with AppServer(store.data, store.url) as app:
        host, table = create_host(app.port, WRITERS)
        writers = writers_at(app, host, table, WRITERS)
        for number in range(KILLS):
            if number and number % 2 == 0:  # some tables live through a kill, and are written on
                table = open_table(host, WRITERS)
                writers = writers_at(app, host, table, WRITERS)
            killed_in_midst(app, store, writers, chance)
            store.assert_sound()
            unknown = sum(len(writer.unknown()) for writer in writers)
            check_history(read_stored_log(store, table), writers)
            for writer in writers:
                writer.settle()
            found = check_history(read_stored_log(store, table), writers)
            total += found if number % 2 or number == KILLS - 1 else HistoryCounts()
            assert unknown == 0 or not any(writer.unknown() for writer in writers)
        assert "Traceback" not in app.words or store.server
    assert total.acknowledged >= FEWEST * KILLS
    with capsys.disabled():
        print(f"\n{KILLS} kills, {total}")  # noqa: T201 - for the table of what holds


def test_restarts_under_load_keep_each_entry_once(store, capsys):
    """Nobody waits for a quiet moment; every phone is through again after each start."""
    with AppServer(store.data, store.url) as app:
        host, table = create_host(app.port, PHONES)
        writers = writers_at(app, host, table, PHONES)
        with writing(Writer.run_on, writers):
            for number in range(STOPS + 1):
                before = [acknowledged([writer]) for writer in writers]
                wait_for(lambda before=before: all_have_more(writers, before))
                if number < STOPS:
                    assert app.stop() == 0
                    app.start()
        for writer in writers:
            writer.settle()
    found = check_history(read_stored_log(store, table), writers)
    with capsys.disabled():
        print(f"\n{STOPS} stops, {found}")  # noqa: T201
