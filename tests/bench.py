"""`make bench`: performance figures on this machine, without limits."""

from __future__ import annotations

import http.client
import os
import random
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_urlsafe
from typing import Any
from urllib.parse import urlencode

SEED = 20161015
SAMPLES = 40
SECONDS = 3


def main() -> None:
    folder = Path(tempfile.mkdtemp(prefix="companion-bench-"))
    os.environ.update(COMPANION_DATA=str(folder), LOG_LEVEL="ERROR", DJANGO_SETTINGS_MODULE="companion.settings")
    os.environ.pop("DATABASE_URL", None)
    try:
        import django

        django.setup()
        from django.core.management import call_command

        call_command("build", verbosity=0)
        call_command("migrate", verbosity=0)
        bench_games()
        bench_search()
        bench_pdf()
        bench_judging()
        bench_entries()
        with run_app() as port:
            bench_requests(port)
            bench_visits(port)
        bench_full_table()
        bench_history()
        bench_backups()
    finally:
        shutil.rmtree(folder)


def print_figure(label: str, figure: str) -> None:
    print(f"{label:<66}{figure:>22}", flush=True)


def list_refereed_games() -> list[str]:
    """Return the games with a referee."""
    from companion.games import get_games

    return [slug for slug, game in get_games().items() if game.plays]


def bench_games() -> None:
    """Print the figures of each `tests/games/bench_*.py`."""
    from importlib import import_module

    for path in sorted(Path(__file__).parent.joinpath("games").glob("bench_*.py")):
        for label, figure in import_module(f"tests.games.{path.stem}").figures():
            print_figure(label, figure)


def bench_full_table() -> None:
    from tests.tables.bench import figures

    for label, figure in figures():
        print_figure(label, figure)


def bench_history() -> None:
    """Measure a history of 100,000 tables, which stay in the database."""
    from tests.history.bench import figures

    for label, figure in figures():
        print_figure(label, figure)


def bench_backups() -> None:
    """Measure backups of that history."""
    from tests.ops.backup.bench import figures

    for label, figure in figures():
        print_figure(label, figure)


def bench_search() -> None:
    """Measure building the search index, and searches in both languages."""
    from companion.rulebook.search import search

    began = time.perf_counter()
    search("", "en")
    print_figure("search: reading all rulebooks, once", f"{(time.perf_counter() - began) * 1000:,.0f} ms")
    text = Path(__file__).parent.joinpath("rulebook/queries.toml").read_text(encoding="utf-8")
    milliseconds = []
    for query in tomllib.loads(text)["query"]:
        began = time.perf_counter()
        search(query["text"], query["language"])
        milliseconds.append((time.perf_counter() - began) * 1000)
    print_figure(
        "search: a question, median / worst", f"{statistics.median(milliseconds):.1f} / {max(milliseconds):.1f} ms"
    )


def bench_pdf() -> None:
    """Measure the first rulebook PDF, which loads the renderer, and the others."""
    from django.test import Client

    from companion.games import get_games

    client, milliseconds = Client(SERVER_NAME="localhost"), []
    for slug in get_games():
        began = time.perf_counter()
        assert client.get(f"/el/rules/{slug}/paper/rulebook.pdf").status_code == 200
        milliseconds.append((time.perf_counter() - began) * 1000)
    print_figure(
        "rulebook as PDF, the first / the others, median",
        f"{milliseconds[0]:,.0f} / {statistics.median(milliseconds[1:]):,.0f} ms",
    )


def bench_judging() -> None:
    """Measure how many random plays are judged and applied a second."""
    from companion.games import get_games

    for game in (get_games()[slug] for slug in list_refereed_games()):
        rng = random.Random(SEED)
        plays, judged, began = 0, 0, time.perf_counter()
        while time.perf_counter() - began < SECONDS:
            state = game.referee.setup(game.options.cls(), 3, 0)
            while not state.is_over:
                candidates = list(game.referee.candidates(state))
                rng.shuffle(candidates)
                for candidate in candidates:
                    judged += 1
                    if next(game.referee.judge(state, candidate), None) is None:
                        state = game.referee.apply(state, candidate)
                        plays += 1
                        break
        seconds = time.perf_counter() - began
        print_figure(f"{game.slug}: plays judged a second", f"{judged / seconds:,.0f}")
        print_figure(f"{game.slug}: random legal plays found and made a second", f"{plays / seconds:,.0f}")


