"""Help and rules at the table."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest
from playwright.sync_api import expect

from companion.core.game import Game, Violation
from companion.core.schema import encode
from companion.core.text import Text
from companion.games import get_games
from companion.rulebook.loader import load_rulebook
from companion.tables.forms.pad import encode_box_values
from tests.browser.household import Household
from tests.browser.phone import Phone
from tests.games.random_play import random_tally, sample_cases
from tests.rulebook.books import WITH_RULEBOOK
from tests.web.people import choose_people

SUBMIT_PLAY = """fields => {
  const form = document.querySelector("#board");
  for (const [name, value] of Object.entries(fields)) {
    form.querySelectorAll(`[name="${name}"]`).forEach((control) => { control.disabled = true; });
    form.append(Object.assign(document.createElement("input"), { type: "hidden", name, value }));
  }
  form.requestSubmit();
}"""
"""Submits a play through the form of the board, bypassing its controls."""


@contextmanager
def refuse_everything(game: Game, rule: str) -> Iterator[None]:
    """Make a game refuse every play and count because of one rule."""
    for language in ("en", "el"):
        load_rulebook(game, language)  # cached before the game is patched
    referee, pad = game.referee, game.pad
    violation = Violation(game.rules(rule), Text("Refused because of {rule}.", (("rule", rule),)))
    strict_referee = referee and replace(referee, judge=lambda state, play: iter((violation,)))
    object.__setattr__(game, "referee", strict_referee)
    strict_pad = replace(pad, check=lambda options, seats, counts: iter((violation,) if counts else ()))
    object.__setattr__(game, "pad", strict_pad)
    try:
        yield
    finally:
        object.__setattr__(game, "referee", referee)
        object.__setattr__(game, "pad", pad)


@pytest.mark.parametrize("locale", ["en-GB", "el-GR"])
@pytest.mark.parametrize("game", WITH_RULEBOOK, ids=lambda game: game.slug)
def test_every_refusal_links_to_its_rule(
    phones: Callable[..., Phone], household: Household, game: Game, locale: str
) -> None:
    """Each language covers every other rule."""
    names = choose_people(game.slug, 3)
    table = household.create_table(game.slug, names=names, mode="referee" if game.plays else "pad")
    phone = phones("small", locale, token=household.token)
    page = phone.page
    for rule in sorted(game.rules)[locale == "el-GR" :: 2]:
        page.goto(f"/tables/{table.public_id}/")
        with refuse_everything(game, rule):
            if game.plays:
                state = game.referee.setup(game.options.cls(), len(names), 0)
                play = next(iter(game.referee.candidates(state)))
                page.evaluate(SUBMIT_PLAY, {"kind": game.get_kind(play), **encode(play)})
            else:
                count = random_tally(sample_cases(game.slug, 0)[0], random.Random(1))[0]
                boxes = encode_box_values(game, game.get_kind(count), encode(count))
                page.evaluate(SUBMIT_PLAY, {name: values[0] for name, values in boxes.items()})
            link = page.locator(f"#notice a.rule[href$='#{rule}']")
            expect(link).to_be_visible()
        phone.press(link)
        page.wait_for_url(re.compile(rf"/{phone.language}/rules/{game.slug}/#{rule}$"))
        section = page.locator("section:target")
        expect(section.locator("h2")).to_have_text(load_rulebook(game, phone.language).section(rule).title)
        expect(section.locator("h2")).to_be_in_viewport()


@pytest.mark.parametrize("locale", ["en-GB", "el-GR"])
def test_help_opens_above_the_board_and_keeps_the_selection(
    phones: Callable[..., Phone], household: Household, locale: str
) -> None:
    table = household.create_table("the-game", "1 place seat=0 card=47 row=up-1")
    phone = phones("small", locale, token=household.token)
    page = phone.page
    page.goto(f"/tables/{table.public_id}/")
    phone.press("label.row:has([value=down-2])")
    phone.press("a.ask")
    help_panel = page.locator("#help .help")
    expect(help_panel.locator("dt").first).to_be_visible()
    assert page.url.endswith(f"/tables/{table.public_id}/")
    assert page.locator("[name=row][value=down-2]").is_checked()
    phone.press(help_panel.locator("details summary").first)
    expect(help_panel.locator("details p").first).to_be_visible()
    phone.press(help_panel.locator(".shut"))
    expect(help_panel).to_have_count(0)
    expect(page.locator("[name=row][value=down-2]")).to_be_checked()
    phone.press("label.row:has([value=down-2])")
    phone.tap_card(60)
    assert household.get_entry_kinds(table)[-1] == "place"
    expect(page.locator("label.row:has([value=down-2]) .num")).to_have_text("60")


def test_scoring_rules_open_on_the_pad_without_losing_input(phones: Callable[..., Phone], household: Household) -> None:
    table = household.create_table("take-that", mode="pad")
    phone = phones("small", token=household.token)
    page = phone.page
    page.goto(f"/tables/{table.public_id}/")
    phone.type_numbers([12, 17])
    phone.press("a.ask")
    phone.press(page.locator("#help summary").first)
    expect(page.locator("#help table").first).to_be_visible()
    phone.press("#help .shut")
    assert page.locator("#board .box").evaluate_all("all => all.slice(0, 2).map((box) => box.value)") == ["12", "17"]


def test_board_keeps_its_selection_after_reading_the_rules(phones: Callable[..., Phone], household: Household) -> None:
    table = household.create_table("the-game", "1 place seat=0 card=47 row=up-1")
    phone = phones("small", token=household.token)
    page = phone.page
    page.goto(f"/tables/{table.public_id}/")
    phone.press("label.row:has([value=up-1])")
    phone.tap_card(36)
    phone.press(phone.notice.locator("a.rule").first)
    page.wait_for_url(re.compile("/rules/the-game/#ascending$"))
    phone.press("header.top a >> nth=0")
    page.wait_for_url(re.compile("/tables/"))
    expect(page.locator("[name=row][value=up-1]")).to_be_checked()


@pytest.mark.parametrize("locale", ["en-GB", "el-GR"])
def test_position_check_has_a_shareable_link(phones: Callable[..., Phone], locale: str) -> None:
    phone = phones("small", locale)
    page = phone.page
    page.goto(f"/{phone.language}/rules/take-that/")
    phone.press(phone.link("Can I?"))
    for card in (34, 41):
        phone.press(f"#tapped-{card}")
        expect(page.locator(".lie li").last).to_have_text(str(card))
    phone.press("label:has([name=into][value=card])")
    phone.press("#tapped-55")
    answer = page.locator("#answer .answer").first
    expect(answer).to_contain_text("14")
    expect(answer.locator(".no")).to_be_visible()
    answers = page.locator("#answer .answer").all_inner_texts()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    other = phones("small", "en-GB" if locale == "el-GR" else "el-GR")
    link = page.locator("#link").input_value()
    other.page.goto(link)
    assert other.page.locator("#answer .answer").all_inner_texts() == answers
    expect(other.page.locator("html")).to_have_attribute("lang", phone.language)


@pytest.mark.parametrize("game", [game for game in get_games().values() if game.plays], ids=lambda game: game.slug)
def test_position_checks_work_without_javascript(phones: Callable[..., Phone], game: Game) -> None:
    phone = phones("small", "el-GR", java_script_enabled=False)
    for kind in game.help.questions:
        phone.page.goto(f"/el/rules/{game.slug}/could-i/?ask={kind}")
        button = phone.page.locator("main form button:visible").first
        button.click()
        assert f"/el/rules/{game.slug}/could-i/" in phone.page.url
        expect(phone.page.locator("main form#ask")).to_be_visible()


def test_rules_can_be_searched_from_the_home_page(phones: Callable[..., Phone]) -> None:
    phone = phones("small", "el-GR", java_script_enabled=False)
    page = phone.page
    page.goto("/")
    page.locator("[role=search] [name=q]").fill("βατραχια")
    page.locator("[role=search] button").click()
    page.locator(".hits a[href$='#toads-stay']").click()
    expect(page.locator("section:target h2")).to_be_in_viewport()


def test_illegal_card_explains_why(phones: Callable[..., Phone], household: Household) -> None:
    table = household.create_table("take-that", "1 extend seat=1 card=34", "1 extend seat=2 card=41")
    phone = phones("small", token=household.token)
    phone.page.goto(f"/tables/{table.public_id}/")
    phone.tap_card(55)
    expect(phone.notice).to_contain_text("55 is 14 away from 41, and a card may be at most 10 away.")
    phone.press(phone.notice.get_by_role("link", name="What can I play?"))
    expect(phone.page.locator("#help .chip").first).to_have_text("31–33")
    expect(phone.notice).to_contain_text("55 is 14 away from 41")
