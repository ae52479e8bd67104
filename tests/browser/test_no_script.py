"""Tables without JavaScript."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.household import NAMES
from tests.browser.phone import Phone


@pytest.mark.smoke
def test_table_works_without_javascript(phones: Callable[..., Phone]) -> None:
    phone = phones("small", java_script_enabled=False)
    phone.open_table("take-that", NAMES, mode="referee")
    _play_and_insist(phone)
    _count_both_rounds(phone)
    _correct_count(phone)
    phone.press(phone.button("Rematch"))
    expect(phone.page.locator(".seat.turn .name")).to_have_text("Sara")
    phone.page.reload()
    expect(phone.page.locator(".log .no")).to_have_count(0)


def _play_and_insist(phone: Phone) -> None:
    row = phone.page.locator(".lie li")
    phone.press("#card-34")
    expect(row).to_have_text(["34"])
    phone.press("#card-55")
    expect(phone.notice).to_contain_text("55 is 21 away from 34, and a card may be at most 10 away.")
    expect(row).to_have_text(["34"])
    phone.press(phone.button("We insist"))
    expect(row).to_have_text(["34", "55"])
    expect(phone.log.first).to_contain_text("insisted")
    phone.press(phone.button("Undo"))
    expect(row).to_have_text(["34"])
    phone.press(phone.button("Redo"))
    expect(row).to_have_text(["34", "55"])
    phone.page.reload()
    expect(phone.log).to_have_count(4)


def _count_both_rounds(phone: Phone) -> None:
    phone.press(phone.link("Only count this round"))
    expect(phone.page.locator(".keypad")).to_be_hidden()
    for number in (1, 2):
        expect(phone.page.locator(".where")).to_contain_text(f"Round {number} of 2")
        expect(phone.page.locator('[name="count.0.toads"]')).to_have_value("")
        for seat, count in enumerate(((12, 17, 8), (10, 4, 1), (14, 3, 0))):
            for name, value in zip(("face_up", "face_down", "toads"), count, strict=True):
                phone.page.locator(f'[name="count.{seat}.{name}"]').fill(str(value))
        phone.press(phone.button("Save"))
        expect(phone.notice).to_contain_text("toads")  # eight toads, of seven in the deck
        expect(phone.page.locator('[name="count.2.face_up"]')).to_have_value("14")
        phone.page.locator('[name="count.0.toads"]').fill("0")
        phone.press(phone.button("Save"))
    expect(phone.page.locator(".ranks .total")).to_have_text(["22", "4", "−10"])


def _correct_count(phone: Phone) -> None:
    phone.press(phone.page.locator("table.score tbody a").first)
    expect(phone.page.locator('[name="count.0.face_up"]')).to_have_value("12")
    phone.page.locator('[name="count.0.face_up"]').fill("14")
    phone.press(phone.button("Save"))
    expect(phone.page.locator("table.score tfoot td")).to_have_text(["−8", "4", "22"])


def test_the_game_referee_works_without_javascript(phones: Callable[..., Phone]) -> None:
    phone = phones("small", java_script_enabled=False)
    phone.open_table("the-game", ("Ann", "Bo"), mode="referee")
    phone.press("#card-30")
    phone.press(phone.notice.get_by_role("button", name="Bo"))
    phone.press(phone.notice.locator("button[value=up-1]"))
    expect(phone.page.locator(".row .num").first).to_have_text("30")
    phone.press(phone.end_turn_button)
    expect(phone.notice).to_contain_text("1 more card must be laid in this turn")
    phone.press(phone.button("Stuck"))
    expect(phone.page.locator("tfoot td")).to_have_text("97")
    phone.press(phone.button("Confirm"))
    expect(phone.page.locator("p.verdict")).to_have_text("97 cards left.")


def test_calculator_works_without_javascript(phones: Callable[..., Phone]) -> None:
    phone = phones("small", java_script_enabled=False)
    phone.page.goto("/calculate/take-that/")
    phone.press('label:has([name=seats][value="2"])')
    phone.press(phone.button("Change players and options"))
    for seat, count in enumerate(((32, 9, 2), (28, 3, 0))):
        for name, value in zip(("face_up", "face_down", "toads"), count, strict=True):
            phone.page.locator(f'[name="count.{seat}.{name}"]').fill(str(value))
    phone.press(phone.page.locator(".thumb .go >> visible=true"))
    expect(phone.page.locator("tfoot td")).to_have_text(["15", "25"])
    phone.press(phone.button("Save as a table"))
    for name in ("Sara", "Λίνος"):
        phone.page.locator("#new-name").fill(name)
        phone.press(phone.button("Add"))
    phone.press(phone.button("Open the table"))
    expect(phone.page).to_have_url(re.compile(r"/tables/[\w-]{8,}/$"))
    expect(phone.page.locator("table.score tfoot td")).to_have_text(["15", "25"])
