"""Matches of Beavers and Mice."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, expect

from companion.games import get_games
from companion.games.beavers_and_mice.deck import Face, Revealed
from companion.games.beavers_and_mice.plays import Slot
from companion.rulebook.loader import load_rulebook
from tests.browser.household import Household
from tests.browser.mirror import Mirror
from tests.browser.phone import Phone

ANN, BO, CHRIS = 0, 1, 2
NAMES = ("Ann", "Bo", "Χρήστος")
GAME = get_games()["beavers-and-mice"]
ROWS = ("4 ◉⇄2 0 5", "1 2 1 3", "0 2 ②8 2")
"""Each player's cards at the end of the first round, as typed."""
POINTS = [11, 7, 12]


@pytest.mark.parametrize(("device", "locale"), [("small", "en-GB"), ("small", "el-GR")])
@pytest.mark.smoke
def test_match_is_played_by_referee_and_pad(phones: Callable[..., Phone], device: str, locale: str) -> None:
    phone = phones(device, locale)
    mirror = Mirror(GAME, 3)
    phone.open_table("beavers-and-mice", NAMES, mode="referee", rounds=2)

    _turn_up_special_that_cannot_be_taken(phone, mirror)
    _knock_too_early(phone, mirror)
    _take_discard(phone, mirror)
    _play_specials_with_targets(phone, mirror)
    _play_two_chances(phone, mirror)
    _undo_and_redo(phone)
    _play_card_that_has_run_out(phone, mirror)
    _knock_and_play_last_turns(phone, mirror)
    _reveal_clockwise(phone, mirror)

    expect(phone.page.locator("tfoot td")).to_have_text([str(points) for points in POINTS])
    assert mirror.points == tuple(POINTS)
    phone.tap(phone.button("Confirm"))
    expect(phone.page.locator(".seat .num")).to_have_text([str(points) for points in POINTS])
    expect(phone.page.locator(".seat.turn .name")).to_have_text("Bo")  # the deal passes to the left

    _count_by_hand(phone)
    _check_final_sheet(phone, [11 + 9, 7 + 36, 12 + 0])
    phone.press(phone.button("Rematch"))
    expect(phone.page.locator(".stack .num").first).to_have_text(str(66 - 3 * 4))


def expect_turn(phone: Phone, seat: int) -> None:
    expect(phone.page.locator(".seat.turn .name")).to_have_text(NAMES[seat])


def get_discard(phone: Phone) -> Locator:
    return phone.page.locator(".open")


def discard(phone: Phone, mirror: Mirror, seat: int, card: str) -> None:
    phone.tap_card(card)
    mirror.play("discard", seat=seat, card=Face(card))
    expect(phone.page.locator(".stack .num").first).to_have_text(str(mirror.state.pile))


def get_play_option(phone: Phone, kind: str) -> Locator:
    return phone.page.locator(f'.ways label:has([value="{kind}"])')


def _turn_up_special_that_cannot_be_taken(phone: Phone, mirror: Mirror) -> None:
    expect_turn(phone, ANN)
    expect(phone.page.locator(".turn-line")).to_contain_text(
        phone.translate_message("%(name)s turns a card up", name="Ann")
    )
    phone.tap_card("peek")
    mirror.play("turn-up", seat=ANN, card=Face.PEEK)
    expect(get_discard(phone)).to_contain_text(phone.translate_message("Peek"))
    expect_turn(phone, BO)
    expect(get_play_option(phone, "discard").locator("input")).to_be_checked()
    _check_discard_cannot_be_taken(phone, mirror, BO)
    expect(phone.page.locator("#card-peek")).to_have_attribute("data-left", "6")


def _check_discard_cannot_be_taken(phone: Phone, mirror: Mirror, seat: int) -> None:
    reason = phone.translate_text(mirror.get_refusal("take", seat=seat, slot=Slot.FIRST, card=Face.ZERO), NAMES)
    for control in (".ways button[value=take]", "button.open"):
        phone.tap(control)
        expect(phone.notice.locator("p")).to_have_text([reason])
        phone.press("#notice .shut")


