"""Phones that talk to a server over the network, and those that write at a table and note what became of it."""

from __future__ import annotations

import itertools
import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from typing import TypeVar
from urllib.parse import urlencode

from django.db import connections

from tests.web.html import read

Job, Result = TypeVar("Job"), TypeVar("Result")
_VERSION = re.compile(r'data-version="(\d+)"')


class Phone:
    """A browser that talks to a server."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.cookies: dict[str, str] = {}

    def ask(
        self, method: str, path: str, sent: list[tuple[str, str]] | None = None, **headers: str
    ) -> tuple[int, str, str]:
        """Status, where to go next, and the page."""
        connected = HTTPConnection("127.0.0.1", self.port, timeout=60)
        headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        body = None
        if sent is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
            body = urlencode([*sent, ("csrfmiddlewaretoken", self.cookies.get("csrftoken", ""))])
        try:
            connected.request(method, path, body, headers)
            response = connected.getresponse()
            html = response.read().decode()
        finally:
            connected.close()
        for line in response.headers.get_all("Set-Cookie") or []:
            name, _equals, value = line.partition(";")[0].partition("=")
            self.cookies[name] = value
        return response.status, response.headers.get("Location", ""), html

    def twin(self, port: int | None = None) -> Phone:
        """The same phone once more, at this port."""
        other = Phone(port or self.port)
        other.cookies = dict(self.cookies)
        return other


def host_of_a_table(port: int, seats: int) -> tuple[Phone, str]:
    """A phone that has opened a table of a game of any kind, and the table's address."""
    host = Phone(port)
    return host, open_a_table(host, seats)


def open_a_table(host: Phone, seats: int, key: str = "", *, names: Sequence[str] = ()) -> str:
    """The address of another table of this phone's, always with the same players unless they are named."""
    page = read(host.ask("GET", "/tables/new/any-game/")[2])
    known = {e.parent.text: e.attrs["value"] for e in page.all("input", name="seat") if e.parent}
    seated = [("seat", known.get(name, f"n:{name}")) for name in names or [f"P{number}" for number in range(seats)]]
    opening = [("way", "pad"), ("option.name", "Farm"), *seated, ("key", key), ("action", "open")]
    status, url, html = host.ask("POST", "/tables/new/any-game/", opening)
    assert status == 302, html
    return url


def at_once(work: Callable[[Job], Result], jobs: Sequence[Job]) -> list[Result]:
    """Runs the jobs in a thread each, all starting together; the results in the order of the jobs."""
    start = threading.Barrier(len(jobs))

    def run(job: Job) -> Result:
        try:
            start.wait(30)
            return work(job)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(jobs)) as pool:
        return list(pool.map(run, jobs))


@dataclass(frozen=True)
class Attempt:
    """One sending of an entry, and what the phone was told: a status, or 0 where no answer came."""

    key: str
    value: int
    status: int
    version: int
    """Of the table, as the answer showed it: the entry's number, or more."""

    is_uncertain: bool = False
    """Whether it was told that nobody knows: the database was lost at that moment."""

    @property
    def is_acknowledged(self) -> bool:
        return self.status == 200

    @property
    def is_answered(self) -> bool:
        return self.status != 0 and not self.is_uncertain


class Writer:
    """A phone that fills in its seat round after round, and sends again under the same key what was not answered.

    Now and then it sends what must be refused.
    """

    def __init__(self, phone: Phone, table: str, seat: int) -> None:
        self.phone, self.table, self.seat = phone, table, seat
        self.attempts: list[Attempt] = []
        self.stop = threading.Event()
        self._number = itertools.count(1)

    def run(self) -> None:
        """Until it is told to stop, or has no answer."""
        while not self.stop.is_set():
            number = next(self._number)
            if number % 10 == 0 and self._sent(f"wrong-{self.seat}-{number:06}", number, value=-1).status == 0:
                return
            if not self.enter(number):
                return

    def run_on(self) -> None:
        """Until it is told to stop: what has no answer is sent again until it has one."""
        for number in self._number:
            while not self.stop.is_set() and not self.enter(number):
                time.sleep(0.02)
            if self.stop.is_set():
                return

    def enter(self, number: int) -> bool:
        """Whether there was an answer. A round can only be filled in when the one before it has begun."""
        while True:
            found = self._sent(f"entry-{self.seat}-{number:06}", number, value=1 + number % 7)
            if found.status != 400 or self.stop.is_set():
                return found.status != 0
            time.sleep(0.01)

    def settle(self) -> None:
        """Sends again what was never answered. A round that has not begun, because somebody else's count of the one
        before was never answered either, is filled in when it has."""
        for own in self.unknown():
            number = int(own.key.rpartition("-")[2])
            found = self._sent(own.key, number, own.value)
            assert found.status in ((200, 400) if own.value >= 0 else (400,)), found
            if own.value >= 0 and found.status == 400:
                self._number = itertools.count(number)

    def unknown(self) -> list[Attempt]:
        """The last attempt of each entry that was never answered."""
        answered = {own.key for own in self.attempts if own.is_answered}
        return list({own.key: own for own in self.attempts if own.key not in answered}.values())

    @property
    def acknowledged(self) -> Iterator[Attempt]:
        return (own for own in self.attempts if own.is_acknowledged)

    def _sent(self, key: str, number: int, value: int) -> Attempt:
        """A negative value stands for something that is no number."""
        word = str(value) if value >= 0 else "many"
        sent = [("key", key), ("round", str(number)), (f"count.{self.seat}.points", word)]
        try:
            status, _where, html = self.phone.ask("POST", f"{self.table}entries/", sent, **{"HX-Request": "true"})
        except (OSError, HTTPException):
            status, html = 0, ""
        shown = _VERSION.search(html)
        is_uncertain = status == 503 and "It isn’t known whether this was saved" in html
        found = Attempt(key, value, status, int(shown[1]) if shown else 0, is_uncertain)
        self.attempts.append(found)
        return found
