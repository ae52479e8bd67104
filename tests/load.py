"""`make load`: many tables against `manage.py serve`, for minutes or hours; exits with 1 if a limit is exceeded.

Uses the empty database at DATABASE_URL if set, else a file.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Coroutine, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_hex
from urllib.parse import urlencode

ROOT = Path(__file__).resolve().parent.parent
CSRF = "c" * 32
MAX_POLL_MS, MAX_GROWTH_MB, MAX_MORE_FILES = 100, 20, 16
"""Polls at the 95th percentile; memory growth per process after warming up, as caches fill; additional open files."""

MAX_MS_UNDER_ATTACK = 250
"""Polls and entries at the 95th percentile, while strangers send costly requests."""


@dataclass
class Observations:
    """Response times and statuses by kind of request, and unexpected ones."""

    durations: dict[str, list[float]] = field(default_factory=dict)
    statuses: Counter[str] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)
    acknowledged: set[str] = field(default_factory=set)
    slower: float = 0
    """Factor by which polls slow down in a flood; 0 without one."""
    slowest: float = 0
    """95th percentile of polls or entries in an attack, in milliseconds; 0 without one."""

    def record(self, name: str, status: int, seconds: float, expected: tuple[int, ...]) -> None:
        self.durations.setdefault(name, []).append(seconds)
        self.statuses[f"{name} {status}"] += 1
        if status not in expected:
            self.wrong[f"{name} {status}"] += 1


class KeepAliveConnection:
    """A connection that stays open and reconnects if the server has closed it."""

    def __init__(self, port: int, cookie: str = "", address: str = "") -> None:
        self.port, self.streams, self.lock = port, None, asyncio.Lock()
        cookies = f"csrftoken={CSRF}" + (f"; device={cookie}" if cookie else "")
        self.head = f"Host: localhost:{port}\r\nCookie: {cookies}\r\nAccept-Encoding: gzip\r\n"
        self.head += f"X-Forwarded-For: {address}\r\nX-Forwarded-Proto: http\r\n" if address else ""

    async def request(
        self, method: str, path: str, extra: str = "", fields: dict[str, str] | None = None
    ) -> tuple[int, bytes]:
        body = urlencode({**fields, "csrfmiddlewaretoken": CSRF}).encode() if fields is not None else b""
        if fields is not None:
            extra += f"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {len(body)}\r\n"
        request = f"{method} {path} HTTP/1.1\r\n{self.head}{extra}\r\n".encode() + body
        status, _head, content = await self._send(request)
        return status, content

    async def post(self, path: str, body: bytes, kind: str) -> tuple[int, str]:
        """Return the status and the Location header."""
        headers = f"Content-Type: {kind}\r\nContent-Length: {len(body)}\r\n"
        request = f"POST {path} HTTP/1.1\r\n{self.head}{headers}\r\n".encode() + body
        status, head, _content = await self._send(request)
        return status, head.lower().partition("\r\nlocation: ")[2].partition("\r\n")[0]

    async def _send(self, request: bytes) -> tuple[int, str, bytes]:
        for attempt in (1, 2):
            try:
                return await asyncio.wait_for(self._exchange(request), 30)
            except (ConnectionError, asyncio.IncompleteReadError):
                self.streams = None
                if attempt == 2:
                    raise
        raise AssertionError

    async def _exchange(self, request: bytes) -> tuple[int, str, bytes]:
        self.streams = self.streams or await asyncio.open_connection("127.0.0.1", self.port)
        reader, writer = self.streams
        writer.write(request)
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        length = next(
            (line.split(":")[1] for line in head.lower().split("\r\n") if line[:15] == "content-length:"), "0"
        )
        body = await reader.readexactly(int(length))
        if "connection: close" in head.lower():
            writer.close()
            self.streams = None
        return int(head.split(" ", 2)[1]), head, body


@dataclass
class Phone:
    """A phone at a table that polls for news and enters one count a round."""

    connection: KeepAliveConnection
    url: str
    seat: int
    observations: Observations
    follows: bool
    version: int = 0

    async def time_request(self, name: str, expected: tuple[int, ...], *arguments: object) -> tuple[int, bytes]:
        async with self.connection.lock:
            began = time.perf_counter()
            try:
                status, body = await self.connection.request(*arguments)  # type: ignore[arg-type]
            except (OSError, EOFError, TimeoutError) as error:
                self.connection.streams = None
                status, body = 0, repr(error).encode()
            self.observations.record(name, status, time.perf_counter() - began, expected)
        return status, body

    async def poll(self, until: float, every: float = 2) -> None:
        await asyncio.sleep(random.random() * every)
        while time.monotonic() < until:
            header = f'If-None-Match: "{self.version}"\r\n'
            status, body = await self.time_request("news", (200, 304), "GET", f"{self.url}news/", header)
            if status == 200:
                version = json.loads(body)["version"]
                self.observations.wrong["version goes back"] += version < self.version
                self.version = version
                if self.follows:
                    await self.time_request("page", (200,), "GET", f"{self.url}?way=pad", "HX-Request: true\r\n")
            await asyncio.sleep(every)

    async def enter_counts(self, until: float, every: float) -> None:
        await asyncio.sleep(every * random.random())
        number = 0
        while time.monotonic() < until:
            number += 1
            key = f"{token_hex(8)}"
            fields = {"key": key, "round": str(number), "way": "pad", f"count.{self.seat}.points": str(number)}
            status, _body = await self.time_request(
                "entry", (200,), "POST", f"{self.url}entries/", "HX-Request: true\r\n", fields
            )
            if status == 200:
                self.observations.acknowledged.add(f"{key}.count.{self.seat}")
            await asyncio.sleep(every)


async def guess_codes(port: int, observations: Observations, addresses: int, rate: float, until: float) -> None:
    """Try wrong codes from several addresses, with a new browser each time."""
    number = 0
    while time.monotonic() < until:
        number += 1
        connection, began = (
            KeepAliveConnection(port, address=f"10.0.{number % addresses // 250}.{number % addresses % 250 + 1}"),
            time.monotonic(),
        )
        status = 0
        with suppress(OSError, EOFError, TimeoutError):
            status, _body = await connection.request("POST", "/join/", "", {"code": "ABCDEF"})
        observations.record("guess", status, time.monotonic() - began, (404, 429))
        if connection.streams:
            connection.streams[1].close()
        await asyncio.sleep(max(0.0, 1 / rate - (time.monotonic() - began)))


def create_load_tables(tables: int, phones: int) -> list[list[tuple[str, str]]]:
    """Create a circle per table and a phone per seat; return the table's URL and the phone's secret."""
    from django.db import transaction

    from companion.games import get_games
    from companion.people.auth import add_to_circle, hash_token
    from companion.people.models import Circle, Device
    from companion.people.services import get_or_create_player
    from companion.tables.services.tables import open_table

    phones_by_table = []
    for number in range(tables):
        circle = Circle.objects.create()
        with transaction.atomic():
            players = [get_or_create_player(circle, f"Player {seat}") for seat in range(phones)]
        table = open_table(circle, game=get_games()["any-game"], players=players, options={"name": "Farm"}, mode="pad")
        tokens = [token_hex(22)[:43] for _ in range(phones)]
        for token in tokens:
            add_to_circle(Device.objects.create(token_hash=hash_token(token), label=f"Phone {number}"), circle)
        phones_by_table.append([(f"/tables/{table.public_id}/", token) for token in tokens])
    return phones_by_table


def list_processes(pid: int) -> list[int]:
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *(process for child in children for process in list_processes(int(child)))]


def measure_resources(pid: int) -> tuple[float, int]:
    """Return average resident MB and total open files of a process and its children."""
    pages, files = 0, 0
    for process in list_processes(pid):
        pages += int(Path(f"/proc/{process}/statm").read_text().split()[1])
        files += len(os.listdir(f"/proc/{process}/fd"))
    return pages * os.sysconf("SC_PAGE_SIZE") / len(list_processes(pid)) / 1e6, files


def get_cpu_seconds(pid: int) -> float:
    """Return the processor seconds of a process and its children."""
    ticks = 0
    for process in list_processes(pid):
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


async def run_load(
    port: int, pid: int, tables: list[list[tuple[str, str]]], options: argparse.Namespace, observations: Observations
) -> list[tuple[str, tuple[float, int]]]:
    """Run the load; return the server's resources at the start, when warm, and at the end."""
    seconds = options.minutes * 60
    until = time.monotonic() + seconds
    phones = [
        Phone(KeepAliveConnection(port, token), url, seat, observations, options.follow)
        for seats in tables
        for seat, (url, token) in enumerate(seats)
    ]
    resources = [("at the start", measure_resources(pid))]
    jobs = [
        asyncio.create_task(work)
        for phone in phones
        for work in (phone.poll(until), phone.enter_counts(until, options.every))
    ]
    warm = min(60.0, seconds / 3)
    await asyncio.sleep(warm)
    resources.append((f"after {warm:.0f} s", measure_resources(pid)))
    baseline = {name: list(durations) for name, durations in observations.durations.items()}
    if options.flood:
        jobs += [
            asyncio.create_task(guess_codes(port, observations, options.addresses, options.flood / 50, until))
            for _ in range(50)
        ]
    if options.attack:
        jobs += [
            asyncio.create_task(work) for work in start_attackers(port, tables, options.attack, observations, until)
        ]
    await asyncio.sleep(max(0.0, until - time.monotonic() - 2))
    resources.append(("at the end", measure_resources(pid)))
    await asyncio.gather(*jobs)
    if options.attack:
        for name in ("news", "entry"):
            since = observations.durations[name][len(baseline[name]) :]
            print_figure(
                f"{name} before the attack: median / 95th / 99th percentile", format_percentiles(baseline[name])
            )
            print_figure(f"{name} in the attack: median / 95th / 99th percentile", format_percentiles(since))
            observations.slowest = max(observations.slowest, get_percentile(since, 95))
    if options.flood:
        before, since = baseline["news"], observations.durations["news"][len(baseline["news"]) :]
        observations.slower = get_percentile(since, 95) / get_percentile(before, 95)
        print_figure("news, 95th percentile in the flood, in terms of before", f"{observations.slower:,.1f}")
    return resources


