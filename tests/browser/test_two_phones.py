"""Simultaneous entries from two devices."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import expect

from companion.tables.models import Table
from tests.browser.household import Household
from tests.browser.phone import Phone

SAVE = ".thumb .go >> visible=true"


def test_counts_of_different_players_do_not_clash(phones: Callable[..., Phone], household: Household) -> None:
    table = household.table("take-that", way="pad", names=("Sara", "Λίνος"))
    one, other = _both_open(phones, household, table)
    _count(one, 0, (28, 15, 0))
    _count(other, 1, (26, 5, 3))
    expect(other.notice).to_be_empty()
    assert other.totals() == ["13", "9"]
    assert household.entries(table) == ["count", "count"]


def test_two_counts_of_one_player_can_be_resolved_by_a_tap(phones: Callable[..., Phone], household: Household) -> None:
    table = household.table("take-that", way="pad", names=("Sara", "Λίνος"))
    one, other = _both_open(phones, household, table)
    _count(one, 0, (28, 15, 0))
    _count(other, 0, (30, 15, 0))
    values = other.page.locator(".two-values > *")
    expect(values).to_have_count(2)
    expect(values.nth(0)).to_contain_text("Sara: 28 face up, 15 face down")
    expect(values.nth(1)).to_contain_text("Sara: 30 face up, 15 face down")
    expect(other.page.locator('#board [name="count.0.face_up"]')).to_have_value("30")
    other.tap(values.nth(1).locator("button"))
    expect(other.page.locator("#count-0")).to_contain_text("Sara: 30 face up")
    assert household.entries(table) == ["count", "correct"]
    one.page.reload()
    expect(one.page.locator("#count-0")).to_contain_text("Sara: 30 face up")


def test_two_plays_in_one_slot_can_be_resolved_by_a_tap(phones: Callable[..., Phone], household: Household) -> None:
    table = household.table("take-that", "1 extend seat=1 card=34")
    one, other = _both_open(phones, household, table)
    one.card(41)
    other.card(38)
    values = other.page.locator(".two-values > *")
    expect(values.nth(0)).to_contain_text("Alexis lays 41")
    expect(values.nth(1)).to_contain_text("Alexis lays 38")
    other.press(values.nth(0))
    expect(other.page.locator(".lie li")).to_have_text(["34", "41"])
    assert household.entries(table) == ["extend", "extend"]


def test_same_entry_from_both_devices_is_recorded_once(phones: Callable[..., Phone], household: Household) -> None:
    table = household.table("take-that", "1 extend seat=1 card=34")
    one, other = _both_open(phones, household, table)
    one.card(41)
    other.card(41)
    expect(other.notice).to_contain_text("You have already entered this.")
    expect(other.page.locator(".lie li")).to_have_text(["34", "41"])
    assert household.entries(table) == ["extend", "extend"]


def _both_open(phones: Callable[..., Phone], household: Household, table: Table) -> tuple[Phone, Phone]:
    both = phones(token=household.token), phones("small", token=household.token)
    for phone in both:
        phone.is_offline = True  # from what the other enters, and from nothing else
        phone.page.route("**/news/", lambda route: route.abort())
        phone.page.goto(f"/tables/{table.public_id}/")
    return both


def _count(phone: Phone, seat: int, count: tuple[int, int, int]) -> None:
    for name, value in zip(("face_up", "face_down", "toads"), count, strict=True):
        phone.page.locator(f'[name="count.{seat}.{name}"]').fill(str(value))
    phone.tap(SAVE)
