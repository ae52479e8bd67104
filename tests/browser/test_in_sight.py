"""Visibility and tap targets on a small screen."""

from __future__ import annotations

import io
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from PIL import Image
from playwright.sync_api import Locator, expect

from companion.core.schema import encode
from companion.games import get_games
from companion.tables.log_cache import get_cached_log
from companion.tables.models import Table
from tests.browser.household import Household
from tests.browser.phone import Phone
from tests.games.random_play import random_play

SCREENS = ((390, 844), (360, 640), (320, 568))
NAMES = ("Sara", "Λίνος", "Alexis", "Μαρλέν", "Chloe", "Νικήτας", "Ed", "Fay")
REFEREED = [slug for slug, game in get_games().items() if game.plays]
SCROLL_OFFSETS = (0, 23, 57, 120, 171, 10_000)
"""Scroll positions to check, in pixels."""
CONTROLS = "#board :is(.card, .pick, button.drawer)"
FIND_CUT_OFF = """(controls) => {
  const bar = [...document.querySelectorAll(".bar")].find((bar) => bar.getBoundingClientRect().height);
  if (!bar) return ["there is no bar"];
  const edge = bar.getBoundingClientRect().top;
  const found = [];
  for (const control of document.querySelectorAll(controls)) {
    const { top, bottom, left, right } = control.getBoundingClientRect();
    const seen = Math.min(bottom, edge) - Math.max(top, 0);
    if (seen < 1 || right - left < 1 || bar.contains(control)) continue;
    const hit = document.elementFromPoint((left + right) / 2, Math.max(top, 0) + seen / 2);
    const isSeen = control.checkVisibility({ opacityProperty: true, visibilityProperty: true });
    const name = control.id || control.className + " " + control.textContent.trim().slice(0, 20);
    if (isSeen && bottom > edge + 1) found.push(`${name}: ${Math.round(seen)} px of it peek out`);
    if (!isSeen && bottom < edge - 12) found.push(`${name}: is hidden above the bar`);
    if (isSeen && bar.contains(hit)) found.push(`${name}: a thumb hits the bar`);
  }
  return found.slice(0, 4);
}"""


def create_started_table(household: Household, slug: str, seats: int, plays: int = 7) -> Table:
    """Create a table with a few random plays, so that there is something to undo."""
    table = household.create_table(slug, names=NAMES[:seats])
    chance = Random(f"{slug} {seats}")
    for _play in range(plays):
        state = get_cached_log(table, seats).match.get_round(1).state
        play = random_play(get_games()[slug], state, chance)
        fields = " ".join(f"{name}={value}" for name, value in encode(play).items())
        household.record_entry(table, f"1 {get_games()[slug].get_kind(play)} {fields}")
        table.refresh_from_db()
    return table


def get_table_url(table: Table) -> str:
    return f"/tables/{table.public_id}/"


@pytest.mark.parametrize("slug", REFEREED)
def test_no_board_row_is_cut_off_by_the_bar(phones: Callable[..., Phone], household: Household, slug: str) -> None:
    problems = []
    seats = get_games()[slug].about.seats
    for count in (max(2, seats[0]), min(6, seats[-1])):
        table = create_started_table(household, slug, count)
        for width, height in SCREENS:
            phone = phones("small", token=household.token, viewport={"width": width, "height": height})
            phone.page.goto(get_table_url(table))
            for down in SCROLL_OFFSETS:
                phone.page.evaluate("down => scrollTo(0, down)", down)
                phone.page.wait_for_timeout(60)
                cut_off = phone.page.evaluate(FIND_CUT_OFF, CONTROLS)
                problems += [f"{count} players, {width}x{height}, {down} px down: {problem}" for problem in cut_off]
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize(("width", "height"), SCREENS)
def test_tapping_the_last_visible_row_plays_that_card(
    phones: Callable[..., Phone], household: Household, width: int, height: int
) -> None:
    table = household.create_table("take-that", "1 extend seat=1 card=34")
    phone = phones("small", token=household.token, viewport={"width": width, "height": height})
    phone.page.goto(get_table_url(table))
    last = phone.page.evaluate(
        """() => [...document.querySelectorAll("#board .card")].filter((card) => {
          const { bottom } = card.getBoundingClientRect();
          return bottom < innerHeight && card.checkVisibility({ opacityProperty: true });
        }).at(-1).id"""
    )
    box = phone.page.locator(f"#{last}").bounding_box()
    assert box
    entry_count = len(household.get_entry_kinds(table))
    phone.page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] - 3)
    card = last.removeprefix("card-")
    expect(phone.page.locator("#notice .slip, .lie li:last-child")).to_contain_text([card])
    new_kinds = household.get_entry_kinds(table)[entry_count:]
    assert "undo" not in new_kinds and "take" not in new_kinds


