"""`make pictures`: screenshots for the README, and the PNG icons."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

from tests.bench import run_app

FOLDER = Path(__file__).parent.parent / "static" / "pictures"
SIZE = {"width": 390, "height": 780}
DRAWING = Path(__file__).parent.parent / "static" / "icons" / "icon.svg"
ICONS = {
    "icon-192": (192, "0 0 64 64"),
    "icon-512": (512, "0 0 64 64"),
    "maskable-512": (512, "-8 -8 80 80"),
    "apple-touch-icon": (180, "-3 -3 70 70"),
}
"""Size in pixels, and the visible parts of drawing and background: maskable icons need a margin."""


def main() -> None:
    data = tempfile.mkdtemp(prefix="companion-pictures-")
    os.environ.update(COMPANION_DATA=data, LOG_LEVEL="ERROR")
    FOLDER.mkdir(exist_ok=True)
    try:
        with run_app() as port, sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=os.environ.get("CHROMIUM")
                or shutil.which("chromium-headless-shell")
                or shutil.which("chromium"),
                args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking"],
            )

            def open_page(**options: Any) -> Page:
                base = f"http://127.0.0.1:{port}"
                return browser.new_context(viewport=SIZE, base_url=base, **options).new_page()

            render_icons(browser.new_page())
            picture_take_that(open_page(locale="en-GB"))
            picture_the_game(open_page(locale="en-GB"))
            picture_rules(open_page(locale="en-GB"))
            picture_booklet(open_page(locale="el-GR"))
            picture_greek(open_page(locale="el-GR", color_scheme="dark"))
            picture_shared_table(open_page(locale="en-GB"), open_page(locale="el-GR", color_scheme="dark"))
            picture_offline(open_page(locale="en-GB"))
            play_random_match(open_page(locale="en-GB"), "muzicando", ("Sara", "Linos", "Alexis", "Iris"), 0.12)
            play_random_match(open_page(locale="el-GR"), "beavers-and-mice", ("Σάρα", "Λίνος", "Αλέξης"), 0.3)
            goals = {"colour_goal": "3", "colour_pattern": "11,22,33", "handle_goal": "9", "handle_pattern": "11,22"}
            play_random_match(open_page(locale="en-GB"), "sideboards", ("Sara", "Linos", "Alexis"), 0.85, **goals)
            picture_history(open_page(locale="en-GB"), open_page(locale="el-GR", color_scheme="dark"))
            browser.close()
    finally:
        shutil.rmtree(data)


def render_icons(page: Page) -> None:
    drawing = DRAWING.read_text(encoding="utf-8")
    background = re.search(r'fill="(#\w+)"', drawing)
    for name, (pixels, view_box) in ICONS.items():
        page.set_viewport_size({"width": pixels, "height": pixels})
        attributes = f'viewBox="{view_box}" style="display:block;width:100vw"'
        svg = re.sub(r'viewBox=.+? height="64"', attributes, drawing, count=1)
        colour = "transparent" if view_box == "0 0 64 64" else background and background[1]
        page.set_content(f'<body style="margin:0;background:{colour}">{svg}')
        page.screenshot(path=DRAWING.with_name(f"{name}.png"), omit_background=True)


def picture_take_that(page: Page) -> None:
    open_table(page, "take-that", ("Sara", "Linos", "Alexis"), "referee")
    for card in (34, 41, 49, 94, 33, 28, 26):
        page.click(f"#card-{card}")
        page.wait_for_selector(f"#card-{card}.laid")
    page.click("#card-55")
    page.wait_for_selector("#notice .slip")
    save_picture(page, "referee")
    open_table(page, "take-that", ("Sara", "Linos", "Alexis"), "pad")
    enter_counts(page, "12 17 0 10 4 1 14")
    save_picture(page, "pad")


def picture_the_game(page: Page) -> None:
    open_table(page, "the-game", ("Ann", "Bo", "Chris"), "referee")
    page.check("[name=seat][value='0']", force=True)
    turns = ((("up-1", 12), ("up-2", 8), None), (("up-1", 37), ("down-1", 88), None), (("up-1", 47), ("down-1", 65)))
    for turn in turns:
        for step in turn:
            if step is None:
                page.click("[value=end-turn]")
                page.wait_for_selector("[value=end-turn].asleep")
            else:
                page.check(f"[name=row][value={step[0]}]", force=True)
                page.click(f"#card-{step[1]}")
                page.wait_for_selector(f"#card-{step[1]}.laid")
    page.check("[name=row][value=up-1]", force=True)
    save_picture(page, "the-game")


def picture_rules(page: Page) -> None:
    page.goto("/en/rules/take-that/could-i/?row=34,41&card=55&into=card")
    save_picture(page, "could-i")
    open_table(page, "take-that", ("Sara", "Linos", "Alexis"), "referee")
    for card in (34, 41, 49):
        page.click(f"#card-{card}")
        page.wait_for_selector(f"#card-{card}.laid")
    page.click("a.ask")
    page.wait_for_selector("#help .ways-list")
    save_picture(page, "help")


def picture_booklet(page: Page) -> None:
    """Save the first sheet of the booklet."""
    response = page.request.get("/el/rules/take-that/paper/booklet.pdf?paper=a4")
    command = ["pdftoppm", "-png", "-r", "72", "-singlefile", "-", str(FOLDER / "booklet")]
    subprocess.run(command, input=response.body(), check=True)


def picture_greek(page: Page) -> None:
    open_table(page, "take-that", ("Σάρα", "Λίνος", "Αλέξης"), "pad")
    for counts in ("12 17 0 10 14 1 14 3 0", "16 9 2 14 7 1 12 2 0"):
        enter_counts(page, counts)
        page.locator(".thumb .go:visible").click()
        page.wait_for_selector("table.score")
        page.wait_for_timeout(300)
    save_picture(page, "final")


def picture_shared_table(host: Page, guest: Page) -> None:
    open_table(host, "take-that", ("Sara", "Linos", "Alexis"), "pad")
    host.click("header a[href$='/together/']")
    host.click("button[name=role][value=scorer]")
    host.wait_for_selector(".code")
    save_picture(host, "door")
    guest.goto("/join/")
    for symbol in "".join(host.locator(".code span").all_inner_texts()):
        guest.click(f".keypad [data-key='{symbol}']")
    guest.click("#join .go")
    guest.click(".someone:has-text('Linos')")
    guest.wait_for_selector("#board .box")
    enter_counts(guest, "10 4 1")
    save_picture(guest, "own-count")


def picture_offline(page: Page) -> None:
    open_table(page, "take-that", ("Sara", "Linos", "Alexis"), "referee")
    page.click("#card-34")
    page.wait_for_selector("#card-34.laid")
    page.context.set_offline(True)
    for card in (41, 49):
        page.click(f"#card-{card}")
        page.wait_for_selector(f"#card-{card}[data-waits]")
    page.click("#outbox summary")
    save_picture(page, "waiting")


def play_random_match(page: Page, slug: str, names: tuple[str, ...], fraction: float, **options: str) -> None:
    """Save a table in the middle of a random match."""
    import django

    os.environ |= {"DJANGO_SETTINGS_MODULE": "companion.settings", "DJANGO_ALLOW_ASYNC_UNSAFE": "true"}
    django.setup()
    from companion.core.notation import build_options
    from companion.games import get_games
    from tests.browser.household import Household
    from tests.games.random_play import Case, random_logs
    from tests.web.people import store_log

    case = Case(get_games()[slug], len(names), build_options(get_games()[slug], len(names), options))
    logs = random_logs(case, case.random("picture"))
    household = Household.create()
    table = household.create_table(slug, names=names, options=options)
    store_log(table, logs[int(len(logs) * fraction)])
    page.goto("/")
    page.context.add_cookies([{"name": "device", "value": household.token, "url": page.url}])
    page.goto(f"/tables/{table.public_id}/")
    save_picture(page, slug)


def picture_history(page: Page, dark: Page) -> None:
    """Save pages of a circle with years of history."""
    from companion.history.statistics import aggregation
    from companion.tables.models import Table
    from tests.browser.household import Household
    from tests.crowd import create_tables

    household = Household.create()
    circle = household.device.circle
    assert circle
    create_tables(circle, each=8)
    aggregation.catch_up_fully(circle)
    longest = max(
        Table.objects.filter(circle=circle, game="beavers-and-mice"), key=lambda table: table.result["rounds"]
    )
    for tab in (page, dark):
        tab.goto("/")
        tab.context.add_cookies([{"name": "device", "value": household.token, "url": tab.url}])
    page.goto("/statistics/")
    save_picture(page, "statistics")
    page.goto(f"/tables/{longest.public_id}/")
    save_picture(page, "course", "main section.sheet:has(.chart)")
    dark.goto(f"/players/{circle.players.earliest('pk').pk}/")
    save_picture(dark, "player")


def open_table(page: Page, slug: str, names: tuple[str, ...], mode: str) -> None:
    page.goto(f"/tables/new/{slug}/")
    for name in names:
        page.fill("#new-name", name)
        with page.expect_navigation():
            page.keyboard.press("Enter")
        page.wait_for_selector(f".line-up li:has-text('{name}')")
    page.click(f"label:has([name=way][value={mode}])")
    page.click(".bar .go")
    page.wait_for_selector("#table")


def enter_counts(page: Page, counts: str) -> None:
    page.click("#board .box >> nth=0")
    for count in counts.split():
        for digit in count:
            page.click(f".keypad [data-key='{digit}']")
        page.click("[data-key=next]")
    page.wait_for_timeout(600)


def save_picture(page: Page, name: str, selector: str = "") -> None:
    """Save the top of the page, or the part with an element in the middle."""
    page.evaluate("scrollTo(0, 0)")
    if selector:
        page.locator(selector).evaluate("element => element.scrollIntoView({ block: 'center' })")
    page.wait_for_timeout(300)
    page.screenshot(path=FOLDER / f"{name}.png")


if __name__ == "__main__":
    main()
