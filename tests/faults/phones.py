"""Phones that talk to a real server, and writers that record the outcome of each entry."""

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

from tests.web.html import parse_html

Job, Result = TypeVar("Job"), TypeVar("Result")
_VERSION = re.compile(r'data-version="(\d+)"')


class Phone:
    """An HTTP client with cookies."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.cookies: dict[str, str] = {}

    def request(
        self, method: str, path: str, fields: list[tuple[str, str]] | None = None, **headers: str
    ) -> tuple[int, str, str]:
        """Return the status, Location header and body."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=60)
        headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        body = None
        if fields is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
            body = urlencode([*fields, ("csrfmiddlewaretoken", self.cookies.get("csrftoken", ""))])
        try:
            connection.request(method, path, body, headers)
            response = connection.getresponse()
            html = response.read().decode()
        finally:
            connection.close()
        for cookie in response.headers.get_all("Set-Cookie") or []:
            name, _equals, value = cookie.partition(";")[0].partition("=")
            self.cookies[name] = value
        return response.status, response.headers.get("Location", ""), html

    def copy(self, port: int | None = None) -> Phone:
        """Return a copy of this phone, for another server if a port is given."""
        phone = Phone(port or self.port)
        phone.cookies = dict(self.cookies)
        return phone


def create_host(port: int, seats: int) -> tuple[Phone, str]:
    """Return a phone that has opened a table of the generic game, and the table's URL."""
    host = Phone(port)
    return host, open_table(host, seats)


def open_table(host: Phone, seats: int, key: str = "", *, names: Sequence[str] = ()) -> str:
    """Open a table with the given names, or with players P0, P1, ...; return its URL."""
    page = parse_html(host.request("GET", "/tables/new/any-game/")[2])
    players = {e.parent.text: e.attrs["value"] for e in page.all("input", name="seat") if e.parent}
    seated = [("seat", players.get(name, f"n:{name}")) for name in names or [f"P{number}" for number in range(seats)]]
    fields = [("way", "pad"), ("option.name", "Farm"), *seated, ("key", key), ("action", "open")]
    status, url, html = host.request("POST", "/tables/new/any-game/", fields)
    assert status == 302, html
    return url


def run_concurrently(work: Callable[[Job], Result], jobs: Sequence[Job]) -> list[Result]:
    """Run each job in its own thread, started together; return the results in order."""
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
    """One attempt to send an entry and its outcome; status 0 if there was no answer."""

    key: str
    value: int
    status: int
    version: int
    """Version of the table in the response: at least the entry's number."""

    is_uncertain: bool = False
    """The response said that it is unknown whether the entry was saved."""

    @property
    def is_acknowledged(self) -> bool:
        return self.status == 200

    @property
    def is_answered(self) -> bool:
        return self.status != 0 and not self.is_uncertain


class Writer:
    """A phone that enters one count a round, and resends unanswered entries with the same key.

    Every tenth entry is invalid.
    """

    def __init__(self, phone: Phone, table: str, seat: int) -> None:
        self.phone, self.table, self.seat = phone, table, seat
        self.attempts: list[Attempt] = []
        self.stop = threading.Event()
        self._number = itertools.count(1)

    def run(self) -> None:
        """Send entries until stopped or unanswered."""
        while not self.stop.is_set():
            number = next(self._number)
            if number % 10 == 0 and self._send(f"wrong-{self.seat}-{number:06}", number, value=-1).status == 0:
                return
            if not self.send_entry(number):
                return

    def run_with_retries(self) -> None:
        """Send entries until stopped; retry unanswered ones."""
        for number in self._number:
            while not self.stop.is_set() and not self.send_entry(number):
                time.sleep(0.02)
            if self.stop.is_set():
                return

    def send_entry(self, number: int) -> bool:
        """Send an entry, retrying while its round cannot begin yet; return whether it was answered."""
        while True:
            attempt = self._send(f"entry-{self.seat}-{number:06}", number, value=1 + number % 7)
            if attempt.status != 400 or self.stop.is_set():
                return attempt.status != 0
            time.sleep(0.01)

    def resend_unanswered(self) -> None:
        """Resend unanswered entries; continue from a round that cannot begin yet."""
        for unanswered in self.list_unanswered():
            number = int(unanswered.key.rpartition("-")[2])
            attempt = self._send(unanswered.key, number, unanswered.value)
            assert attempt.status in ((200, 400) if unanswered.value >= 0 else (400,)), attempt
            if unanswered.value >= 0 and attempt.status == 400:
                self._number = itertools.count(number)

    def list_unanswered(self) -> list[Attempt]:
        """Return the last attempt of each entry that was never answered."""
        answered = {attempt.key for attempt in self.attempts if attempt.is_answered}
        return list({attempt.key: attempt for attempt in self.attempts if attempt.key not in answered}.values())

    @property
    def acknowledged(self) -> Iterator[Attempt]:
        return (attempt for attempt in self.attempts if attempt.is_acknowledged)

    def _send(self, key: str, number: int, value: int) -> Attempt:
        """Send an entry; a negative value means invalid input."""
        points = str(value) if value >= 0 else "many"
        fields = [("key", key), ("round", str(number)), (f"count.{self.seat}.points", points)]
        try:
            status, _location, html = self.phone.request(
                "POST", f"{self.table}entries/", fields, **{"HX-Request": "true"}
            )
        except (OSError, HTTPException):
            status, html = 0, ""
        match = _VERSION.search(html)
        is_uncertain = status == 503 and "It isn’t known whether this was saved" in html
        attempt = Attempt(key, value, status, int(match[1]) if match else 0, is_uncertain)
        self.attempts.append(attempt)
        return attempt
