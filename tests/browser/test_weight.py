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
class TransferMeter:
    """Bytes transferred by URL, headers included."""

    urls: dict[str, str] = field(default_factory=dict)
    bytes: dict[str, int] = field(default_factory=dict)
    bodies: dict[str, int] = field(default_factory=dict)
    """Bytes without headers."""

    @classmethod
    def attach(cls, phone: Phone) -> TransferMeter:
        meter = cls()
        network = phone.context.new_cdp_session(phone.page)
        network.on("Network.requestWillBeSent", meter.record_request)
        network.on("Network.dataReceived", meter.record_data)
        network.on("Network.loadingFinished", meter.record_end)
        network.send("Network.enable")
        return meter

    def record_request(self, event: dict[str, Any]) -> None:
        self.urls[event["requestId"]] = event["request"]["url"]

    def record_data(self, event: dict[str, Any]) -> None:
        url = self.urls[event["requestId"]]
        self.bodies[url] = self.bodies.get(url, 0) + int(event["encodedDataLength"])

    def record_end(self, event: dict[str, Any]) -> None:
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
    table = household.create_table(slug, *lines)
    phone = phones(token=household.token)
    meter = TransferMeter.attach(phone)
    phone.page.goto(f"/tables/{table.public_id}/", wait_until="networkidle")
    assert len(meter.bytes) >= 5  # the page, its stylesheets and its scripts
    assert len(meter.bytes) <= FIRST_REQUESTS, meter.bytes
    assert meter.total <= FIRST_BYTES, meter.bytes
    script_bytes = sum(size for url, size in meter.bodies.items() if "/static/js/" in url)
    assert 0 < script_bytes < OWN_SCRIPT_BYTES, meter.bodies

    meter.bytes.clear()
    phone.page.goto(f"/tables/{table.public_id}/", wait_until="networkidle")
    assert 0 < meter.total <= LATER_BYTES, meter.bytes


def test_page_weight_of_an_entry(phones: Callable[..., Phone], household: Household) -> None:
    table = household.create_table("take-that", "1 extend seat=1 card=34")
    phone = phones(token=household.token)
    phone.page.goto(f"/tables/{table.public_id}/", wait_until="networkidle")
    meter = TransferMeter.attach(phone)
    phone.tap_card(41)
    phone.page.wait_for_load_state("networkidle")
    assert 0 < meter.total <= LATER_BYTES, meter.bytes