def bench_entries() -> None:
    """Compare recording the 1st and the 500th entry with a view that only writes one row."""
    from django.http import HttpRequest, HttpResponse
    from django.test import Client, override_settings
    from django.urls import path

    from companion.ops.server import tune_garbage_collector
    from companion.people.models import Circle
    from companion.urls import urlpatterns

    def empty_view(request: HttpRequest) -> HttpResponse:
        Circle.objects.create()
        return HttpResponse("ok")

    module = type(sys)("bench_urls")
    module.urlpatterns = [*urlpatterns, path("empty/", empty_view)]
    sys.modules["bench_urls"] = module
    with override_settings(ROOT_URLCONF="bench_urls"):
        client = Client(SERVER_NAME="localhost")
        tune_garbage_collector()  # as the server does
        for slug in list_refereed_games():
            for label, number in (("1st", 1), ("500th", 500)):
                pairs = [measure_entry_ms(client, slug, number) for _ in range(SAMPLES)]
                empty, entry = (statistics.median(column) for column in zip(*pairs, strict=True))
                print_figure(f"{slug}: recording the {label} entry, median", f"{entry:.2f} ms")
                print_figure("   an empty view that writes one row, median", f"{empty:.2f} ms")
                print_figure("   ratio", f"{entry / empty:.1f}")


def measure_entry_ms(client: Any, slug: str, number: int) -> tuple[float, float]:
    """Return the milliseconds of the empty view and of recording the entry with that number."""
    url, fields = open_prepared_table(client, slug, number - 1)
    form = "application/x-www-form-urlencoded"
    began = time.perf_counter()
    client.post("/empty/", urlencode(fields), content_type=form, headers={"HX-Request": "true"})
    between = time.perf_counter()
    response = client.post(f"{url}entries/", urlencode(fields), content_type=form, headers={"HX-Request": "true"})
    ended = time.perf_counter()
    assert response.status_code == 200, response.content[-300:]
    return (between - began) * 1000, (ended - between) * 1000


def open_prepared_table(client: Any, slug: str, count: int) -> tuple[str, dict[str, str]]:
    """Open a table with that many entries; return its URL and the form of the next legal play.

    In games with a single round every second entry undoes the previous one.
    """
    from companion.core.entry import Entry as LogEntry
    from companion.core.schema import field_names
    from companion.games import get_games
    from companion.people.models import AttemptCounter
    from companion.tables.log_cache import get_cached_log
    from companion.tables.models import Entry, Table

    AttemptCounter.objects.all().delete()  # the bench opens more tables than the daily limit
    options = {"option.rounds": "99"} if "rounds" in field_names(get_games()[slug].options.cls) else {}
    names = [f"n:{name}" for name in ("Ann", "Bo", "Chris")]
    url = client.post(f"/tables/new/{slug}/", {"action": "open", "seat": names, "way": "referee", **options})[
        "Location"
    ]
    table = Table.objects.get(public_id=url.split("/")[2])
    rng = random.Random(SEED + count)
    log = get_cached_log(table, 3).log
    rows = []
    for number in range(1, count + 1):
        if options or number % 2:
            slot, kind, words = choose_next_play(log.match, rng)
        else:
            slot, kind, words = {"round": "1"}, "undo", {"target": str(log.undoable[-1])}
        log = log.append(LogEntry(number, kind, words, int(slot["round"])))
        key = token_urlsafe(12)
        row = Entry(
            table=table, number=number, key=key, kind=kind, round=int(slot["round"]), words=words, game_version=1
        )
        rows.append(row)
    Entry.objects.bulk_create(rows)
    Table.objects.filter(pk=table.pk).update(version=count)
    client.get(url)
    slot, kind, words = choose_next_play(log.match, rng)
    return url, {"key": token_urlsafe(12), "seen": str(count), "way": "referee", **slot, "kind": kind, **words}


