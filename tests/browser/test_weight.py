"""Transfer size of the table page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.browser.household import Household
from tests.browser.phone import Phone

FIRST_BYTES, FIRST_REQUESTS = 60 * 1024, 10
LATER_BYTES = 15 * 1024
OWN_SCRIPT_BYTES = 10 * 1024


@dataclass
class Meter:
    """Counts the bytes that come over the network, headers included, by address."""

    urls: dict[str, str] = field(default_factory=dict)
    bytes: dict[str, int] = field(default_factory=dict)
    bodies: dict[str, int] = field(default_factory=dict)
    """The same without headers."""

    @classmethod
    def at(cls, phone: Phone) -> Meter:
        meter = cls()
        network = phone.context.new_cdp_session(phone.page)
        network.on("Network.requestWillBeSent", meter.sent)
        network.on("Network.dataReceived", meter.received)
        network.on("Network.loadingFinished", meter.finished)
        network.send("Network.enable")
        return meter

    def sent(self, event: dict[str, Any]) -> None:
        self.urls[event["requestId"]] = event["request"]["url"]

    def received(self, event: dict[str, Any]) -> None:
        url = self.urls[event["requestId"]]
        self.bodies[url] = self.bodies.get(url, 0) + int(event["encodedDataLength"])

    def finished(self, event: dict[str, Any]) -> None:
        url = self.urls[event["requestId"]]
        self.bytes[url] = self.bytes.get(url, 0) + int(event["encodedDataLength"])

    @property
    def total(self) -> int:
        return sum(self.bytes.values())


@pytest.mark.parametrize(
    ("slug", "lines"),
    [
        ("take-that", [f"1 extend seat={(1 + n) % 3} card={34 + n}" for n in range(5)]),
        ("the-game", [f"1 place seat=0 card={30 + n} row=up-1" for n in range(6)]),
    ],
)
def test_page_weight_of_first_and_second_visit(
    phones: Callable[..., Phone], household: Household, slug: str, lines: list[str]
) -> None:
    table = household.table(slug, *lines)
    phone = phones(token=household.token)
    first = Meter.at(phone)
    phone.page.goto(f"/tables/{table.public_id}/", wait_until="networkidle")
    assert len(first.bytes) >= 5  # the page, its style and its scripts have been seen
    assert len(first.bytes) <= FIRST_REQUESTS, first.bytes
    assert first.total <= FIRST_BYTES, first.bytes
    own = sum(size for url, size in first.bodies.items() if "/static/js/" in url)
    assert 0 < own < OWN_SCRIPT_BYTES, first.bodies

    first.bytes.clear()
    phone.page.goto(f"/tables/{table.public_id}/", wait_until="networkidle")
    assert 0 < first.total <= LATER_BYTES, first.bytes


def test_page_weight_of_an_entry(phones: Callable[..., Phone], household: Household) -> None:
    table = household.table("take-that", "1 extend seat=1 card=34")
    phone = phones(token=household.token)
    phone.page.goto(f"/tables/{table.public_id}/", wait_until="networkidle")
    meter = Meter.at(phone)
    phone.card(41)
    phone.page.wait_for_load_state("networkidle")
    assert 0 < meter.total <= LATER_BYTES, meter.bytes
