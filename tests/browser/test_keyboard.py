"""Keyboard and screen reader use."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Locator, expect

from tests.browser.household import Household
from tests.browser.phone import Phone

FOCUSED = "element => element === document.activeElement"


def test_round_is_entered_by_keyboard(phones: Callable[..., Phone]) -> None:
    phone = phones("desk")
    page = phone.page
    page.goto("/")
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_focused()
    _tab_to(phone, page.locator('article[data-game="take-that"] a.go'), steps=15)
    page.keyboard.press("Enter")
    _tab_to(phone, page.locator("#new-name"), steps=12)
    for count, name in enumerate(("Sara", "Λίνος"), start=1):
        page.keyboard.insert_text(name)
        page.keyboard.press("Enter")
        expect(page.locator("ol.line-up li")).to_have_count(count)
        _tab_to(phone, page.locator("#new-name"), steps=20)
    _tab_to(phone, page.locator("[name=way][value=pad]"), steps=20)
    page.keyboard.press("ArrowDown")
    expect(page.locator("[name=way][value=referee]")).to_be_focused()
    page.keyboard.press("ArrowUp")
    _tab_to(phone, phone.button("Open the table"), steps=6)
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/tables/[\w-]{8,}/$"))

    _tab_to(phone, page.locator('[name="count.0.face_up"]'), steps=8)
    for number in (28, 15, 0, 26, 5, 3):
        page.keyboard.type(str(number))
        page.keyboard.press("Enter")
    expect(phone.button("Save")).to_be_focused()
    _press_enter(phone)
    expect(page.locator("table.score tfoot td")).to_have_text(["13", "9"])
    expect(page.locator('[name="count.0.face_up"]')).to_be_focused()  # the next round is ready for input
    expect(page.locator("#said")).to_contain_text("Λίνος: 26 face up")


def test_play_is_entered_by_keyboard(phones: Callable[..., Phone], household: Household) -> None:
    phone = phones("desk", token=household.token)
    page = phone.page
    table = household.create_table("the-game", "1 place seat=0 card=30 row=up-1", "1 place seat=0 card=31 row=up-1")
    page.goto(f"/tables/{table.public_id}/")
    status = page.locator("[role=status]")
    expect(status.filter(has_text=re.compile(r"\S"))).to_have_count(0)

    _tab_to(phone, page.locator('[name=row][value="up-1"]'), steps=12)
    page.keyboard.press("Space")
    expect(page.locator('[name=row][value="up-1"]')).to_be_checked()
    _tab_to(phone, page.locator("#card-21"), steps=30)
    _press_enter(phone)
    expect(page.locator("label.row .num").first).to_have_text("21")
    expect(page.locator("#card-21")).to_be_focused()
    expect(page.locator("#said")).to_contain_text("Sara lays 21 on the first ascending row")
    expect(page.locator("#said")).to_contain_text("3 of 2 laid")

    page.locator('[name=row][value="up-1"]').focus()
    page.keyboard.press("Space")
    _tab_to(phone, page.locator("#card-20"), steps=30)
    _press_enter(phone)
    expect(phone.notice).to_have_attribute("role", "status")
    expect(phone.notice).to_contain_text("20 is neither above 21 nor ten below it")
    expect(page.locator("#card-20")).to_be_focused()
    phone.button("We insist").focus()
    _press_enter(phone)
    expect(page.locator("#said")).to_contain_text("Sara lays 20")

    for button in (phone.button("Undo"), phone.button("Redo"), phone.end_turn_button):
        button.focus()
        _press_enter(phone)
    expect(page.locator("#said")).to_contain_text("Λίνος’s turn")
    page.keyboard.press("Enter")  # again: too early to end the next turn
    expect(phone.notice).to_contain_text("2 more cards must be laid")
    phone.notice.get_by_role("link", name="Close").focus()
    page.keyboard.press("Enter")
    expect(phone.notice).to_be_empty()
    _check_focus(phone)


def test_arrow_keys_select_a_row_without_playing_it(phones: Callable[..., Phone], household: Household) -> None:
    phone = phones("desk", token=household.token)
    page = phone.page
    table = household.create_table("the-game", "1 place seat=0 card=30 row=up-1")
    page.goto(f"/tables/{table.public_id}/")
    page.locator('[name=row][value="up-1"]').focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator('[name=row][value="up-2"]')).to_be_checked()
    assert household.get_entry_kinds(table) == ["place"]


def _tab_to(phone: Phone, target: Locator, *, steps: int) -> None:
    """Press Tab until the target has the focus."""
    for _step in range(steps):
        phone.page.keyboard.press("Tab")
        if target.evaluate(FOCUSED):
            return
    raise AssertionError(f"not reached in {steps} steps: {target}")


def _press_enter(phone: Phone) -> None:
    """Press Enter, wait for the response, and check that the focus is still in the main content."""
    response_count = phone.page.evaluate("window.responses")
    phone.page.keyboard.press("Enter")
    phone.page.wait_for_function("count => window.responses > count", arg=response_count)
    _check_focus(phone)


def _check_focus(phone: Phone) -> None:
    assert phone.page.evaluate("document.activeElement.matches('main, main *')")