def _knock_too_early(phone: Phone, mirror: Mirror) -> None:
    expect(phone.page.locator("button[form=knock]")).to_have_count(0)
    discard(phone, mirror, BO, "2")
    expect_turn(phone, CHRIS)
    phone.tap("button[form=knock]")
    expect(phone.notice).to_contain_text(phone.translate_text(mirror.get_refusal("knock", seat=BO), NAMES))
    title = load_rulebook(GAME, phone.language).section("knock").title
    rule = phone.notice.get_by_role("link", name=title)
    expect(rule).to_have_attribute("href", f"/{phone.language}/rules/beavers-and-mice/#knock")
    expect(phone.notice.get_by_role("button", name=phone.translate_message("We insist"))).to_be_visible()


def _take_discard(phone: Phone, mirror: Mirror) -> None:
    """Slots are only offered when a card is exchanged; switching back to a discard clears the choice."""
    slot = phone.page.locator('label.slot:has([value="2"])')
    expect(slot).to_be_hidden()
    phone.press(get_play_option(phone, "take"))
    phone.press(slot)
    expect(slot.locator("input")).to_be_checked()
    phone.press(get_play_option(phone, "discard"))
    expect(slot.locator("input")).not_to_be_checked()
    phone.press(get_discard(phone))
    phone.press(slot)
    phone.tap_card("6")
    mirror.play("take", seat=CHRIS, slot=Slot.SECOND, card=Face.SIX)
    expect(get_discard(phone)).to_contain_text("6")
    expect(phone.log.first).to_contain_text(phone.translate_message("2nd card"))
    expect(phone.page.locator(".stack .num").first).to_have_text(str(mirror.state.pile))
    expect_turn(phone, ANN)


def _play_specials_with_targets(phone: Phone, mirror: Mirror) -> None:
    phone.tap("button[name=kind][value=exchange]")
    expect(phone.notice.locator("button[name=slot]")).to_have_count(4)
    phone.tap(phone.notice.locator("button[value='2']"))
    expect(phone.notice.locator("button[name=other]")).to_have_text(["Bo", "Χρήστος"])
    first, second = phone.translate_text(Slot.FIRST.label), phone.translate_text(Slot.SECOND.label)
    expect(phone.notice.locator(".trail")).to_have_text(f"Ann · {second}")
    phone.tap(phone.notice.get_by_role("button", name=phone.translate_message("Back")))
    expect(phone.notice.locator(".trail")).to_have_text("Ann")
    phone.tap(phone.notice.locator("button[value='1']"))
    phone.tap(phone.notice.locator("button[name=other]").last)
    expect(phone.notice.locator(".trail")).to_have_text(f"Ann · {first} · Χρήστος")
    phone.tap(phone.notice.locator("button[name=other_slot]").nth(3))
    mirror.play("exchange", seat=ANN, slot=Slot.FIRST, other=CHRIS, other_slot=Slot.FOURTH)
    expect(get_discard(phone)).to_contain_text(phone.translate_message("Exchange"))
    expect_turn(phone, BO)
    phone.press(get_play_option(phone, "swap"))
    phone.tap_card("9")  # no slot chosen yet, so the notice asks for it
    phone.tap(phone.notice.locator("button[value='3']"))
    mirror.play("swap", seat=BO, slot=Slot.THIRD, card=Face.NINE)
    expect(get_discard(phone)).to_contain_text("9")
    expect_turn(phone, CHRIS)


def _play_two_chances(phone: Phone, mirror: Mirror) -> None:
    phone.tap("button[name=kind][value=two-chances]")
    mirror.play("two-chances", seat=CHRIS)
    expect_turn(phone, CHRIS)
    expect(phone.page.locator(".turn-line")).to_contain_text(phone.translate_message("two chances"))
    discard(phone, mirror, CHRIS, "9")
    expect_turn(phone, CHRIS)
    expect(phone.page.locator(".turn-line")).to_contain_text(
        phone.translate_message("second chance: the turn ends with it")
    )
    expect(phone.page.locator(".held .open")).to_contain_text(phone.translate_message("Two Chances"))
    _check_discard_cannot_be_taken(phone, mirror, CHRIS)
    phone.tap("button[name=kind][value=peek]")
    phone.tap(phone.notice.locator("button[value='4']"))
    mirror.play("peek", seat=CHRIS, slot=Slot.FOURTH)
    expect(get_discard(phone)).to_contain_text(phone.translate_message("Two Chances"))
    expect_turn(phone, ANN)


