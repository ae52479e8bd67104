"""Live updates between devices."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Request, Route, expect

from companion.people.models import Device
from companion.tables.models import Table
from tests.browser.household import Household
from tests.browser.phone import Phone

NEWS = "**/news/"
HIDE = """
Object.defineProperty(document, "hidden", {get: () => window.isAway === true});
"""
SHOWN_AT = """(cards) => new Promise((resolve) => {
  const row = document.getElementsByClassName("lie");
  const look = () => (row[0].children.length >= cards ? resolve(Date.now()) : requestAnimationFrame(look));
  look();
})"""
"""When so many cards lay in the row, by the clock of this machine."""


def opened(phone: Phone, table: Table, query: str = "") -> Phone:
    phone.page.goto(f"/tables/{table.public_id}/{query}")
    return phone


def lie(phone: Phone, *cards: str) -> None:
    expect(phone.page.locator(".lie li:not(.none)")).to_have_text(list(cards))


@pytest.mark.smoke
def test_entry_reaches_all_devices_within_two_seconds(linked: Callable[..., Phone], household: Household) -> None:
    table = household.table("take-that", "1 extend seat=1 card=34")
    one, *others = (opened(linked(device), table) for device in ("Pixel 7", "small", "desk"))
    for card in (38, 41):
        one.card(card)
        entered = Table.objects.get().entries.latest("number").at.timestamp()
        for other in others:
            shown = other.page.evaluate(SHOWN_AT, {38: 2, 41: 3}[card]) / 1000
            assert shown - entered < 2.5  # and not the 2 of the promise: this machine does more than one thing
    for phone in (one, *others):
        lie(phone, "34", "38", "41")
    assert "41" in (others[0].page.locator("#said").text_content() or "")


def test_board_in_use_is_not_replaced_but_announces_news(phones: Callable[..., Phone], household: Household) -> None:
    table = household.table("take-that", way="pad")
    phone = opened(phones("small", token=household.token), table)
    phone.page.locator('[name="count.0.face_up"]').fill("12")
    phone.page.locator('[name="count.2.toads"]').fill("1")
    household.enter(table, "1 count seat=1 face_up=28 face_down=15 toads=0")
    news = phone.page.locator("#news")
    expect(news).to_contain_text("Λίνος")
    household.enter(table, "1 count seat=2 face_up=26 face_down=5 toads=3")
    expect(news).to_contain_text("+1 more")
    expect(phone.page.locator('[name="count.0.face_up"]')).to_have_value("12")
    expect(phone.page.locator("#count-1")).not_to_contain_text("counted")
    phone.press(news.get_by_role("button"))
    expect(phone.page.locator("#count-1")).to_contain_text("counted")
    expect(phone.page.locator('[name="count.0.face_up"]')).to_have_value("12")
    expect(news).to_be_empty()
    assert household.entries(table) == ["count", "count"]


def test_open_notice_or_help_holds_the_board(phones: Callable[..., Phone], household: Household) -> None:
    table = household.table("take-that", "1 extend seat=1 card=34")
    phone = opened(phones(token=household.token), table)
    phone.card(12)  # refused: too far away
    household.enter(table, "1 extend seat=2 card=38")
    expect(phone.page.locator("#news")).to_contain_text("lays 38")
    lie(phone, "34")
    phone.press("#notice .shut")
    lie(phone, "34", "38")
    phone.press(".where .ask")
    expect(phone.page.locator("#help .slip")).to_be_visible()
    household.enter(table, "1 extend seat=0 card=41")
    expect(phone.page.locator("#news")).to_contain_text("lays 41")
    expect(phone.page.locator("#help .slip")).to_be_visible()


def test_stale_response_never_replaces_a_newer_one(phones: Callable[..., Phone], household: Household) -> None:
    table = household.table("take-that", "1 extend seat=1 card=34")
    phone = opened(phones(token=household.token), table)
    page = phone.page
    old = page.evaluate("async () => (await fetch(location.href, {headers: {'HX-Request': 'true'}})).text()")
    household.enter(table, "1 extend seat=2 card=38")
    lie(phone, "34", "38")
    stale: list[str] = []

    def answers_with_old(route: Route) -> None:
        stale.append(route.request.url)
        route.fulfill(body=old, content_type="text/html")

    page.route(page.url, answers_with_old, times=1)
    household.enter(table, "1 extend seat=0 card=41")
    lie(phone, "34", "38", "41")
    assert len(stale) == 1
    seen = page.evaluate("window.versions")
    assert seen == sorted(seen), seen


def asks(page: Page) -> list[Request]:
    found: list[Request] = []
    page.on("request", lambda request: found.append(request) if request.url.endswith("/news/") else None)
    return found


def test_hidden_page_pauses_polling_until_visible(phones: Callable[..., Phone], household: Household) -> None:
    table = household.table("take-that", "1 extend seat=1 card=34")
    phone = phones(token=household.token)
    phone.context.add_init_script(HIDE)
    phone.page.clock.install()
    opened(phone, table)
    with phone.page.expect_request(NEWS):
        phone.page.clock.run_for(2_000)
    phone.page.evaluate("window.isAway = true")
    phone.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    found = asks(phone.page)
    household.enter(table, "1 extend seat=2 card=38")
    phone.page.clock.run_for(60_000)
    assert found == []
    phone.page.evaluate("window.isAway = false")
    with phone.page.expect_request(NEWS):
        phone.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    lie(phone, "34", "38")


def test_idle_page_polls_less_often(phones: Callable[..., Phone], household: Household) -> None:
    table = household.table("take-that", "1 extend seat=1 card=34")
    phone = phones(token=household.token)
    phone.page.clock.install()
    opened(phone, table)
    phone.page.clock.fast_forward("05:01")
    for _again in range(2):
        with phone.page.expect_response(NEWS) as answered:
            phone.page.clock.run_for(10_500)
        assert answered.value.status == 304
        phone.page.wait_for_function("() => document.readyState === 'complete'")
    found = asks(phone.page)
    phone.page.clock.run_for(5_000)
    assert len(found) <= 1
    with phone.page.expect_request(NEWS):
        phone.press(".turn-line")  # a touch alone asks nothing; whoever comes back from elsewhere does
        phone.page.evaluate("dispatchEvent(new Event('focus'))")


def test_resumed_page_updates_at_once(linked: Callable[..., Phone], household: Household) -> None:
    table = household.table("take-that", "1 extend seat=1 card=34")
    phone = opened(linked(), table)
    lie(phone, "34")
    phone.page.clock.install()
    phone.page.clock.pause_at(time.time() + 60)  # its timers stand still
    household.enter(table, "1 extend seat=2 card=38")
    household.enter(table, "1 extend seat=0 card=41")
    phone.page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', {persisted: true}))")
    lie(phone, "34", "38", "41")


def test_log_page_announces_new_entries(phones: Callable[..., Phone], household: Household) -> None:
    table = household.table("take-that", "1 extend seat=1 card=34")
    phone = opened(phones(token=household.token), table, "log/")
    household.enter(table, "1 extend seat=2 card=38")
    expect(phone.page.locator("#news")).to_contain_text("lays 38")
    expect(phone.page.locator("ol.log li")).to_have_count(1)
    phone.press(phone.page.locator("#news button"))
    expect(phone.page.locator("ol.log li")).to_have_count(2)


def test_removed_device_shows_a_message_and_stops_polling(phones: Callable[..., Phone], household: Household) -> None:
    table = household.table("take-that", "1 extend seat=1 card=34")
    phone = opened(phones(token=household.token), table)
    phone.expected = phone.expected | {404}
    Device.objects.update(token_hash="x" * 64)
    expect(phone.page.locator("#news")).to_contain_text("no longer has access to this table")
    found = asks(phone.page)
    phone.page.evaluate("dispatchEvent(new Event('focus'))")
    expect(phone.page.locator("#news button")).to_be_hidden()
    phone.page.wait_for_load_state("networkidle")
    assert found == []