def get_percentile(durations: list[float], percent: int) -> float:
    """Return a percentile in milliseconds."""
    return statistics.quantiles(durations, n=100)[percent - 1] * 1000


def start_attackers(
    port: int, tables: list[list[tuple[str, str]]], each: int, observations: Observations, until: float
) -> Iterator[Coroutine[None, None, None]]:
    """Yield attackers who request the worst PDF, as many who upload the worst file, and a probe."""
    from tests import attack

    token, content = tables[0][0][1], attack.build_worst_import()
    for number in range(each):
        yield attack.request_repeatedly(
            observations, "paper.pdf", KeepAliveConnection(port, token), "/tables/long-table-1/paper.pdf", until
        )
        yield attack.upload_repeatedly(observations, KeepAliveConnection(port, token), content, CSRF, number, until)
    yield attack.request_repeatedly(observations, "healthz", KeepAliveConnection(port), "/healthz", until)


def print_report(observations: Observations, resources: list[tuple[str, tuple[float, int]]]) -> int:
    """Print the results; return the exit status."""
    for name, durations in sorted(observations.durations.items()):
        print_figure(f"{name}: requests", f"{len(durations):,}")
        print_figure(f"{name}: median / 95th / 99th percentile", format_percentiles(durations))
    for status, count in sorted(observations.statuses.items()):
        print_figure(f"   {status}", f"{count:,}")
    for when, (memory, files) in resources:
        print_figure(f"memory of a process and open files of all {when}", f"{memory:,.0f} MB, {files}")
    lost = len(observations.acknowledged - get_stored_keys())
    print_figure("entries acknowledged / missing from the log", f"{len(observations.acknowledged):,} / {lost}")
    print_figure("errors", str(dict(+observations.wrong)) if +observations.wrong else "none")
    (_warm, (memory, files)), (_end, (memory_then, files_then)) = resources[-2:]
    failures = {
        "errors": bool(+observations.wrong) or lost > 0,
        "news too slow": observations.slower > 2
        or observations.slowest > MAX_MS_UNDER_ATTACK
        or (
            not observations.slower
            and not observations.slowest
            and get_percentile(observations.durations["news"], 95) > MAX_POLL_MS
        ),
        "memory grows": not observations.slowest and memory_then - memory > MAX_GROWTH_MB,
        "open files grow": not observations.slower and not observations.slowest and files_then - files > MAX_MORE_FILES,
    }
    print_figure("exceeded limits", ", ".join(name for name, failed in failures.items() if failed) or "nothing")
    return int(any(failures.values()))


