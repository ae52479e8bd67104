"""The pad under a thumb: what it says while boxes are filled in, and what is tapped instead of typed."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.household import Household
from tests.browser.phone import Phone

IN_SIGHT = """() => {
  const box = document.activeElement.getBoundingClientRect();
  const pad = document.querySelector(".thumb").getBoundingClientRect();
  return [box.top >= 0, box.bottom <= pad.top, pad.right <= innerWidth, pad.bottom <= innerHeight + 1];
}"""
"""Whether the box in use is on the screen and above the pad, and the pad on the screen."""


@pytest.mark.parametrize("locale", ["en-GB", "el-GR"])
def test_what_is_wrong_is_said_above_the_keys_and_the_box_stays_in_sight(
    phones: Callable[..., Phone], household: Household, locale: str
) -> None:
    table = household.table("take-that", way="pad")
    phone = phones("small", locale, token=household.token)
    phone.page.goto(f"/tables/{table.public_id}/")
    phone.keys([12, 17, 0])
    said = phone.page.locator(".thumb #preview")
    expect(said).to_have_text(phone.word("{n} of {deck} cards counted").format(n=29, deck=79))
    phone.keys([11, 4])
    phone.press(".keypad [data-key='1']")
    expect(said.locator(".off")).to_contain_text("11")
    expect(said.locator("a")).to_have_attribute("href", f"/{phone.language}/rules/take-that/#reverse-pair")
    phone.page.wait_for_function(f"() => ({IN_SIGHT})().every(Boolean)")
    phone.keys([""])
    assert phone.page.evaluate("document.activeElement.name") == "count.2.face_up"
    phone.page.wait_for_function(f"() => ({IN_SIGHT})().every(Boolean)")


def test_the_number_of_rounds_is_tapped(phones: Callable[..., Phone], household: Household) -> None:
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


def test_what_is_typed_survives_a_look_at_the_rule_another_language_and_an_undo(
    phones: Callable[..., Phone], household: Household
) -> None:
    table = household.table("take-that", "1 count seat=0 face_up=12 face_down=17 toads=0", way="pad")
    phone = phones("small", token=household.token)
    phone.page.goto(f"/tables/{table.public_id}/")
    phone.keys([11, 4, 1])
    odd, next_one = (phone.page.locator(f'[name="count.{seat}.face_up"]') for seat in (1, 2))
    phone.press(phone.page.locator("#preview a"))
    phone.page.wait_for_url("**/en/rules/take-that/#reverse-pair")
    phone.press("header a >> nth=0")
    expect(odd).to_have_value("11")
    expect(phone.page.locator("#preview .off")).to_contain_text("11")
    phone.press("header button[name=language]")
    expect(phone.page.locator("html")).to_have_attribute("lang", "el")
    expect(odd).to_have_value("11")
    phone.tap(".above .undo")
    expect(phone.page.locator('[name="count.0.face_up"]')).to_have_value("")
    expect(odd).to_have_value("11")
    expect(next_one).to_have_value("")
    assert household.entries(table) == ["count", "undo"]
