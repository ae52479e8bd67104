"""The generic game on a small phone."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import pytest
from playwright.sync_api import expect

from companion.core.text import SeatName, Text, _, ngettext
from companion.games import get_games
from companion.rulebook.loader import load_rulebook
from tests.browser.household import Household
from tests.browser.phone import Phone, format_points

GAME = get_games()["any-game"]
NAMES = ("Ann", "Bo", "Χρήστος")
LOCALES = pytest.mark.parametrize("locale", ["en-GB", "el-GR"])

IS_IN_VIEW = """() => {
  const box = document.activeElement.getBoundingClientRect();
  const head = document.activeElement.closest("fieldset").querySelector(".head").getBoundingClientRect();
  const labels = document.querySelector(".labels").getBoundingClientRect();
  const pad = document.querySelector(".thumb").getBoundingClientRect();
  return head.top >= 0 && box.top >= head.bottom - 1 && box.bottom <= pad.top + 1
    && box.left >= labels.right - 1 && box.right <= innerWidth + 1;
}"""
"""Whether the focused box is fully visible, with its side above it and its category beside it."""


def submit_new_table(phone: Phone, names: Sequence[str], **options: str) -> None:
    """Fill in the form for a new table, expanding its options where needed, and submit it."""
    phone.page.goto("/")
    phone.press('article[data-game="any-game"] a.go')
    for count, name in enumerate(names, start=1):
        phone.page.locator("#new-name").fill(name)
        phone.press(phone.button("Add"))
        expect(phone.page.locator("ol.line-up li")).to_have_count(count)
    if set(options) - {"name", "wins"}:
        phone.press("details.more summary")
    for name, value in options.items():
        if name in ("wins", "teams"):
            phone.press(f'label:has([name="option.{name}"][value="{value}"])')
        else:
            phone.page.locator(f'[name="option.{name}"]').fill(value)
    phone.press(phone.button("Open the table"))


def count_round(phone: Phone, *points: str) -> None:
    """Type the points of each side on the keypad, and save the round."""
    for number in points:
        for key in number.replace("-", "−"):
            phone.press(f".keypad [data-key='{key}']")
        phone.press("[data-key=next]")
    phone.tap(phone.page.locator(".side .go"))


def expect_verdict(phone: Phone, text: Text, names: Sequence[str] = NAMES) -> None:
    expect(phone.page.locator("p.verdict")).to_have_text(phone.translate_text(text, names))


def build_win_text(best: int, *seats: int) -> Text:
    names = tuple(_("{name}", name=SeatName(seat)) for seat in seats)
    return ngettext(
        "{names} wins with {best}.", "{names} share the win with {best}.", len(seats), names=names, best=best
    )


@LOCALES
@pytest.mark.smoke
def test_match_is_played_with_a_title_only(phones: Callable[..., Phone], locale: str) -> None:
    phone = phones("small", locale)
    submit_new_table(phone, NAMES, name="Skat")
    phone.page.wait_for_url(re.compile(r"/tables/[\w-]{8,}/$"))
    expect(phone.page.locator("h1")).to_have_text("Skat")

    _check_live_sums(phone)
    count_round(phone, "-8", "0")
    assert phone.read_totals() == ["16", "−8", "0"]
    _undo_and_recount_round(phone)
    _correct_count(phone)
    _end_match(phone)

    phone.page.goto("/history/")
    expect(phone.page.locator(".past li")).to_contain_text("Skat")
    phone.press(phone.page.locator(".past a"))
    phone.press(phone.button("Rematch"))
    expect(phone.page.locator("h1")).to_have_text("Skat")
    expect(phone.page.locator(".lines .box")).to_have_count(3)


def _check_live_sums(phone: Phone) -> None:
    for key in "12+7−3":
        phone.press(f".keypad [data-key='{key}']")
    expect(phone.page.locator("[data-active]")).to_have_value("12+7−3")
    expect(phone.page.locator("#sum-0")).to_have_text("= 16")
    phone.press("[data-key=next]")


def _undo_and_recount_round(phone: Phone) -> None:
    count_round(phone, "5", "30", "1")
    assert phone.read_totals() == ["21", "22", "1"]
    phone.tap(phone.button("Undo"))
    expect(phone.page.locator(".lines .count > .num")).to_have_count(2)
    count_round(phone, "11")
    assert phone.read_totals() == ["21", "22", "11"]


def _correct_count(phone: Phone) -> None:
    phone.press(phone.page.locator("table.score tbody tr").nth(0).locator("td a").nth(1))
    box = phone.page.locator(".lines .box")
    expect(box).to_have_value("-8")
    expect(phone.page.locator(".lead")).to_contain_text("Bo: −8")
    for key in ("−", "9"):
        phone.press(f".keypad [data-key='{key}']")
    phone.press(phone.page.locator(".side .go"))
    expect(phone.page.locator("table.score tfoot td").nth(1)).to_have_text("21")
    assert phone.read_totals() == ["21", "21", "11"]


def _end_match(phone: Phone) -> None:
    phone.tap(phone.button("End the match"))
    expect_verdict(phone, build_win_text(21, 0, 1))
    expect(phone.page.locator(".ranks .place")).to_have_text(["1", "1", "3"])
    expect(phone.page.locator(".ranks .name")).to_have_text(list(NAMES))


@LOCALES
def test_teams_count_down_and_insist_on_another_round(phones: Callable[..., Phone], locale: str) -> None:
    phone = phones("small", locale)
    names = (*NAMES, "Δώρα")
    submit_new_table(phone, names, name="501", wins="lowest", teams="2", target="0", start="60")
    expect(phone.page.locator(".lines label .name")).to_have_text(["Ann, Χρήστος", "Bo, Δώρα"])
    count_round(phone, "-20-20", "-35")
    assert phone.read_totals() == ["20", "25"]
    count_round(phone, "-20", "-5")
    expect_verdict(phone, _("{names} win with {best}.", names=build_seat_texts(0, 2), best=0), names)
    expect(phone.page.locator(".ranks .name")).to_have_text(["Ann, Χρήστος", "Bo, Δώρα"])
    phone.press(phone.link("One more round"))
    count_round(phone, "0", "-25")
    title = load_rulebook(GAME, phone.language).section("end").title
    rule = phone.notice.get_by_role("link", name=title)
    expect(rule).to_have_attribute("href", f"/{phone.language}/rules/any-game/#end")
    phone.tap(phone.button("We insist"))
    expect_verdict(phone, build_team_win_text(-5), names)


def build_seat_texts(*seats: int) -> tuple[Text, ...]:
    return tuple(_("{name}", name=SeatName(seat)) for seat in seats)


def build_team_win_text(best: int) -> Text:
    return _("{names} win with {best}.", names=build_seat_texts(1, 3), best=best)


@LOCALES
def test_twelve_sides_and_categories_fit_a_small_phone(
    phones: Callable[..., Phone], household: Household, locale: str
) -> None:
    names = ("Sara", "Λίνος", "Χριστόφορος-Κωνσταντίνος", "Μαρλέν", "Alexis", "Ίρις", "Οδυσσέας", "Ζωή", *"ΑΒΓΔ")
    categories = "νομίσματα,Ανεξερεύνητες επαρχίες,γ,δ,ε,ζ,η,θ,ι,κ,λ,μ"
    table = household.create_table("any-game", names=names, mode="pad", options={"categories": categories})
    phone = phones("small", locale, token=household.token)
    phone.page.goto(f"/tables/{table.public_id}/")
    for number in range(30):
        tap_in_place(phone, f".keypad [data-key='{number % 10}']")
        tap_in_place(phone, "[data-key=next]")
        phone.page.wait_for_function(f"() => ({IS_IN_VIEW})()")
    expect(phone.page.locator("#sum-0")).to_have_text("= 46")
    expect(phone.page.locator("#sum-1")).to_have_text("= 50")
    for box in phone.page.locator(".box").all()[30:]:
        box.fill("3")
    tap_in_place(phone, ".side .go")
    expect(phone.page.locator(".ranks .name").first).to_have_text(names[2])
    expect(phone.page.locator(".ranks li")).to_have_count(12)
    assert phone.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def tap_in_place(phone: Phone, target: str) -> None:
    """Tap an element at its current position, without scrolling to it."""
    box = phone.page.locator(target).bounding_box()
    assert box
    phone.page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


@LOCALES
def test_invalid_sheet_is_rejected_and_valid_sheet_offered_again(phones: Callable[..., Phone], locale: str) -> None:
    phone = phones("small", locale)
    submit_new_table(phone, NAMES, name="Λιβάδι", categories="γη, νερό, γη,")
    refusal = phone.page.locator("[role=alert]")
    expect(refusal).to_have_text(phone.translate_text(_("Two categories are called “{name}”.", name="γη")))
    expect(phone.page.locator("#option-categories")).to_have_value("γη, νερό, γη")
    phone.page.locator("#option-categories").fill("γη, νερό,")
    phone.press(phone.button("Open the table"))
    expect(phone.page.locator(".matrix .head")).to_have_text(["", *NAMES])
    count_round(phone, "4", "5", "0", "-3", "1", "8")
    expect_verdict(phone, build_win_text(9, 0, 2))

    phone.page.goto("/tables/new/any-game/")
    expect(phone.page.locator("#option-name")).to_have_value("")
    phone.press(phone.page.locator(".offers button", has_text="Λιβάδι"))
    expect(phone.page.locator("#option-name")).to_have_value("Λιβάδι")
    expect(phone.page.locator("#option-categories")).to_have_value("γη, νερό")
    expect(phone.page.locator("#option-name")).to_be_in_viewport()
    phone.press(phone.button("Open the table"))
    expect(refusal).to_be_in_viewport()


@LOCALES
def test_shared_result_has_one_box_and_one_total(phones: Callable[..., Phone], locale: str) -> None:
    phone = phones("small", locale)
    submit_new_table(phone, NAMES, wins="shared")
    expect(phone.page.locator("h1")).to_have_text(phone.translate_text(GAME.title))
    expect(phone.page.locator(".lines .name")).to_have_text(phone.translate_message("Everybody"))
    count_round(phone, "12")
    count_round(phone, "-14")
    phone.tap(phone.button("End the match"))
    expect_verdict(phone, ngettext("{n} point in all.", "{n} points in all.", -2))
    expect(phone.page.locator(".big")).to_have_text(format_points(-2))


def test_round_is_counted_without_javascript(phones: Callable[..., Phone], household: Household) -> None:
    options = {"categories": "coins,cards", "rounds": "2"}
    table = household.create_table("any-game", names=NAMES, mode="pad", options=options)
    phone = phones("small", token=household.token, java_script_enabled=False)
    phone.page.goto(f"/tables/{table.public_id}/")
    for box, points in zip(phone.page.locator(".matrix .box").all(), ("12+7", "-3", "0", "0", "5", "5-9"), strict=True):
        box.fill(points)
    phone.press(phone.page.locator("button.save"))
    expect(phone.page.locator("table.score tfoot td")).to_have_text(["16", "0", "1"])
    expect(phone.page.locator(".so-far b")).to_have_text(["16", "0", "1"])
