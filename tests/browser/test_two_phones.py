"""Simultaneous entries from two devices."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import expect

from companion.tables.models import Table
from tests.browser.household import Household
from tests.browser.phone import Phone

SAVE = ".thumb .go >> visible=true"


def test_counts_of_different_players_do_not_clash(phones: Callable[..., Phone], household: Household) -> None:
    table = household.create_table("take-that", mode="pad", names=("Sara", "Λίνος"))
    first, second = _open_on_two_phones(phones, household, table)
    _enter_count(first, 0, (28, 15, 0))
    _enter_count(second, 1, (26, 5, 3))
    expect(second.notice).to_be_empty()
    assert second.read_totals() == ["13", "9"]
    assert household.get_entry_kinds(table) == ["count", "count"]


def test_two_counts_of_one_player_can_be_resolved_by_a_tap(phones: Callable[..., Phone], household: Household) -> None:
    table = household.create_table("take-that", mode="pad", names=("Sara", "Λίνος"))
    first, second = _open_on_two_phones(phones, household, table)
    _enter_count(first, 0, (28, 15, 0))
    _enter_count(second, 0, (30, 15, 0))
    values = second.page.locator(".two-values > *")
    expect(values).to_have_count(2)
    expect(values.nth(0)).to_contain_text("Sara: 28 face up, 15 face down")
    expect(values.nth(1)).to_contain_text("Sara: 30 face up, 15 face down")
    expect(second.page.locator('#board [name="count.0.face_up"]')).to_have_value("30")
    second.tap(values.nth(1).locator("button"))
    expect(second.page.locator("#count-0")).to_contain_text("Sara: 30 face up")
    assert household.get_entry_kinds(table) == ["count", "correct"]
    first.page.reload()
    expect(first.page.locator("#count-0")).to_contain_text("Sara: 30 face up")


def test_two_plays_in_one_slot_can_be_resolved_by_a_tap(phones: Callable[..., Phone], household: Household) -> None:
    table = household.create_table("take-that", "1 extend seat=1 card=34")
    first, second = _open_on_two_phones(phones, household, table)
    first.tap_card(41)
    second.tap_card(38)
    values = second.page.locator(".two-values > *")
    expect(values.nth(0)).to_contain_text("Alexis lays 41")
    expect(values.nth(1)).to_contain_text("Alexis lays 38")
    second.press(values.nth(0))
    expect(second.page.locator(".lie li")).to_have_text(["34", "41"])
    assert household.get_entry_kinds(table) == ["extend", "extend"]


def test_same_entry_from_both_devices_is_recorded_once(phones: Callable[..., Phone], household: Household) -> None:
    table = household.create_table("take-that", "1 extend seat=1 card=34")
    first, second = _open_on_two_phones(phones, household, table)
    first.tap_card(41)
    second.tap_card(41)
    expect(second.notice).to_contain_text("You have already entered this.")
    expect(second.page.locator(".lie li")).to_have_text(["34", "41"])
    assert household.get_entry_kinds(table) == ["extend", "extend"]


def _open_on_two_phones(phones: Callable[..., Phone], household: Household, table: Table) -> tuple[Phone, Phone]:
    devices = phones(token=household.token), phones("small", token=household.token)
    for phone in devices:
        phone.is_offline = True  # polls are aborted below
        phone.page.route("**/news/", lambda route: route.abort())
        phone.page.goto(f"/tables/{table.public_id}/")
    return devices


def _enter_count(phone: Phone, seat: int, count: tuple[int, int, int]) -> None:
    for name, value in zip(("face_up", "face_down", "toads"), count, strict=True):
        phone.page.locator(f'[name="count.{seat}.{name}"]').fill(str(value))
    phone.tap(SAVE)
