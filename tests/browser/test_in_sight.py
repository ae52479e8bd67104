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
SCROLLED = (0, 23, 57, 120, 171, 10_000)
"""Pixels down the page at which it is looked at."""
CONTROLS = "#board :is(.card, .pick, button.drawer)"
CUT = """(controls) => {
  const bar = [...document.querySelectorAll(".bar")].find((own) => own.getBoundingClientRect().height);
  if (!bar) return ["there is no bar"];
  const edge = bar.getBoundingClientRect().top;
  const found = [];
  for (const own of document.querySelectorAll(controls)) {
    const { top, bottom, left, right } = own.getBoundingClientRect();
    const seen = Math.min(bottom, edge) - Math.max(top, 0);
    if (seen < 1 || right - left < 1 || bar.contains(own)) continue;
    const hit = document.elementFromPoint((left + right) / 2, Math.max(top, 0) + seen / 2);
    const isSeen = own.checkVisibility({ opacityProperty: true, visibilityProperty: true });
    const name = own.id || own.className + " " + own.textContent.trim().slice(0, 20);
    if (isSeen && bottom > edge + 1) found.push(`${name}: ${Math.round(seen)} px of it peek out`);
    if (!isSeen && bottom < edge - 12) found.push(`${name}: is hidden above the bar`);
    if (isSeen && bar.contains(hit)) found.push(`${name}: a thumb hits the bar`);
  }
  return found.slice(0, 4);
}"""


def begun(household: Household, slug: str, seats: int, plays: int = 7) -> Table:
    """A table at which some have played: there is something to undo."""
    table = household.table(slug, names=NAMES[:seats])
    chance = Random(f"{slug} {seats}")
    for _play in range(plays):
        state = get_cached_log(table, seats).match.get_round(1).state
        play = random_play(get_games()[slug], state, chance)
        words = " ".join(f"{name}={word}" for name, word in encode(play).items())
        household.enter(table, f"1 {get_games()[slug].get_kind(play)} {words}")
        table.refresh_from_db()
    return table


def page_of(table: Table) -> str:
    return f"/tables/{table.public_id}/"


@pytest.mark.parametrize("slug", REFEREED)
def test_no_board_row_is_cut_off_by_the_bar(phones: Callable[..., Phone], household: Household, slug: str) -> None:
    problems = []
    seats = get_games()[slug].seats
    for count in (max(2, seats[0]), min(6, seats[-1])):
        table = begun(household, slug, count)
        for width, height in SCREENS:
            phone = phones("small", token=household.token, viewport={"width": width, "height": height})
            phone.page.goto(page_of(table))
            for down in SCROLLED:
                phone.page.evaluate("down => scrollTo(0, down)", down)
                phone.page.wait_for_timeout(60)
                found = phone.page.evaluate(CUT, CONTROLS)
                problems += [f"{count} players, {width}x{height}, {down} px down: {what}" for what in found]
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize(("width", "height"), SCREENS)
def test_tapping_the_last_visible_row_plays_that_card(
    phones: Callable[..., Phone], household: Household, width: int, height: int
) -> None:
    table = household.table("take-that", "1 extend seat=1 card=34")
    phone = phones("small", token=household.token, viewport={"width": width, "height": height})
    phone.page.goto(page_of(table))
    last = phone.page.evaluate(
        """() => [...document.querySelectorAll("#board .card")].filter((own) => {
          const { bottom } = own.getBoundingClientRect();
          return bottom < innerHeight && own.checkVisibility({ opacityProperty: true });
        }).at(-1).id"""
    )
    box = phone.page.locator(f"#{last}").bounding_box()
    assert box
    before = len(household.entries(table))
    phone.page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] - 3)
    card = last.removeprefix("card-")
    expect(phone.page.locator("#notice .slip, .lie li:last-child")).to_contain_text([card])
    assert "undo" not in household.entries(table)[before:] and "take" not in household.entries(table)[before:]


