"""On paper: every rulebook on two pages at most, nothing cut off, and the final sheet on one."""

from __future__ import annotations

import io
import re
import unicodedata
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page
from pypdf import PdfReader

from companion.games import games
from companion.rulebook.reading import rulebook
from tests.browser.household import Household
from tests.browser.phone import Phone

PAPER = {"A4": (595, 842), "Letter": (612, 792)}
"""Width and height in points."""
PRINTED_WIDTH = round((210 - 2 * 12) / 25.4 * 96)
"""What A4 leaves between the margins, in CSS pixels."""
TOO_WIDE = """() => [...document.querySelectorAll("main *")].filter((element) => {
  const box = element.getBoundingClientRect();
  const isClipped = element.clientWidth && element.scrollWidth > element.clientWidth + 1;
  return box.width && (box.right > innerWidth + 1 || isClipped);
}).filter((element) => !element.closest(".sr, svg")).map((element) => element.outerHTML.slice(0, 80))"""


@pytest.mark.parametrize("language", ["en", "el"])
@pytest.mark.parametrize("slug", sorted(games()))
def test_a_rulebook_fits_on_two_pages(phones: Callable[..., Phone], slug: str, language: str) -> None:
    phone = phones("desk", locale=f"{language}-GB" if language == "en" else "el-GR")
    page = phone.page
    page.goto(f"/{language}/rules/{slug}/")
    book = rulebook(games()[slug], language)
    titles = [section.title for section in book.sections]
    for paper, size in PAPER.items():
        printed = _printed(page, paper)
        box = printed.pages[0].mediabox
        assert (float(box.width), float(box.height)) == pytest.approx(size, abs=1)
        assert len(printed.pages) <= 2, paper
        text = _letters("".join(sheet.extract_text() for sheet in printed.pages))
        missing = [title for title in titles if _letters(title) not in text]
        assert not missing, (paper, missing)
        assert _letters(_last_words(page)) in text
        _is_inside_the_page(printed)
    _is_nowhere_too_wide(page)
    assert page.evaluate("parseFloat(getComputedStyle(document.body).fontSize)") >= 8 / 72 * 96  # still to be read


def test_a_final_sheet_fits_on_one_page(phones: Callable[..., Phone], household: Household) -> None:
    counts = [
        f"{number} count seat={seat} face_up={up} face_down={down} toads={toads}"
        for number in range(1, 13)
        for seat, (up, down, toads) in enumerate(((12, 17, 0), (10, 4, 1), (14, 3, 0)))
    ]
    table = household.table("take-that", *counts, way="pad", options={"rounds": "12"})
    phone = phones("desk", token=household.token)
    phone.page.goto(f"/tables/{table.public_id}/")
    printed = _printed(phone.page, "A4")
    assert len(printed.pages) == 1
    words = printed.pages[0].extract_text()
    assert all(name in words for name in ("Sara", "Λίνος", "Alexis"))
    assert all(total in words for total in ("−60", "24", "132"))
    _is_inside_the_page(printed)
    _is_nowhere_too_wide(phone.page)


def _printed(page: Page, paper: str) -> PdfReader:
    return PdfReader(io.BytesIO(page.pdf(format=paper, prefer_css_page_size=True)))


def _letters(text: str) -> str:
    """Letters and digits alone: how words are broken and spaced on paper does not matter."""
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", text))


def _last_words(page: Page) -> str:
    """The end of the rulebook's last paragraph or line."""
    return page.locator(".rulebook section").last.inner_text().strip().splitlines()[-1]


def _is_inside_the_page(printed: PdfReader) -> None:
    """No word begins outside of the paper."""
    for sheet in printed.pages:
        words: list[tuple[str, float, float]] = []

        def look(text: str, cm: list[float], tm: list[float], *_font: object, found: list[Any] = words) -> None:
            found.append((text, cm[0] * tm[4] + cm[4], cm[3] * tm[5] + cm[5]))

        sheet.extract_text(visitor_text=look)
        width, height = float(sheet.mediabox.width), float(sheet.mediabox.height)
        assert words
        assert [word for word in words if word[0].strip() and not (0 < word[1] < width and 0 < word[2] < height)] == []


def _is_nowhere_too_wide(page: Page) -> None:
    page.set_viewport_size({"width": PRINTED_WIDTH, "height": 1000})
    page.emulate_media(media="print")
    assert page.evaluate(TOO_WIDE) == []


@pytest.mark.parametrize("url", ["/en/rules/take-that/", "table"])
def test_printing_is_one_tap_away(phones: Callable[..., Phone], household: Household, url: str) -> None:
    table = household.table("the-game", "1 count left=9", way="pad")
    phone = phones("small", token=household.token)
    phone.page.goto(f"/tables/{table.public_id}/" if url == "table" else url)
    phone.page.evaluate("window.print = () => { window.printed = true; }")
    phone.press("[data-print]")
    assert phone.page.evaluate("window.printed")
