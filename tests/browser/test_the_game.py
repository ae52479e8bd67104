"""Matches of The Game."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, expect

from companion.core.text import ngettext
from companion.games import get_games
from companion.games.the_game.plays import Row
from companion.rulebook.loader import load_rulebook
from tests.browser.household import Household
from tests.browser.mirror import Mirror
from tests.browser.phone import Phone

ANN, BO, CHRIS = 0, 1, 2
NAMES = ("Ann", "Bo", "Χρήστος")


@pytest.mark.parametrize(("device", "locale"), [("small", "en-GB"), ("Pixel 7", "el-GR")])
@pytest.mark.smoke
def test_match_is_refereed(phones: Callable[..., Phone], device: str, locale: str) -> None:
    phone = phones(device, locale)
    mirror = Mirror(get_games()["the-game"], 3)
    phone.open_table("the-game", NAMES, mode="referee")

    _choose_first_player(phone, mirror)
    _check_highlighted_rows(phone, mirror)
    _end_turn(phone, mirror)
    _play_backwards_trick(phone, mirror)
    _end_turn_too_early(phone, mirror)
    _insist_on_illegal_card(phone, mirror)
    _undo(phone, mirror)
    for _turn in range(4):
        _play_turn(phone, mirror)
    _end_round_when_stuck(phone, mirror)

    phone.press(phone.button("Rematch"))
    expect(get_row(phone, "up-1").locator(".num")).to_have_text("1")
    expect(phone.page.get_by_text(phone.translate_message("Who starts?"))).to_be_visible()


def get_row(phone: Phone, name: str) -> Locator:
    return phone.page.locator(f'label.row:has([value="{name}"])')


def _choose_first_player(phone: Phone, mirror: Mirror) -> None:
    question = phone.page.get_by_text(phone.translate_message("Who starts?"))
    phone.press("#card-30")  # kept until the first player is known
    expect(phone.page.locator("#card-30")).to_have_attribute("aria-pressed", "true")
    expect(question).to_have_count(1)
    expect(question).to_be_in_viewport()
    expect(phone.notice).to_be_empty()
    phone.press(phone.page.locator(".begins .pick").nth(BO))
    expect(phone.page.locator("label.row.lit input")).to_have_count(4)
    phone.tap(get_row(phone, "up-1"))
    mirror.play("place", seat=BO, card=30, row=Row.UP_1)
    expect(get_row(phone, "up-1").locator(".num")).to_have_text("30")
    expect(phone.page.locator(".turn-line b")).to_contain_text("Bo")


def _check_highlighted_rows(phone: Phone, mirror: Mirror) -> None:
    phone.press("#card-25")  # too low for the first row only, where it is no backwards trick either
    expect(phone.page.locator("label.row.lit input")).to_have_count(3)
    expect(get_row(phone, "up-1")).not_to_have_class("row lit")
    expect(phone.page.locator("#card-25")).to_have_attribute("aria-pressed", "true")
    expect(get_row(phone, "down-1").locator(".num")).to_have_text("100")
    phone.tap(get_row(phone, "down-1"))
    mirror.play("place", seat=BO, card=25, row=Row.DOWN_1)
    expect(get_row(phone, "down-1").locator(".num")).to_have_text("25")
    expect(phone.page.locator("label.row.lit")).to_have_count(0)


def _end_turn(phone: Phone, mirror: Mirror) -> None:
    phone.tap(phone.end_turn_button)
    mirror.play("end-turn", seat=BO)
    expect(phone.page.locator(".turn-line b")).to_contain_text("Χρήστος")
    expect(phone.page.locator(".turn-line")).to_contain_text(str(mirror.state.pile))


def _play_backwards_trick(phone: Phone, mirror: Mirror) -> None:
    expect(get_row(phone, "up-1").locator(".hint")).to_have_text("20")
    expect(phone.page.locator("#card-20")).to_have_attribute(
        "aria-label", f"20, {phone.translate_message('backwards trick')}"
    )
    phone.press(get_row(phone, "up-1"))
    expect(get_row(phone, "up-1").locator("input")).to_be_checked()
    phone.tap_card(20)
    mirror.play("place", seat=CHRIS, card=20, row=Row.UP_1)
    expect(get_row(phone, "up-1").locator(".num")).to_have_text("20")


def _end_turn_too_early(phone: Phone, mirror: Mirror) -> None:
    phone.tap(phone.end_turn_button)
    expect(phone.notice).to_contain_text(phone.translate_text(mirror.get_refusal("end-turn", seat=CHRIS), NAMES))
    expect(phone.page.locator(".turn-line b")).to_contain_text("Χρήστος")


def _insist_on_illegal_card(phone: Phone, mirror: Mirror) -> None:
    phone.press(get_row(phone, "up-1"))
    phone.tap_card(19)
    expect(phone.notice).to_contain_text(
        phone.translate_text(mirror.get_refusal("place", seat=CHRIS, card=19, row=Row.UP_1), NAMES)
    )
    expect(get_row(phone, "up-1").locator(".num")).to_have_text("20")
    title = load_rulebook(get_games()["the-game"], phone.language).section("ascending").title
    rule = phone.notice.get_by_role("link", name=title)
    expect(rule).to_have_attribute("href", f"/{phone.language}/rules/the-game/#ascending")
    phone.tap(phone.button("We insist"))
    expect(get_row(phone, "up-1").locator(".num")).to_have_text("19")
    expect(phone.log.first.locator(".tag.over")).to_have_text(f"{phone.translate_message('insisted')}: {title}")


def _undo(phone: Phone, mirror: Mirror) -> None:
    phone.tap(phone.button("Undo"))
    expect(get_row(phone, "up-1").locator(".num")).to_have_text("20")
    expect(phone.log.nth(1)).to_contain_text(phone.translate_message("undone"))
    phone.press(get_row(phone, "up-1"))
    phone.tap_card(21)
    mirror.play("place", seat=CHRIS, card=21, row=Row.UP_1)
    phone.tap(phone.end_turn_button)
    mirror.play("end-turn", seat=CHRIS)
    expect(phone.page.locator(".turn-line b")).to_contain_text("Ann")


def _play_turn(phone: Phone, mirror: Mirror) -> None:
    seat = mirror.state.turn
    for _card in range(mirror.state.minimum):
        play = mirror.choose_play(prefer=("place",))
        phone.press(get_row(phone, play.row))
        phone.tap_card(play.card)
        mirror.apply(play)
        expect(get_row(phone, play.row).locator(".num")).to_have_text(str(play.card))
    phone.tap(phone.end_turn_button)
    mirror.play("end-turn", seat=seat)


def _end_round_when_stuck(phone: Phone, mirror: Mirror) -> None:
    seat = mirror.state.turn
    phone.tap(phone.button("Stuck"))
    mirror.play("stuck", seat=seat)
    cards_left = sum(mirror.state.hands) + mirror.state.pile
    expect(phone.page.locator("p.verdict")).to_have_text(phone.translate_message("The round is over"))
    expect(phone.page.locator("tbody td")).to_have_text([str(sum(mirror.state.hands)), str(mirror.state.pile)])
    expect(phone.page.locator("tfoot td")).to_have_text(str(cards_left))
    phone.tap(phone.button("Confirm"))
    expect(phone.page.locator("p.verdict")).to_have_text(phone.translate_text(build_verdict(cards_left)))
    expect(phone.page.locator(".big")).to_have_text(str(cards_left))


def build_verdict(left: int) -> object:
    return ngettext("{n} card left.", "{n} cards left.", left)


@pytest.mark.parametrize("locale", ["en-GB", "el-GR"])
def test_uncovered_fire_wins(phones: Callable[..., Phone], locale: str) -> None:
    phone = phones("small", locale)
    phone.open_table("the-game", ("Ann", "Bo"), mode="referee", checked=["on_fire"])
    expect(phone.page.locator("#card-44")).to_have_attribute(
        "aria-label", f"44, {phone.translate_message('fire card')}"
    )
    phone.press(f'label.pick:has([name=seat][value="{ANN}"])')
    place_card(phone, 44, "up-1")
    expect(get_row(phone, "up-1")).to_have_class("row burning")
    place_card(phone, 90, "down-1")
    phone.tap(phone.end_turn_button)
    expect(get_row(phone, "up-1").locator(".hint")).to_have_text(phone.translate_message("cover!"))
    place_card(phone, 10, "up-2")
    place_card(phone, 80, "down-1")
    phone.tap(phone.end_turn_button)
    verdict = phone.translate_text(ngettext("The fire wins: {n} card left.", "The fire wins: {n} cards left.", 94))
    expect(phone.page.locator(".lead").last).to_have_text(verdict)
    phone.tap(phone.button("Confirm"))
    expect(phone.page.locator("p.verdict")).to_have_text(verdict)


def place_card(phone: Phone, card: int, row: str) -> None:
    phone.press(get_row(phone, row))
    phone.tap_card(card)
    expect(get_row(phone, row).locator(".num")).to_have_text(str(card))


def test_first_player_is_asked_once_without_javascript(phones: Callable[..., Phone], household: Household) -> None:
    table = household.create_table("the-game", names=NAMES)
    phone = phones(token=household.token, java_script_enabled=False)
    phone.page.goto(f"/tables/{table.public_id}/")
    expect(phone.page.locator("#board .begins")).to_be_visible()
    phone.press("#card-30")
    expect(phone.notice).to_contain_text(phone.translate_message("Who starts?"))
    expect(phone.page.locator("#board .begins")).to_be_hidden()
    phone.press(phone.notice.locator("button[name=seat]").nth(BO))
    phone.press(phone.notice.locator("button[value=up-1]"))
    expect(get_row(phone, "up-1").locator(".num")).to_have_text("30")


@pytest.mark.parametrize("device", ["Pixel 7", "iPhone 14"])
def test_offline_first_player_does_not_decide_later_turns(
    phones: Callable[..., Phone], household: Household, device: str
) -> None:
    table = household.create_table("the-game", names=NAMES)
    phone = phones(device, token=household.token)
    phone.page.goto(f"/tables/{table.public_id}/")
    phone.set_offline()
    phone.press("#card-30")
    phone.press(phone.page.locator(".begins .pick").nth(BO))
    phone.press(get_row(phone, "up-1"))
    expect(phone.outbox).to_contain_text("1 ")
    for number, card in ((2, 40), (4, 50)):
        phone.press(get_row(phone, "up-1"))
        phone.press(f"#card-{card}")
        expect(phone.outbox).to_contain_text(f"{number} ")
        phone.press(phone.end_turn_button)
        expect(phone.outbox).to_contain_text(f"{number + 1} ")
    phone.set_offline(False)
    expect(phone.outbox).to_contain_text("1 entry was not accepted")  # the second turn is one card short
    assert [entry.words["seat"] for entry in table.entries.all()] == ["1", "1", "1", "2"]