@pytest.mark.parametrize(("width", "height"), SCREENS)
def test_final_page_opens_at_its_top(
    phones: Callable[..., Phone], household: Household, width: int, height: int
) -> None:
    """After the last count, where the page was far down, and when it is opened later."""
    counts = ("1 count seat=0 face_up=12 face_down=17 toads=0", "1 count seat=1 face_up=10 face_down=4 toads=1")
    table = household.table("take-that", *counts, way="pad", options={"rounds": "1"})
    phone = phones("small", token=household.token, viewport={"width": width, "height": height})
    phone.page.goto(page_of(table))
    phone.page.evaluate("scrollTo(0, 10_000)")
    phone.keys((14, 3))
    phone.press(".keypad [data-key='0']")
    phone.tap(phone.button("Save"))
    expect(phone.page.locator("main > .verdict")).to_be_visible()
    phone.page.wait_for_timeout(300)
    assert phone.page.evaluate("scrollY") == 0
    phone.page.goto(page_of(table))
    phone.page.wait_for_timeout(300)
    assert phone.page.evaluate("scrollY") == 0


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_arrow_without_effect_looks_disabled(phones: Callable[..., Phone], household: Household, theme: str) -> None:
    household.table("take-that")
    phone = phones("small", token=household.token, color_scheme=theme)
    phone.page.goto("/tables/new/take-that/")
    for pick in ("#seat-0", "#seat-1"):
        phone.press(f"label:has({pick})")
    arrows = phone.page.locator(".line-up button")
    expect(arrows).to_have_count(4)
    dark = [darkest_contrast(arrows.nth(index)) for index in range(4)]
    assert [arrows.nth(index).is_disabled() for index in range(4)] == [True, False, False, True]
    assert max(dark[0], dark[3]) < min(dark[1], dark[2]) / 2, dark


def darkest_contrast(button: Locator) -> int:
    """The difference between the lightest and the darkest point of what is drawn."""
    low, high = Image.open(io.BytesIO(button.screenshot())).convert("L").getextrema()
    return int(high) - int(low)


def test_taking_a_row_is_offered_only_if_there_is_one(phones: Callable[..., Phone], household: Household) -> None:
    table = household.table("take-that")
    phone = phones("small", token=household.token)
    phone.page.goto(page_of(table))
    take = phone.page.locator("button[value=take]")
    expect(take).to_have_count(0)
    expect(phone.page.locator("#board .bar")).to_have_count(0)
    phone.card(34)
    expect(take).to_have_text(phone.translate_message("Take the row (%(n)s)", n=1))
    phone.tap(phone.button("Undo"))
    expect(take).to_have_count(0)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("has_script", [True, False])
def test_scrollable_sheet_has_an_edge_shadow(
    phones: Callable[..., Phone], household: Household, theme: str, has_script: bool
) -> None:
    counts = [f"1 count seat={seat} total={20 + seat}" for seat in range(6)]
    table = household.table("beavers-and-mice", *counts, "0 close", names=NAMES[:6], way="pad")
    phone = phones(
        "small",
        token=household.token,
        color_scheme=theme,
        java_script_enabled=has_script,
        viewport={"width": 320, "height": 640},
    )
    phone.page.goto(page_of(table))
    sheet = phone.page.locator(".scroll-x:has(.score)")
    if has_script:
        assert sheet.evaluate("own => own.scrollWidth > own.clientWidth + 20")
        edge = edge_of(sheet)
        sheet.evaluate("own => own.scrollTo(10_000, 0)")
        phone.page.wait_for_timeout(100)
        assert edge_of(sheet) < 6 < 14 < edge, "the hint is there until the last column is"
        expect(sheet.locator("th").first).to_be_in_viewport()
    else:
        assert edge_of(sheet) > 14


def edge_of(sheet: Locator) -> float:
    """How much the right edge of a sheet differs from the paper beside it, in steps of grey, between two lines."""
    image = Image.open(io.BytesIO(sheet.screenshot())).convert("L")
    width, height = image.size
    column = [image.getpixel((width - 3, y)) for y in range(height)]
    paper = [image.getpixel((width - 60, y)) for y in range(height)]
    differences: list[Any] = sorted(abs(int(own) - int(other)) for own, other in zip(column, paper, strict=True))
    return float(differences[len(differences) // 2])