@pytest.mark.parametrize(("width", "height"), SCREENS)
def test_final_page_opens_at_its_top(
    phones: Callable[..., Phone], household: Household, width: int, height: int
) -> None:
    """Both after saving the last count far down the page, and when opened later."""
    counts = ("1 count seat=0 face_up=12 face_down=17 toads=0", "1 count seat=1 face_up=10 face_down=4 toads=1")
    table = household.create_table("take-that", *counts, mode="pad", options={"rounds": "1"})
    phone = phones("small", token=household.token, viewport={"width": width, "height": height})
    phone.page.goto(get_table_url(table))
    phone.page.evaluate("scrollTo(0, 10_000)")
    phone.type_numbers((14, 3))
    phone.press(".keypad [data-key='0']")
    phone.tap(phone.button("Save"))
    expect(phone.page.locator("main > .verdict")).to_be_visible()
    phone.page.wait_for_timeout(300)
    assert phone.page.evaluate("scrollY") == 0
    phone.page.goto(get_table_url(table))
    phone.page.wait_for_timeout(300)
    assert phone.page.evaluate("scrollY") == 0


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_arrow_without_effect_looks_disabled(phones: Callable[..., Phone], household: Household, theme: str) -> None:
    household.create_table("take-that")
    phone = phones("small", token=household.token, color_scheme=theme)
    phone.page.goto("/tables/new/take-that/")
    for pick in ("#seat-0", "#seat-1"):
        phone.press(f"label:has({pick})")
    arrows = phone.page.locator(".line-up button")
    expect(arrows).to_have_count(4)
    contrasts = [measure_contrast(arrows.nth(index)) for index in range(4)]
    assert [arrows.nth(index).is_disabled() for index in range(4)] == [True, False, False, True]
    assert max(contrasts[0], contrasts[3]) < min(contrasts[1], contrasts[2]) / 2, contrasts


def measure_contrast(button: Locator) -> int:
    """Return the difference between the lightest and the darkest pixel of a button."""
    low, high = Image.open(io.BytesIO(button.screenshot())).convert("L").getextrema()
    return int(high) - int(low)


def test_taking_a_row_is_offered_only_if_there_is_one(phones: Callable[..., Phone], household: Household) -> None:
    table = household.create_table("take-that")
    phone = phones("small", token=household.token)
    phone.page.goto(get_table_url(table))
    take = phone.page.locator("button[value=take]")
    expect(take).to_have_count(0)
    expect(phone.page.locator("#board .bar")).to_have_count(0)
    phone.tap_card(34)
    expect(take).to_have_text(phone.translate_message("Take the row (%(n)s)", n=1))
    phone.tap(phone.button("Undo"))
    expect(take).to_have_count(0)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("has_script", [True, False])
def test_scrollable_sheet_has_an_edge_shadow(
    phones: Callable[..., Phone], household: Household, theme: str, has_script: bool
) -> None:
    counts = [f"1 count seat={seat} total={20 + seat}" for seat in range(6)]
    table = household.create_table("beavers-and-mice", *counts, "0 close", names=NAMES[:6], mode="pad")
    phone = phones(
        "small",
        token=household.token,
        color_scheme=theme,
        java_script_enabled=has_script,
        viewport={"width": 320, "height": 640},
    )
    phone.page.goto(get_table_url(table))
    sheet = phone.page.locator(".scroll-x:has(.score)")
    if has_script:
        assert sheet.evaluate("sheet => sheet.scrollWidth > sheet.clientWidth + 20")
        edge = measure_edge_shadow(sheet)
        sheet.evaluate("sheet => sheet.scrollTo(10_000, 0)")
        phone.page.wait_for_timeout(100)
        assert measure_edge_shadow(sheet) < 6 < 14 < edge, "the shadow disappears at the last column"
        expect(sheet.locator("th").first).to_be_in_viewport()
    else:
        assert measure_edge_shadow(sheet) > 14


def measure_edge_shadow(sheet: Locator) -> float:
    """Return how much the right edge of a sheet differs from its background, as the median in grey levels."""
    image = Image.open(io.BytesIO(sheet.screenshot())).convert("L")
    width, height = image.size
    edges = [image.getpixel((width - 3, y)) for y in range(height)]
    backgrounds = [image.getpixel((width - 60, y)) for y in range(height)]
    differences: list[Any] = sorted(
        abs(int(edge) - int(background)) for edge, background in zip(edges, backgrounds, strict=True)
    )
    return float(differences[len(differences) // 2])
