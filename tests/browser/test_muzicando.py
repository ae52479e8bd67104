"""Matches of Muzicando."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from django.utils.text import capfirst
from playwright.sync_api import Locator, expect

from companion.core.text import SeatName, _
from companion.games import get_games
from companion.games.muzicando.bids import Bid, Kind
from companion.games.muzicando.deck import Card
from companion.games.muzicando.plays import Deal, Lay, Options, Pass, Stop
from companion.rulebook.loader import load_rulebook
from tests.browser.mirror import Mirror
from tests.browser.phone import Phone, format_points

TEAM = ("Ann", "Bo", "Χρήστος", "Dora")
GAME = get_games()["muzicando"]


@pytest.mark.parametrize(("locale", "bid"), [("en-GB", Bid.S2), ("el-GR", Bid.P3)])
@pytest.mark.smoke
def test_match_of_two_teams(phones: Callable[..., Phone], locale: str, bid: Bid) -> None:
    phone = phones("small", locale)
    mirror = Mirror(GAME, 4)
    phone.open_table("muzicando", TEAM, mode="referee")

    _place_bids(phone, mirror, bid)
    _reject_illegal_opening(phone, mirror)
    _play_all_cards(phone, mirror)
    totals = _check_score(phone, mirror)
    totals = _cancel_deal(phone, totals)
    totals = _count_deal_with_stuck_player(phone, totals)
    _play_fourth_deal(phone, totals)


def tap_play(phone: Phone, play: Lay) -> None:
    """Tap a card, and its place if the page asks for it."""
    phone.tap(f"#card-{play.card}")
    if play.at is not None:
        expect(phone.notice).to_contain_text(phone.translate_message("Where does it go?"))
        phone.tap(phone.notice.locator(f"button[value={play.at}]"))
    expect(phone.page.locator(f"#card-{play.card}.laid, p.verdict")).to_have_count(1)


def get_turn(phone: Phone) -> Locator:
    return phone.page.locator(".turn-line b")


def _place_bids(phone: Phone, mirror: Mirror, bid: Bid) -> None:
    expect(get_turn(phone)).to_contain_text("Bo")
    expect(phone.page.locator("button.step.legal")).to_have_count(16)
    phone.tap("button[value='1G']")
    mirror.play("bid", seat=1, bid=Bid.G1)
    phone.tap("button[value='1S']")
    expect(phone.notice).to_contain_text(phone.translate_text(mirror.get_refusal("bid", seat=2, bid=Bid.S1), TEAM))
    phone.tap(f"button[value='{bid}']")
    mirror.play("bid", seat=2, bid=bid)
    expect(phone.page.locator("button.step.last")).to_contain_text(bid)
    for seat in (3, 0, 1):
        phone.tap(phone.button("Pass"))
        mirror.play("pass", seat=seat)
    expect(get_turn(phone)).to_contain_text("Χρήστος")
    expect(phone.page.locator("button.card")).to_have_count(56)


def _reject_illegal_opening(phone: Phone, mirror: Mirror) -> None:
    phone.tap("#card-violet-rest")
    reason = mirror.get_refusal("lay", seat=2, card=Card.read("violet-rest"))
    expect(phone.notice).to_contain_text(capfirst(phone.translate_text(reason, TEAM)))
    title = load_rulebook(GAME, phone.language).section("opening").title
    rule = phone.notice.get_by_role("link", name=title)
    expect(rule).to_have_attribute("href", f"/{phone.language}/rules/muzicando/#opening")
    legal = [play.card for play in _get_legal_plays(mirror) if isinstance(play, Lay)]
    expect(phone.page.locator("button.card.legal")).to_have_count(len(legal))


def _get_legal_plays(mirror: Mirror) -> list[object]:
    return [play for play in GAME.referee.candidates(mirror.state) if not list(GAME.referee.judge(mirror.state, play))]


def _play_all_cards(phone: Phone, mirror: Mirror) -> None:
    """Play randomly, and compare the hands on the page with those of the mirror."""
    was_undone = False
    while not mirror.is_over:
        play = mirror.choose_play(prefer=("lay", "stop") if mirror.random.random() < 0.2 else ("lay",))
        if isinstance(play, Lay):
            tap_play(phone, play)
        else:
            assert isinstance(play, Pass | Stop)
            phone.tap(phone.page.locator(f".bar [value={GAME.get_kind(play)}]"))
        if not was_undone and not mirror.is_over:
            phone.tap(phone.page.locator(".bar [value=undo]"))
            was_undone = True
            continue
        mirror.apply(play)
        if not mirror.is_over:
            expect(get_turn(phone)).to_contain_text(TEAM[mirror.state.turn])
            hands = [str(size) for size in mirror.state.hands if size]
            expect(phone.page.locator(".seat .hand")).to_have_text(hands)
            misses = sum(place.misses for place in GAME.referee.board(mirror.state).places)
            expect(phone.page.locator(".seat.misses")).to_have_count(misses)


def _check_score(phone: Phone, mirror: Mirror) -> list[int]:
    expect(phone.page.locator("p.verdict")).to_have_text(phone.translate_message("The round is over"))
    assert phone.page.locator("tfoot td").all_inner_texts() == list(map(format_points, mirror.points))
    phone.tap(phone.button("Confirm"))
    assert phone.read_totals() == list(map(format_points, mirror.points))
    return list(mirror.points)


def _cancel_deal(phone: Phone, totals: list[int]) -> list[int]:
    expect(get_turn(phone)).to_contain_text("Χρήστος")
    phone.press("details.foul summary")
    phone.tap(phone.page.locator("details.foul button[value='1']"))
    message = _("The deal is cancelled: {name} has broken the rules.", name=SeatName(1))
    expect(phone.page.locator(".lead").last).to_have_text(phone.translate_text(message, TEAM))
    phone.tap(phone.button("Confirm"))
    return _check_totals(phone, totals, (0, -12))


def _check_totals(phone: Phone, totals: list[int], points: Sequence[int]) -> list[int]:
    new_totals = [total + change for total, change in zip(totals, points, strict=True)]
    assert phone.read_totals() == list(map(format_points, new_totals))
    return new_totals


def enter_deal(phone: Phone, bidder: int, bid: str, order: Sequence[int]) -> None:
    """Enter a deal on the pad: bidder, bid, and the order in which players went out."""
    phone.press(f'label:has([name="deal.all.bidder"][value="{bidder}"])')
    phone.press(f'label:has([name="deal.all.bid"][value="{bid}"])')
    for seat in order:
        phone.press(f'[data-tap-order] [data-seat="{seat}"]')


def _count_deal_with_stuck_player(phone: Phone, totals: list[int]) -> list[int]:
    phone.press(phone.link("Only count this round"))
    phone.page.wait_for_url("**way=pad**")
    enter_deal(phone, 0, "3P", (0, 1))
    phone.press('label:has([name="deal.all.stuck"])')
    _check_question_about_stuck_players(phone, (0, 1))
    phone.press('[data-tap-order] [data-seat="3"]')
    _check_question_about_stuck_players(phone, (0, 1, 3))
    phone.press('label:has([name="deal.all.stuck"])')
    expect(phone.page.locator("#sum-0")).to_contain_text("11")
    phone.tap(phone.button("Save"))
    return _check_totals(phone, totals, (11, 5))


def _check_question_about_stuck_players(phone: Phone, order: tuple[int, ...]) -> None:
    phone.tap(phone.button("Save"))
    deal = Deal(len(TEAM), bidder=0, bid=Bid.P3, order=order, stuck=True)
    (question,) = GAME.pad.check(Options(), len(TEAM), (deal,))
    expect(phone.notice).to_contain_text(phone.translate_text(question.message))
    expect(phone.notice.get_by_role("button")).to_have_text([phone.translate_message("We insist")])


def _play_fourth_deal(phone: Phone, totals: list[int]) -> None:
    if not phone.page.locator('[name="deal.all.bid"]').count():
        phone.press(phone.link("Only count this round"))
        phone.page.wait_for_url("**way=pad**")
    enter_deal(phone, 0, "3S", (1, 0, 3))
    phone.press('label:has([name="deal.all.stuck"])')
    phone.tap(phone.button("Save"))
    first, second = (total + change for total, change in zip(totals, (-1, 6), strict=True))
    winners = (0, 2) if first > second else (1, 3)
    names = tuple(_("{name}", name=SeatName(seat)) for seat in winners)
    verdict = _("{names} win with {best}.", names=names, best=max(first, second))
    expect(phone.page.locator("p.verdict")).to_have_text(phone.translate_text(verdict, TEAM))
    expect(phone.page.locator(".ranks .total")).to_have_text(
        [format_points(total) for total in sorted((first, second), reverse=True)]
    )


@pytest.mark.parametrize("locale", ["en-GB", "el-GR"])
def test_match_without_teams_with_a_stock(phones: Callable[..., Phone], locale: str) -> None:
    names = ("Ann", "Bo", "Χρήστος")
    phone = phones("small", locale)
    phone.open_table("muzicando", names, mode="referee")
    expect(phone.page.locator("button[name=opening]")).to_have_count(4)
    phone.tap("button[name=opening][value=m]")
    phone.tap_card("red-do")
    phone.tap(phone.page.locator(".bar [value=pass]"))  # and draws a card
    expect(phone.page.locator(".seat .hand")).to_have_text(["7", "6", "8"])
    expect(phone.page.locator(".turn-line")).to_contain_text("34")
    phone.tap_card("red-sharp")
    expect(get_turn(phone)).to_contain_text("Χρήστος")
    phone.tap_card("red-re")
    phone.tap_card("blue-mi")
    expect(phone.notice.get_by_role("button")).to_have_text([phone.translate_message("We insist")])
    labels = phone.page.locator(".columns li .sr").all_inner_texts()
    expected = _("{colour}: {cards}", colour=_("red"), cards=(_("Do"), _("Re"), _("sharp")))
    assert labels[0] == phone.translate_text(expected), labels
    assert len(labels) == 7


@pytest.mark.parametrize("locale", ["en-GB", "el-GR"])
def test_missed_turn_survives_a_rest(phones: Callable[..., Phone], locale: str) -> None:
    phone = phones("small", locale)
    phone.open_table("muzicando", TEAM, mode="referee")
    phone.tap("button[value='1S']")
    for _seat in range(3):
        phone.tap(phone.page.locator(".bar [value=pass]"))
    for card in ("red-do", "orange-re", "red-sharp"):
        phone.tap_card(card)
    expect(get_turn(phone)).to_contain_text("Bo")
    expect(phone.page.locator(".seat.misses .name")).to_have_text("Ann")
    expect(phone.page.locator(".seat.misses small")).to_have_text(phone.translate_message("misses a turn"))
    for card in ("violet-mi", "violet-rest"):
        phone.tap_card(card)
    phone.tap(phone.page.locator(".bar [value=stop]"))
    phone.tap_card("orange-sharp")
    expect(get_turn(phone)).to_contain_text("Ann")
    expect(phone.page.locator(".seat.misses")).to_have_count(0)


@pytest.mark.parametrize("locale", ["en-GB", "el-GR"])
def test_calculator_scores_a_deal(phones: Callable[..., Phone], locale: str) -> None:
    phone = phones("small", locale)
    phone.page.goto("/calculate/muzicando/?seats=5")
    phone.press('label:has([name="deal.all.opening"][value="m"])')
    for seat in (4, 3, 2, 1):
        phone.press(f'[data-tap-order] [data-seat="{seat}"]')
    expect(phone.page.locator(".sides .sum")).to_have_text(["= 5", "= 6", "= 7", "= 8", "= 9"])
    phone.press(phone.button("Result"))
    expect(phone.page.locator("tfoot td")).to_have_text(["5", "6", "7", "8", "9"])


def test_corrected_bid_is_marked_on_the_ladder(phones: Callable[..., Phone]) -> None:
    phone = phones("small", "en-GB")
    phone.open_table("muzicando", TEAM, mode="referee")
    phone.tap("button[value='2G']")
    phone.press(phone.log.get_by_role("link", name="correct"))
    expect(phone.page.locator(".ladder [aria-current]")).to_have_text("2G Glissando")


def test_pad_shows_contract_kinds_and_the_implied_last_place(phones: Callable[..., Phone]) -> None:
    phone = phones("small", "en-GB")
    phone.open_table("muzicando", TEAM, mode="pad")
    expect(phone.page.locator(".ladder > small")).to_have_text([str(kind.label) for kind in Kind])
    enter_deal(phone, 0, "3P", (0, 1, 3))
    last = '[data-tap-order] [data-seat="2"] .place'
    marker = f"getComputedStyle(document.querySelector('{last}'), '::after').content"
    assert phone.page.evaluate(marker) == "counter(last)"
    phone.press('label:has([name="deal.all.stuck"])')
    assert phone.page.evaluate(marker) == "none"


def test_deal_is_corrected_with_its_points_visible(phones: Callable[..., Phone]) -> None:
    phone = phones("small", "en-GB")
    phone.open_table("muzicando", TEAM, mode="pad")
    enter_deal(phone, 0, "3P", (0, 1, 3))
    phone.tap(phone.button("Save"))
    phone.press(phone.log.get_by_role("link", name="correct"))
    sums, labels = phone.page.locator(".sides .sum"), phone.page.locator(".sides span:first-child")
    expect(sums).to_have_text(["= 11", "= 5"])
    assert labels.all_inner_texts() == ["Ann, Χρήστος", "Bo, Dora"]
    phone.press("details.count summary")
    phone.press('label:has([name="deal.all.foul"][value="1"])')
    expect(sums).to_have_text(["= 0", "= −12"])