def choose_next_play(match: Any, rng: random.Random) -> tuple[dict[str, str], str, dict[str, str]]:
    """Return the slot, kind and fields of a random legal play."""
    from companion.core.schema import encode
    from tests.games.random_play import random_play

    number = match.last_number + 1 if match.get_round(match.last_number).is_over else match.last_number
    played = match.get_round(number)
    play = random_play(match.game, played.state, rng)
    slot = {"round": str(number), "place": str(len(played.plays) + 1)}
    return slot, match.game.get_kind(play), encode(play)


@contextmanager
def run_app() -> Iterator[int]:
    """Run the server as `make run` does; yield its port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    process = subprocess.Popen(
        [sys.executable, "manage.py", "serve"], env={**os.environ, "PORT": str(port)}, stdout=subprocess.DEVNULL
    )
    try:
        for _ in range(200):
            with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                break
            time.sleep(0.1)
        yield port
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(20)


def bench_requests(port: int) -> None:
    """Measure the request rate of the table page and of polls without news."""
    headers, url = open_table(port)
    for clients in (1, 8):
        print_figure(
            f"table page, requests a second, clients: {clients}",
            f"{measure_request_rate(port, url, headers, 200, clients):,.0f}",
        )
    unchanged = {**headers, "If-None-Match": '"0"'}
    for clients in (1, 8):
        figure = measure_request_rate(port, f"{url}news/", unchanged, 304, clients)
        print_figure(f"nothing new, answers a second, clients: {clients}", f"{figure:,.0f}")


def measure_request_rate(port: int, url: str, headers: dict[str, str], status: int, clients: int) -> float:
    """Return the responses a second to clients that send requests as fast as they can."""
    counts: list[int] = []

    def send_requests() -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port)
        count, began = 0, time.perf_counter()
        while time.perf_counter() - began < SECONDS:
            connection.request("GET", url, headers=headers)
            response = connection.getresponse()
            assert response.status == status
            response.read()
            count += 1
        counts.append(count)

    threads = [threading.Thread(target=send_requests) for _ in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(counts) / SECONDS


def open_table(port: int) -> tuple[dict[str, str], str]:
    """Open a table over HTTP; return the headers of the device and the URL of the table."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.request("GET", "/tables/new/the-game/")
    response = connection.getresponse()
    page = response.read().decode()
    csrf = response.headers["Set-Cookie"].split(";")[0]
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page)
    assert token
    fields = [("csrfmiddlewaretoken", token[1]), ("action", "open"), ("way", "referee")]
    body = urlencode([*fields, *(("seat", f"n:{name}") for name in ("Ann", "Bo", "Chris"))])
    form = {"Content-Type": "application/x-www-form-urlencoded", "Cookie": csrf}
    connection.request("POST", "/tables/new/the-game/", body, form)
    response = connection.getresponse()
    response.read()
    device = response.headers["Set-Cookie"].split(";")[0]
    return {"Cookie": f"{csrf}; {device}", "Accept-Encoding": "gzip"}, response.headers["Location"]


def bench_visits(port: int) -> None:
    """Measure the requests and bytes of the first and second visit to a table."""
    from playwright.sync_api import sync_playwright

    headers, url = open_table(port)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=os.environ.get("CHROMIUM")
            or shutil.which("chromium-headless-shell")
            or shutil.which("chromium"),
            args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking"],
        )
        context = browser.new_context(viewport={"width": 390, "height": 844})
        for pair in headers["Cookie"].split("; "):
            name, _equals, value = pair.partition("=")
            context.add_cookies([{"name": name, "value": value, "url": f"http://127.0.0.1:{port}"}])
        page = context.new_page()
        network = context.new_cdp_session(page)
        network.send("Network.enable")
        sizes: list[float] = []
        network.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
        for visit in ("first", "second"):
            sizes.clear()
            page.goto(f"http://127.0.0.1:{port}{url}", wait_until="networkidle")
            over_the_wire = [size for size in sizes if size]
            print_figure(f"{visit} visit: requests", str(len(over_the_wire)))
            print_figure(f"{visit} visit: bytes, headers included", f"{sum(over_the_wire):,.0f}")
        browser.close()


if __name__ == "__main__":
    main()
