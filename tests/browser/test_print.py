"""Printing from the browser."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from companion.core.game import Game
from companion.rulebook.loader import load_rulebook
from tests.browser.household import Household
from tests.browser.phone import Phone
from tests.paper import PdfInspector, extract_letters
from tests.rulebook.books import WITH_REFERENCE

MARGIN = 6.0
"""Unprintable margin of home printers, in mm."""
SIZES = {"a4": (210, 297), "letter": (215.9, 279.4), "a5": (148, 210)}
MOST_PAGES = {"rulebook": 2, "reference": 1}


def print_page(phone: Phone, url: str) -> PdfInspector:
    phone.page.goto(url)
    phone.page.evaluate("document.fonts.ready")
    return PdfInspector(phone.page.pdf(prefer_css_page_size=True))


def assert_margins_are_blank(printout: PdfInspector) -> None:
    for ink, (width, height) in zip(printout.ink, printout.sheets, strict=True):
        assert ink.is_blank(0, 0, width, MARGIN)
        assert ink.is_blank(0, height - MARGIN, width, height)
        assert ink.is_blank(0, 0, MARGIN, height)
        assert ink.is_blank(width - MARGIN, 0, width, height)


@pytest.mark.parametrize(("locale", "paper"), [("en-US", "letter"), ("el-GR", "a4")])
@pytest.mark.parametrize("game", WITH_REFERENCE, ids=lambda game: game.slug)
def test_browser_prints_few_pages(phones: Callable[..., Phone], game: Game, locale: str, paper: str) -> None:
    phone = phones("desk", locale=locale)
    for kind, pages in MOST_PAGES.items():
        printout = print_page(phone, f"/{phone.language}/rules/{game.slug}/paper/{kind}/")
        assert printout.sheets == [pytest.approx(SIZES[paper], abs=0.4)] * len(printout.sheets), kind
        assert len(printout.sheets) <= pages, kind
        assert_margins_are_blank(printout)
        assert all(printout.fonts.values())
        text = extract_letters(printout.text)
        titles = [section.title for section in load_rulebook(game, phone.language, kind).sections]
        assert [title for title in titles if extract_letters(title) not in text] == []
    booklet = print_page(phone, f"/{phone.language}/rules/{game.slug}/paper/booklet/")
    width, height = SIZES[paper]
    assert booklet.sheets == [pytest.approx((height, width), abs=0.4)]
    for column in range(5):
        fold = column * height / 4
        assert booklet.ink[0].is_blank(fold - 3, 0, fold + 3, width / 2 - 1)
        assert booklet.ink[0].is_blank(fold - 3, width / 2 + 1, fold + 3, width)


@pytest.mark.parametrize("paper", SIZES)
def test_printed_score_sheet_has_all_rounds(phones: Callable[..., Phone], household: Household, paper: str) -> None:
    counts = [
        f"{number} count seat={seat} face_up={up} face_down={down} toads={toads}"
        for number in range(1, 13)
        for seat, (up, down, toads) in enumerate(((12, 17, 0), (10, 4, 1), (14, 3, 0)))
    ]
    table = household.create_table("take-that", *counts, mode="pad", options={"rounds": "12"})
    phone = phones("desk", token=household.token)
    printout = print_page(phone, f"/tables/{table.public_id}/paper/?paper={paper}&log=yes")
    assert_margins_are_blank(printout)
    text = printout.text
    assert all(word in text for word in ("Sara", "Λίνος", "Alexis", "Round 12", "−60", "24", "132"))


@pytest.mark.parametrize("place", ["rules", "table"])
def test_printing_is_one_tap_away(phones: Callable[..., Phone], household: Household, place: str) -> None:
    table = household.create_table("the-game", "1 count left=9", mode="pad")
    phone = phones("small", token=household.token)
    phone.page.add_init_script("window.print = () => { window.printed = true; }")
    phone.page.goto(f"/tables/{table.public_id}/" if place == "table" else "/en/rules/take-that/")
    phone.press(phone.link("Print"))
    phone.page.wait_for_function("() => window.printed")
    assert phone.page.url.endswith("/paper/" if place == "table" else "/paper/rulebook/")
    phone.page.evaluate("window.printed = false")
    phone.press(phone.page.locator("[data-print]"))
    assert phone.page.evaluate("window.printed")