def _undo_and_redo(phone: Phone) -> None:
    phone.tap(phone.button("Undo"))
    expect_turn(phone, CHRIS)
    phone.tap(phone.button("Redo"))
    expect_turn(phone, ANN)


def _play_card_that_has_run_out(phone: Phone, mirror: Mirror) -> None:
    for seat in (ANN, BO, CHRIS):
        discard(phone, mirror, seat, "6")
    expect(phone.page.locator("#card-6")).to_have_attribute("data-left", "0")
    phone.tap_card("6")
    expect(phone.notice).to_contain_text(
        phone.translate_text(mirror.get_refusal("discard", seat=ANN, card=Face.SIX), NAMES)
    )
    expect(phone.notice.get_by_role("button", name=phone.translate_message("We insist"))).to_have_count(0)
    expect_turn(phone, ANN)
    phone.press("#notice .shut")
    discard(phone, mirror, ANN, "7")


def _knock_and_play_last_turns(phone: Phone, mirror: Mirror) -> None:
    phone.tap("button[form=knock]")
    mirror.play("knock", seat=ANN)
    expect_turn(phone, BO)
    expect(phone.page.locator(".seat").nth(ANN)).to_contain_text(phone.translate_message("knocked"))
    expect(phone.page.locator(".turn-line")).to_contain_text(phone.translate_message("the last turn"))
    expect(phone.page.locator("button[form=knock]")).to_have_count(0)
    discard(phone, mirror, BO, "7")
    phone.tap_card("7")
    mirror.play("discard", seat=CHRIS, card=Face.SEVEN)


def _reveal_clockwise(phone: Phone, mirror: Mirror) -> None:
    phone.expected.add(400)
    phone.press(".thumb .go >> visible=true")  # nothing typed yet, and nothing is assumed
    expect(phone.notice).to_contain_text(phone.translate_message("Some of these boxes are still empty."))
    for seat, row in enumerate(ROWS):
        expect_turn(phone, seat)
        phone.press(phone.page.locator("input.box").first)
        for key in row.replace(" ", ""):
            phone.press(f".keypad [data-key='{key}']")
        boxes = [box.input_value() for box in phone.page.locator("input.box").all()]
        assert boxes == row.split()
        expect(phone.page.locator("#sum-reveal")).to_have_text(f"= {POINTS[seat]}")
        phone.tap(".thumb .go >> visible=true")
        mirror.play("reveal", seat=seat, cards=tuple(map(Revealed.read, row.split())))
        if not mirror.is_over:
            expect(phone.page.locator(".turned li")).to_have_count(seat + 1)
            expect(phone.page.locator(".turned b").nth(seat)).to_have_text(f"= {POINTS[seat]}")
    expect(phone.page.locator("p.verdict")).to_have_text(phone.translate_message("The round is over"))


def _count_by_hand(phone: Phone) -> None:
    phone.press(phone.link("Only count this round"))
    phone.press(phone.page.locator('[name="count.0.cards"]').first)
    for key in "3◉21":
        phone.press(f".keypad [data-key='{key}']")
    expect(phone.page.locator('[name="count.0.cards"]').nth(1)).to_have_value("◉2")
    phone.press(".keypad [data-key='3']")
    sums = phone.page.locator("output.sum")
    expect(sums.first).to_have_text("= 9")
    for key in "9999":  # each card is one tap; the focus moves on to the next player
        phone.press(f".keypad [data-key='{key}']")
    expect(sums.nth(1)).to_have_text("= 36")
    phone.press(phone.page.locator("label.knocked").nth(CHRIS))
    phone.press("details.totals summary")
    phone.page.locator('[name="count.2.total"]').fill("0")
    expect(sums.nth(2)).to_have_text("= 0")
    phone.tap(".thumb .go >> visible=true")


