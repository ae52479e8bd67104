"""Matches of Take That."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from companion.core.scoring import rank_totals
from companion.games import get_games
from companion.rulebook.loader import load_rulebook
from tests.browser.mirror import Mirror
from tests.browser.phone import Phone, format_points

SARA, LINOS, ALEXIS = 0, 1, 2
NAMES = ("Sara", "Λίνος", "Alexis")
COUNTS = (12, 17, 0, 10, 4, 1, 14, 3, 0)
POINTS = (-5, 2, 11)


@pytest.mark.parametrize(("device", "locale"), [("Pixel 7", "en-GB"), ("small", "el-GR")])
@pytest.mark.smoke
def test_match_is_played_by_referee_and_pad(phones: Callable[..., Phone], device: str, locale: str) -> None:
    phone = phones(device, locale)
    mirror = Mirror(get_games()["take-that"], 3)
    phone.open_table("take-that", NAMES, mode="referee")
    expect(phone.page.locator("html")).to_have_attribute("lang", phone.language)
    expect(phone.page.locator(".lie")).to_have_text(phone.translate_message("The row is empty: any card opens it."))

    lay(phone, mirror, LINOS, 34)
    lay(phone, mirror, ALEXIS, 41)
    _play_illegal_card(phone, mirror)
    _insist_on_card(phone, mirror)
    _answer_question(phone, mirror)
    _undo_and_redo(phone)
    phone.tap("button[value=take]")
    mirror.play("take", seat=SARA)
    expect(phone.page.locator(".turn-line")).to_contain_text(phone.translate_message("opens a new row"))
    play_to_the_end(phone, mirror)

    _confirm_round(phone, mirror)
    _count_by_hand(phone)
    totals = [first + second for first, second in zip(mirror.points, POINTS, strict=True)]
    _check_final_sheet(phone, totals)

    phone.press(phone.button("Rematch"))
    expect(phone.page.locator(".seat.turn .name")).to_have_text("Sara")  # seat 2 deals, so seat 0 begins
    expect(phone.page.locator(".lie .none")).to_be_visible()


def lay(phone: Phone, mirror: Mirror, seat: int, card: int) -> None:
    phone.tap_card(card)
    mirror.play("extend", seat=seat, card=card)
    expect(phone.page.locator(".lie li").last).to_have_text(str(card))


def _play_illegal_card(phone: Phone, mirror: Mirror) -> None:
    phone.tap_card(55)
    expect(phone.notice).to_contain_text(phone.translate_text(mirror.get_refusal("extend", seat=SARA, card=55), NAMES))
    expect(phone.page.locator(".lie li")).to_have_text(["34", "41"])
    title = load_rulebook(get_games()["take-that"], phone.language).section("extend-within-ten").title
    rule = phone.notice.get_by_role("link", name=title)
    url = phone.page.url
    phone.press(rule)
    expect(phone.page).to_have_url(re.compile(rf"/{phone.language}/rules/take-that/#extend-within-ten$"))
    expect(phone.page.locator("section:target h2")).to_have_text(title)
    expect(phone.page.locator("section:target h2")).to_be_in_viewport()
    phone.page.go_back()
    expect(phone.page).to_have_url(url)
    expect(phone.page.locator(".lie li")).to_have_text(["34", "41"])


def _insist_on_card(phone: Phone, mirror: Mirror) -> None:
    phone.tap_card(55)
    phone.tap(phone.button("We insist"))
    mirror.play("extend", seat=SARA, card=55)
    expect(phone.page.locator(".lie li")).to_have_text(["34", "41", "55"])
    title = load_rulebook(get_games()["take-that"], phone.language).section("extend-within-ten").title
    expect(phone.log.first.locator(".tag.over")).to_have_text(f"{phone.translate_message('insisted')}: {title}")


def _answer_question(phone: Phone, mirror: Mirror) -> None:
    lay(phone, mirror, LINOS, 45)
    phone.tap_card(54)
    expect(phone.notice).to_contain_text(phone.translate_message("Which of these?"))
    expect(phone.notice.locator("button[name=kind]")).to_have_count(2)
    phone.tap(phone.notice.locator("button[value=reverse]"))
    mirror.play("reverse", seat=ALEXIS, card=54)
    expect(phone.page.locator(".lie li")).to_have_text(["34", "41", "55"])
    expect(phone.page.locator(".seat .pile:not(.down)").nth(ALEXIS)).to_contain_text("2")


def _undo_and_redo(phone: Phone) -> None:
    phone.tap(phone.button("Undo"))
    expect(phone.page.locator(".lie li")).to_have_text(["34", "41", "55", "45"])
    phone.tap(phone.button("Redo"))
    expect(phone.page.locator(".lie li")).to_have_text(["34", "41", "55"])


def play_to_the_end(phone: Phone, mirror: Mirror) -> None:
    """Make legal plays until the app ends the round."""
    while not mirror.is_over:
        game, state = mirror.game, mirror.state
        preferred = ("take",) if state.pile == 0 else ("extend", "reverse")
        play = mirror.choose_play(prefer=preferred)
        kind = game.get_kind(play)
        if kind == "take":
            phone.tap("button[value=take]")
        else:
            kinds = {game.get_kind(option) for option in _get_plays_of_card(mirror, play.card)}
            phone.tap_card(play.card)
            if len(kinds) > 1:
                phone.tap(phone.notice.locator(f"button[value={kind}]"))
        mirror.apply(play)
    expect(phone.page.locator(".verdict")).to_have_text(phone.translate_message("The round is over"))


def _get_plays_of_card(mirror: Mirror, card: int) -> list[object]:
    state, plays = mirror.state, mirror.game.plays
    candidates = [plays["extend"](state.turn, card), plays["reverse"](state.turn, card)]
    return [play for play in candidates if not list(mirror.game.referee.judge(state, play))]


def _confirm_round(phone: Phone, mirror: Mirror) -> None:
    points = [format_points(value) for value in mirror.points]
    expect(phone.page.locator("tfoot td")).to_have_text(points)
    phone.page.reload()
    expect(phone.page.locator("tfoot td")).to_have_text(points)
    phone.tap(phone.button("Confirm"))
    expect(phone.page.locator(".where")).to_contain_text(
        phone.translate_message("Round {n} of {rounds}").format(n=2, rounds=2)
    )
    expect(phone.page.locator(".seat .num")).to_have_text(points)
    expect(phone.page.locator(".seat.turn .name")).to_have_text("Alexis")  # seat 1 deals


def _count_by_hand(phone: Phone) -> None:
    phone.press(phone.link("Only count this round"))
    expect(phone.page.locator(".keypad")).to_be_visible()
    box = phone.page.locator('[name="count.0.face_up"]')
    expect(box).to_have_value("")
    phone.press(box)
    sums = phone.page.locator("output.sum")
    for seat, points in enumerate(POINTS):  # sums appear while others are still being counted
        phone.type_numbers(COUNTS[3 * seat : 3 * seat + 3])
        expect(sums.nth(seat)).to_have_text(f"= {format_points(points)}")
    expect(phone.page.locator("output.sum")).to_have_text([f"= {format_points(points)}" for points in POINTS])
    phone.tap(phone.button("Save"))


def _check_final_sheet(phone: Phone, totals: list[int]) -> None:
    expect(phone.page.locator(".ranks li")).to_have_count(3)
    assert phone.read_totals() == [format_points(total) for total in totals]
    ranking = [
        (int(place), name, total)
        for place, name, total in zip(
            phone.page.locator(".ranks .place").all_inner_texts(),
            phone.page.locator(".ranks bdi").all_inner_texts(),
            phone.page.locator(".ranks .total").all_inner_texts(),
            strict=True,
        )
    ]
    expected = sorted(
        zip(rank_totals(totals), NAMES, map(format_points, totals), strict=True), key=lambda place: place[0]
    )
    assert ranking == expected
    winner = max(range(3), key=lambda seat: totals[seat])
    expect(phone.page.locator("p.verdict")).to_contain_text(NAMES[winner])


@pytest.mark.parametrize("locale", ["en-GB", "el-GR"])
def test_older_count_is_corrected_in_four_taps(phones: Callable[..., Phone], locale: str) -> None:
    phone = phones("small", locale)
    phone.open_table("take-that", NAMES, mode="pad", rounds=4)
    for number in range(1, 5):
        expect(phone.page.locator(".where")).to_contain_text(
            phone.translate_message("Round {n} of {rounds}").format(n=number, rounds=4)
        )
        for seat, count in enumerate(((12, 17, 0), (10, 4, 1), (14, 3, 0))):
            for name, value in zip(("face_up", "face_down", "toads"), count, strict=True):
                phone.page.locator(f'[name="count.{seat}.{name}"]').fill(str(value))
        phone.tap(phone.button("Save"))
    assert phone.read_totals() == ["−20", "8", "44"]
    cell = phone.page.locator("table.score tbody tr").first.locator("a").first
    cell.scroll_into_view_if_needed()

    taps = [cell, ".keypad [data-key='1']", ".keypad [data-key='4']", ".thumb .go >> visible=true"]
    for target in taps:
        phone.press(target)

    expect(phone.page.locator("table.score tbody tr").first.locator("td").first).to_have_text("−3")
    assert phone.read_totals() == ["−18", "8", "44"]
    phone.press("main > details summary")
    expect(phone.page.locator(".log li").first).to_contain_text("14")
    expect(phone.page.locator(".log li").first).to_contain_text("12")
