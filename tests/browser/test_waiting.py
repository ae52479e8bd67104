"""Queued entries that need an answer, are refused, or are resolved."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, expect

from companion.tables.log_cache import get_cached_log
from companion.tables.models import Table
from tests.browser.household import Household
from tests.browser.phone import Phone
from tests.browser.test_outbox import format_queue_length, get_recorded_cards, open_table, queue_cards

DEVICES = pytest.mark.parametrize("device", ["Pixel 7", "iPhone 14"])
ROW = ".lie li:not(.none)"
LUDO = {"name": "Ludo"}
FIRST_PLAY = "1 extend seat=1 card=34"


def open_queue(phone: Phone) -> Locator:
    """Open the list of queued entries above the board and return them."""
    phone.press(phone.outbox)
    return phone.page.locator("#outbox li")


def go_online(phone: Phone, text: str) -> None:
    """Go back online and wait for the status of the queue."""
    phone.set_offline(False)
    expect(phone.outbox).to_have_text(text)


@DEVICES
def test_queued_question_is_answered_and_the_rest_is_sent(
    linked_phones: Callable[..., Phone], household: Household, device: str
) -> None:
    table = household.create_table("take-that", FIRST_PLAY)
    phone = open_table(linked_phones(device), table)
    phone.set_offline()
    queue_cards(phone, [41, 43, 45])
    go_online(phone, "1 entry needs an answer · 1 entry is waiting for that")
    expect(phone.page.locator(ROW)).to_have_text(["34", "41"])
    question = open_queue(phone).first
    expect(question).to_contain_text("Which of these?")
    phone.press(question.get_by_role("button", name="reverses 34 with 43"))
    expect(phone.outbox).to_be_hidden()
    expect(phone.page.locator(ROW)).to_have_text(["41", "45"])
    assert household.get_entry_kinds(table) == ["extend", "extend", "reverse", "extend"]


@DEVICES
def test_queued_card_is_the_play_its_board_showed(
    linked_phones: Callable[..., Phone], household: Household, device: str
) -> None:
    table = household.create_table("take-that", "1 extend seat=1 card=25")
    phone = open_table(linked_phones(device), table)
    expect(phone.page.locator("#card-52")).to_have_attribute("aria-label", "52, reverses 25")
    phone.set_offline()
    queue_cards(phone, [34, 44, 52])
    phone.set_offline(False)
    expect(phone.outbox).to_be_hidden()
    expect(phone.page.locator(ROW)).to_have_text(["34", "44"])


@DEVICES
@pytest.mark.parametrize(
    ("choice", "cards"), [("Discard", [34, 38, 41, 45]), ("We insist", [34, 38, 77]), ("another", [34, 38, 39, 41, 45])]
)
def test_plays_after_a_refused_one_wait_until_it_is_settled(
    linked_phones: Callable[..., Phone], household: Household, device: str, choice: str, cards: list[int]
) -> None:
    table = household.create_table("take-that", FIRST_PLAY)
    phone = open_table(linked_phones(device), table)
    phone.set_offline()
    queue_cards(phone, [38, 77, 41, 45])
    go_online(phone, "1 entry was not accepted · 2 entries are waiting for that")
    expect(phone.page.locator(ROW)).to_have_text(["34", "38"])
    phone.page.reload()
    expect(phone.outbox).to_have_text("1 entry was not accepted · 2 entries are waiting for that")
    entries = open_queue(phone)
    expect(entries.locator(".tag")).to_have_text(["not accepted", *["waits for the one before it"] * 2])
    expect(entries.first).to_contain_text("77 is 39 away from 38")
    expect(entries.first.locator("a.rule").first).to_have_attribute("href", "/en/rules/take-that/#extend-within-ten")
    if choice == "another":
        phone.press(entries.first.get_by_role("link", name="Show"))
        phone.press("#card-39")
    else:
        phone.press(entries.first.get_by_role("button", name=choice))
    expect(phone.page.locator(ROW)).to_have_text([str(card) for card in cards])
    if choice == "We insist":  # the next card was meant for a row that no longer exists
        expect(phone.outbox).to_have_text("1 entry was not accepted · 1 entry is waiting for that")
    else:
        expect(phone.outbox).to_be_hidden()
    assert get_recorded_cards(table) == cards


def test_plays_after_a_known_refusal_are_sent(phones: Callable[..., Phone], household: Household) -> None:
    table = household.create_table("take-that", FIRST_PLAY)
    phone = open_table(phones("small", token=household.token), table)
    phone.set_offline()
    queue_cards(phone, [77])
    go_online(phone, "1 entry was not accepted")
    phone.tap_card(38)
    expect(phone.page.locator(ROW)).to_have_text(["34", "38"])
    expect(phone.outbox).to_have_text("1 entry was not accepted")


def test_closing_waits_for_queued_entries_but_counts_do_not(phones: Callable[..., Phone], household: Household) -> None:
    table = household.create_table("any-game", mode="pad", names=("Sara", "Λίνος"), options=LUDO)
    phone = open_table(phones(token=household.token), table)
    phone.set_offline()
    for number, points in enumerate([(5, 7), (3, 9)], start=1):
        enter_points(phone, *points)
        expect(phone.outbox).to_have_text(format_queue_length(number))
    phone.press(phone.button("Close the table"))
    expect(phone.outbox).to_have_text(format_queue_length(3))
    household.record_entry(table, "1 count seat=0 points=4")
    go_online(phone, "1 entry was not accepted · 1 entry is waiting for that")
    assert household.get_entry_kinds(table) == ["count"] * 4
    phone.press(open_queue(phone).first.locator(".two-values a"))
    expect(phone.outbox).to_be_hidden()
    assert household.get_entry_kinds(table) == [*["count"] * 4, "close"]


# Rounds counted offline


def enter_points(phone: Phone, *points: int) -> None:
    phone.type_numbers(points)
    phone.press(".thumb .go >> visible=true")


@DEVICES
def test_ten_offline_rounds_are_recorded(
    linked_phones: Callable[..., Phone], household: Household, device: str
) -> None:
    table = household.create_table("any-game", mode="pad", names=("Sara", "Λίνος"), options=LUDO)
    phone = open_table(linked_phones(device), table)
    phone.set_offline()
    for number in range(1, 11):
        expect(phone.page.locator(".where span").first).to_have_text(f"Round {number}")
        enter_points(phone, 7, number)  # partly the same as in the previous round
        expect(phone.outbox).to_have_text(format_queue_length(number))
    expect(phone.page.locator(".where span").first).to_have_text("Round 11")
    expect(phone.page.locator("#board [data-active]")).to_have_attribute("name", "count.0.points")
    phone.set_offline(False)
    expect(phone.outbox).to_be_hidden(timeout=20_000)
    expect(phone.page.locator(".where span").first).to_have_text("Round 11")
    table.refresh_from_db()
    match = get_cached_log(table, 2).match
    assert [[c.total for c in match.get_round(n).manual_counts] for n in range(1, 11)] == [[7, n] for n in range(1, 11)]


@DEVICES
def test_undo_returns_to_the_queued_round_with_its_input(
    linked_phones: Callable[..., Phone], household: Household, device: str
) -> None:
    table = household.create_table(
        "any-game", "1 count seat=0 points=4", "1 count seat=1 points=4", mode="pad", options=LUDO
    )
    phone = open_table(linked_phones(device), table)
    household.record_entry(table, "1 count seat=2 points=4")
    phone.page.reload()
    phone.set_offline()
    enter_points(phone, 1, 2, 3)
    expect(phone.outbox).to_have_text(format_queue_length(1))
    expect(phone.page.locator(".where span").first).to_have_text("Round 3")
    phone.press("button[value=undo]")
    expect(phone.page.locator(".where span").first).to_have_text("Round 2")
    expect(phone.page.locator('[name="count.2.points"]')).to_have_value("3")
    expect(phone.outbox).to_be_hidden()
    phone.press(".thumb .go >> visible=true")
    expect(phone.page.locator(".where span").first).to_have_text("Round 3")
    phone.set_offline(False)
    expect(phone.outbox).to_be_hidden()
    assert household.get_entry_kinds(table) == ["count"] * 6


def test_input_of_the_next_round_survives_sending(phones: Callable[..., Phone], household: Household) -> None:
    table = household.create_table("any-game", mode="pad", names=("Sara", "Λίνος"), options=LUDO)
    phone = open_table(phones(token=household.token), table)
    phone.set_offline()
    for number, points in enumerate([(5, 7), (6, 8)], start=1):
        enter_points(phone, *points)
        expect(phone.outbox).to_have_text(format_queue_length(number))
    phone.press(".keypad [data-key='9']")
    phone.set_offline(False)
    expect(phone.outbox).to_be_hidden()
    expect(phone.page.locator(".where span").first).to_have_text("Round 3")
    phone.press(".keypad [data-key='4']")  # still in the same box, after its input
    expect(phone.page.locator('[name="count.0.points"]')).to_have_value("94")


def test_pad_stays_after_the_last_round(phones: Callable[..., Phone], household: Household) -> None:
    table = household.create_table("take-that", mode="pad", names=("Sara", "Λίνος"), options={"rounds": "2"})
    phone = open_table(phones("small", token=household.token), table)
    phone.set_offline()
    for number in (1, 2):
        enter_points(phone, 12, 17, 0, 10, 40, 3)
        expect(phone.outbox).to_have_text(format_queue_length(number))
    expect(phone.page.locator(".where span").first).to_have_text("Round 2 of 2")
    expect(phone.page.locator("#count-1")).to_have_attribute("data-waits", "not sent yet")


def test_pad_of_every_game_continues_offline(phones: Callable[..., Phone], household: Household) -> None:
    """The page carries a board for the next round, rendered by the game."""
    phone = phones(token=household.token)
    for slug, options in (("beavers-and-mice", {}), ("muzicando", {}), ("take-that", {}), ("any-game", LUDO)):
        table: Table = household.create_table(slug, mode="pad", options=options)
        open_table(phone, table)
        board = phone.page.locator("#next-round").evaluate_handle(
            "template => template.content.querySelector('form#board')"
        )
        assert board.evaluate("(board) => board.elements.round.value") == "2", slug
        assert board.evaluate("(board) => board.querySelectorAll('[name*=\".\"]').length") > 1, slug


# Pages opened with queued entries


@DEVICES
def test_page_with_queued_entries_opens_at_the_top(
    linked_phones: Callable[..., Phone], household: Household, device: str
) -> None:
    table = household.create_table("take-that", FIRST_PLAY)
    phone = open_table(linked_phones(device), table)
    saved = phone.page.locator(".where .saved")
    expect(saved).to_be_visible()
    phone.is_offline = True
    phone.page.route("**/entries/", lambda route: route.abort())
    queue_cards(phone, [41])
    expect(saved).to_be_hidden()
    for url in (f"/tables/{table.public_id}/", "/"):
        phone.page.goto(url)
        expect(phone.outbox).to_have_text(format_queue_length(1))
        phone.page.wait_for_timeout(200)
        assert phone.page.evaluate("scrollY") == 0, url
        expect(phone.page.locator("header.top")).to_be_in_viewport()
    phone.page.unroute_all()
    phone.page.evaluate("dispatchEvent(new Event('online'))")
    expect(phone.outbox).to_be_hidden()
    open_table(phone, table)
    expect(saved).to_be_visible()