def _check_final_sheet(phone: Phone, totals: list[int]) -> None:
    assert phone.read_totals() == [str(total) for total in totals]
    expect(phone.page.locator(".ranks bdi")).to_have_text(["Χρήστος", "Ann", "Bo"])
    expect(phone.page.locator("p.verdict")).to_contain_text("Χρήστος")


@pytest.mark.parametrize("locale", ["en-GB", "el-GR"])
def test_exhausted_pile_is_shuffled(phones: Callable[..., Phone], household: Household, locale: str) -> None:
    faces = [face for face in "01234678" for _copy in range(4)] + ["9"] * 9 + ["exchange", "peek", "exchange", "peek"]
    lines = [f"1 discard seat={(number + 1) % 2} card={face}" for number, face in enumerate(faces)]
    names, options = ("Ann", "Bo"), {"deck": "american", "rounds": "1"}
    table = household.create_table("beavers-and-mice", "1 turn-up seat=0 card=5", *lines, names=names, options=options)
    phone = phones("small", locale, token=household.token)
    phone.page.goto(f"/tables/{table.public_id}/")
    expect(phone.page.locator(".stack .num")).to_have_text(["0", "46"])
    expect(phone.page.locator("#card-0")).to_have_attribute("data-left", "4")
    phone.tap("#card-two-chances")
    expect(phone.notice).to_contain_text(phone.translate_message("Two Chances"))
    phone.tap("#card-0")
    expect(phone.page.locator(".stack .num")).to_have_text(["45", "1"])
    expect(phone.page.locator(".open")).to_contain_text("0")
    expect(phone.page.locator("#card-0")).to_have_attribute("data-left", "3")


def type_row(phone: Phone, row: str) -> None:
    phone.press(phone.page.locator("input.box").first)
    for key in row:
        phone.press(f".keypad [data-key='{key}']")


@pytest.mark.parametrize("locale", ["en-GB", "el-GR"])
def test_contradictory_reveal_needs_insisting(phones: Callable[..., Phone], household: Household, locale: str) -> None:
    lines = ["1 turn-up seat=0 card=2", "1 take seat=1 slot=2 card=8", "1 discard seat=2 card=9"]
    lines += ["1 discard seat=0 card=9", "1 knock seat=0", *(f"1 discard seat={seat} card=9" for seat in (1, 2))]
    table = household.create_table("beavers-and-mice", *lines, "1 reveal seat=0 cards=0,1,3,4", names=NAMES)
    phone = phones("small", locale, token=household.token)
    phone.page.goto(f"/tables/{table.public_id}/")
    expect_turn(phone, BO)
    assert [box.input_value() for box in phone.page.locator("input.box").all()] == [""] * 4, "no reminders"
    type_row(phone, "1513")
    phone.tap(".thumb .go >> visible=true")
    rule = load_rulebook(GAME, phone.language).section("score").title
    expect(phone.notice).to_contain_text("5")
    expect(phone.notice.get_by_role("link", name=rule)).to_be_visible()
    expect(phone.page.locator(".turned b")).to_have_text(["= 8"])
    phone.tap(phone.notice.get_by_role("button", name=phone.translate_message("We insist")))
    expect(phone.page.locator(".turned b")).to_have_text(["= 8", "= 10"])
    expect(phone.log.first).to_contain_text(rule)
    expect_turn(phone, CHRIS)


@pytest.mark.parametrize("locale", ["en-GB", "el-GR"])
def test_row_can_be_corrected(phones: Callable[..., Phone], household: Household, locale: str) -> None:
    lines = ["1 turn-up seat=0 card=5", *(f"1 discard seat={seat} card=9" for seat in (1, 2, 0)), "1 knock seat=0"]
    lines += [*(f"1 discard seat={seat} card=9" for seat in (1, 2)), "1 reveal seat=0 cards=peek>7,1,1,1"]
    table = household.create_table("beavers-and-mice", *lines, names=NAMES)
    phone = phones("small", locale, token=household.token)
    phone.page.goto(f"/tables/{table.public_id}/entries/8/")
    boxes = phone.page.locator("input.box")
    assert [box.input_value() for box in boxes.all()] == ["◉7", "1", "1", "1"]
    phone.press(boxes.first)
    for key in "◉8":
        phone.press(f".keypad [data-key='{key}']")
    phone.press(".thumb .go >> visible=true")
    expect(phone.page.locator(".turned b")).to_have_text("= 11")


