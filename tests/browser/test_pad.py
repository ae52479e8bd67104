"""The pad: live preview, errors and input by tapping."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.household import Household
from tests.browser.phone import Phone

CHECK_VISIBILITY = """() => {
  const box = document.activeElement.getBoundingClientRect();
  const pad = document.querySelector(".thumb").getBoundingClientRect();
  return [box.top >= 0, box.bottom <= pad.top, pad.right <= innerWidth, pad.bottom <= innerHeight + 1];
}"""
"""Whether the focused box is on screen and above the keypad, and the keypad is on screen."""


@pytest.mark.parametrize("locale", ["en-GB", "el-GR"])
def test_error_shows_above_the_keypad_and_keeps_the_box_visible(
    phones: Callable[..., Phone], household: Household, locale: str
) -> None:
    table = household.create_table("take-that", mode="pad")
    phone = phones("small", locale, token=household.token)
    phone.page.goto(f"/tables/{table.public_id}/")
    phone.type_numbers([12, 17, 0])
    preview = phone.page.locator(".thumb #preview")
    expect(preview).to_have_text(phone.translate_message("{n} of {deck} cards counted").format(n=29, deck=79))
    phone.type_numbers([11, 4])
    phone.press(".keypad [data-key='1']")
    expect(preview.locator(".off")).to_contain_text("11")
    expect(preview.locator("a")).to_have_attribute("href", f"/{phone.language}/rules/take-that/#reverse-pair")
    phone.page.wait_for_function(f"() => ({CHECK_VISIBILITY})().every(Boolean)")
    phone.type_numbers([""])
    assert phone.page.evaluate("document.activeElement.name") == "count.2.face_up"
    phone.page.wait_for_function(f"() => ({CHECK_VISIBILITY})().every(Boolean)")


def test_number_of_rounds_can_be_tapped(phones: Callable[..., Phone], household: Household) -> None:
    phone = phones("small", token=household.token)
    phone.page.goto("/tables/new/take-that/")
    rounds = phone.page.locator("#option-rounds")
    for step, number in ((1, "3"), (-1, "2"), (-1, "1"), (-1, "1")):
        phone.press(f"[data-step='{step}']")
        expect(rounds).to_have_value(number)
    phone.page.goto("/calculate/take-that/")
    phone.press("details summary >> nth=0")
    phone.press("[data-step='1']")
    phone.page.wait_for_url("**option.rounds=3**")


def test_input_survives_rules_language_change_and_undo(phones: Callable[..., Phone], household: Household) -> None:
    table = household.create_table("take-that", "1 count seat=0 face_up=12 face_down=17 toads=0", mode="pad")
    phone = phones("small", token=household.token)
    phone.page.goto(f"/tables/{table.public_id}/")
    phone.type_numbers([11, 4, 1])
    odd_box, next_box = (phone.page.locator(f'[name="count.{seat}.face_up"]') for seat in (1, 2))
    phone.press(phone.page.locator("#preview a"))
    phone.page.wait_for_url("**/en/rules/take-that/#reverse-pair")
    phone.press("header a >> nth=0")
    expect(odd_box).to_have_value("11")
    expect(phone.page.locator("#preview .off")).to_contain_text("11")
    phone.press("header button[name=language]")
    expect(phone.page.locator("html")).to_have_attribute("lang", "el")
    expect(odd_box).to_have_value("11")
    phone.tap(".above .undo")
    expect(phone.page.locator('[name="count.0.face_up"]')).to_have_value("")
    expect(odd_box).to_have_value("11")
    expect(next_box).to_have_value("")
    assert household.get_entry_kinds(table) == ["count", "undo"]


def test_notice_closes_when_fixed_and_missing_box_gets_focus(
    phones: Callable[..., Phone], household: Household
) -> None:
    table = household.create_table("take-that", mode="pad")
    phone = phones("small", token=household.token)
    phone.page.goto(f"/tables/{table.public_id}/")
    phone.type_numbers([12, 17, 0, 10])
    phone.expected |= {400}
    phone.press(".side [type=submit]")
    expect(phone.notice.locator(".slip")).to_contain_text("Still missing: face down")
    assert phone.page.evaluate("document.activeElement.name") == "count.1.face_down"
    phone.press(".keypad [data-key='4']")
    expect(phone.notice.locator(".slip")).to_have_count(0)
    expect(phone.page.locator(".thumb #preview")).to_be_visible()


def test_tapped_order_and_checkboxes_survive_the_rules(phones: Callable[..., Phone], household: Household) -> None:
    table = household.create_table("muzicando", mode="pad", names=("Ann", "Bo", "Cleo"))
    phone = phones("small", token=household.token)
    phone.page.goto(f"/tables/{table.public_id}/")
    order = phone.page.locator("[data-tap-order]").first
    for name in ("Cleo", "Ann"):
        phone.press(order.get_by_role("button", name=name))
    phone.press("#board [type=radio] >> nth=1")
    phone.page.goto("/en/rules/muzicando/")
    phone.page.go_back()
    expect(order.locator("[aria-pressed=true]")).to_have_count(2)
    expect(order.locator("[aria-pressed=true]").filter(has_text="Cleo").locator(".place")).to_have_text("1")
    expect(phone.page.locator("#board [type=radio] >> nth=1")).to_be_checked()