def format_percentiles(durations: list[float]) -> str:
    return " / ".join(f"{get_percentile(durations, percent):,.1f}" for percent in (50, 95, 99)) + " ms"


def get_stored_keys() -> set[str]:
    from companion.tables.models import Entry

    return set(Entry.objects.values_list("key", flat=True))


def print_figure(label: str, figure: str) -> None:
    print(f"{label:<60}{figure:>40}", flush=True)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=5, help="60 for a long soak")
    parser.add_argument("--tables", type=int, default=50)
    parser.add_argument("--phones", type=int, default=8, help="at each table")
    parser.add_argument("--every", type=float, default=30, help="seconds between two entries of a phone")
    parser.add_argument("--follow", action="store_true", help="phones fetch the table when there is news, as pages do")
    parser.add_argument("--flood", type=float, default=0, help="wrong codes tried in a second, after warming up")
    parser.add_argument(
        "--attack", type=int, default=0, help="strangers who request the worst PDF, and as many who import"
    )
    parser.add_argument("--addresses", type=int, default=1, help="from which codes are tried")
    return parser.parse_args()


def main() -> int:
    options = parse_arguments()
    from tests.servers import get_free_port, wait_until_serving

    with tempfile.TemporaryDirectory(prefix="companion-load-", ignore_cleanup_errors=True) as data:
        port = get_free_port()
        os.environ |= {"COMPANION_DATA": data, "LOG_LEVEL": "WARNING", "DJANGO_SETTINGS_MODULE": "companion.settings"}
        import django

        django.setup()
        from django.core.management import call_command
        from django.db import connections

        call_command("migrate", verbosity=0)
        tables = create_load_tables(options.tables, options.phones)
        connections.close_all()
        env = os.environ | {"PORT": str(port), "TRUSTED_PROXY": "127.0.0.1"}
        with open(Path(data) / "log", "wb") as log:
            server = subprocess.Popen([sys.executable, "manage.py", "serve"], cwd=ROOT, env=env, stdout=log, stderr=log)
        try:
            wait_until_serving(port, 120)
            if options.attack:
                from tests import attack

                attack.import_file(port, attack.build_long_table(), tables[0][0][1], CSRF)
            observations, before = Observations(), get_cpu_seconds(server.pid)
            status = print_report(observations, asyncio.run(run_load(port, server.pid, tables, options, observations)))
            milliseconds = 1000 * (get_cpu_seconds(server.pid) - before) / sum(observations.statuses.values())
            print_figure("processor time of the server for each request", f"{milliseconds:.2f} ms")
            print_figure("bytes in the log of the server", f"{Path(log.name).stat().st_size:,}")
            return status
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(30)


if __name__ == "__main__":
    sys.exit(main())