def test_special_card_waits_for_its_number(phones: Callable[..., Phone], household: Household) -> None:
    """Even if a rejected save or another box had the focus in between."""
    table = household.create_table("beavers-and-mice", names=NAMES, mode="pad")
    phone = phones("small", "en-GB", token=household.token)
    phone.expected.add(400)
    phone.page.goto(f"/tables/{table.public_id}/")
    boxes = phone.page.locator('[name="count.0.cards"]')
    phone.press(boxes.first)
    phone.press(".keypad [data-key='⇄']")
    phone.press(".thumb .go >> visible=true")
    expect(phone.notice).to_contain_text("filled in")
    phone.press(".keypad [data-key='3']")
    expect(boxes.first).to_have_value("⇄3")
    phone.press(boxes.nth(1))
    phone.press(".keypad [data-key='◉']")
    phone.press(boxes.nth(2))
    phone.press(boxes.nth(1))
    phone.press(".keypad [data-key='5']")
    expect(boxes.nth(1)).to_have_value("◉5")


def test_correction_starts_with_the_recorded_play(phones: Callable[..., Phone], household: Household) -> None:
    lines = ["1 turn-up seat=0 card=5", "1 take seat=1 slot=2 card=9", "1 peek seat=2 slot=1"]
    lines += ["1 discard seat=0 card=4", "1 knock seat=0"]
    table = household.create_table("beavers-and-mice", *lines, names=NAMES)
    phone = phones("small", "en-GB", token=household.token)
    entries = f"/tables/{table.public_id}/entries"
    phone.page.goto(f"{entries}/2/")
    expect(phone.page.locator(".seats")).to_have_count(0)  # the names above are the choice of seats
    expect(get_play_option(phone, "take").locator("input")).to_be_checked()
    expect(phone.page.locator('.slot [value="2"]')).to_be_checked()
    expect(phone.page.locator("#card-9")).to_have_attribute("aria-current", "true")
    phone.page.goto(f"{entries}/3/")
    expect(phone.page.locator(".played [aria-current]")).to_have_text("Peek")
    expect(phone.page.locator(".slot :checked")).to_have_count(0)
    knock = phone.page.locator("button[form=knock]")
    expect(knock).to_have_count(0)  # a knock would be another player's
    phone.page.goto(f"{entries}/3/?forgotten")
    expect(knock).to_have_count(1)
    expect(phone.page.locator(".played [aria-current]")).to_have_count(0)
    phone.page.goto(f"{entries}/5/")
    expect(knock).to_have_count(1)


def test_knocker_is_asked_after_counting_without_blocking_save(
    phones: Callable[..., Phone], household: Household
) -> None:
    phone = phones("small", "en-GB", token=household.token)
    for knocked, is_asked in (("", True), (" knocked=yes", False)):
        lines = [f"1 count seat=0 total=9{knocked}", "1 count seat=1 total=8"]
        table = household.create_table("beavers-and-mice", *lines, names=NAMES, mode="pad")
        phone.page.goto(f"/tables/{table.public_id}/")
        question = phone.page.get_by_text("Who knocked?")
        expect(question).to_be_hidden()
        phone.press(phone.page.locator('[name="count.2.cards"]').first)
        for key in "1232":
            phone.press(f".keypad [data-key='{key}']")
        expect(phone.page.locator("output.sum")).to_have_text("= 8")
        expect(question).to_be_visible(visible=is_asked)
        if is_asked:
            phone.press("label.knocked")
            expect(question).to_be_hidden()
            phone.press("label.knocked")
        phone.tap(".thumb .go >> visible=true")
        expect(phone.log.first).to_contain_text("8 points")
