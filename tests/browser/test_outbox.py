"""The outbox: queued entries arrive once and in order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import cycle

import pytest
from playwright.sync_api import expect

from companion.people.models import Device
from companion.tables.log_cache import get_cached_log
from companion.tables.models import Table
from tests.browser.household import Household
from tests.browser.phone import Phone
from tests.browser.proxy import Faults, Proxy
from tests.scale import choose_count

CARDS = [34, 36, 38, 41, 45, 47, 49, 51, 53, 56, 58, 61, 64, 67, 71, 75, 78, 82, 86, 89]
"""Each can be played on the one before it."""
SAVE = ".thumb .go >> visible=true"
SEND_TIMEOUT = 10_000
"""Timeout in milliseconds once the network is back."""
ROUNDS = choose_count(5, 25)
"""Rounds counted by four phones at five tables over a bad connection."""
TAPPED_TABLES = choose_count(4, 8)
"""Tables where every card is tapped two or three times."""
SUBMIT_COUNTS = """async ([urls, seat, rounds]) => {
  for (let round = 1; round <= rounds; round += 1) {
    for (const url of urls) {
      const form = document.createElement("form");
      form.method = "post";
      form.setAttribute("action", url);
      form.setAttribute("hx-post", url);
      for (const [name, value] of [["round", round], ["way", "pad"], [`count.${seat}.points`, round + seat]]) {
        const input = document.createElement("input");
        [input.type, input.name, input.value] = ["hidden", name, value];
        form.append(input);
      }
      document.body.append(form);
      htmx.process(form);
      form.requestSubmit();
      for (let turn = 0; document.querySelector("form[aria-busy]"); turn += 1) {
        if (turn > 2_000) throw new Error("neither queued nor sent");
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      form.remove();
    }
  }
}"""
"""Submits the counts of many rounds at several tables."""
TAP_CARDS = """async ([cards, times, pauses]) => {
  const sleep = (time) => new Promise((resolve) => setTimeout(resolve, time));
  const count = () => document.querySelectorAll(".lie li:not(.none)").length;
  for (const card of cards) {
    const laid = count();
    let before = Infinity;
    for (let time = 0; time < times; time += 1) {
      if (time) await sleep(pauses.pop());
      if (performance.now() - before > 340) break; // this machine was too slow for a double tap
      before = performance.now();
      document.getElementById(`card-${card}`).click();
    }
    for (let turn = 0; count() === laid; turn += 1) {
      if (turn > 1_000) throw new Error(`${card} has not been laid`);
      await sleep(10);
    }
  }
}"""
"""Taps each card several times, at most 300 ms apart, as soon as the one before it has been laid."""


def open_table(phone: Phone, table: Table) -> Phone:
    phone.page.goto(f"/tables/{table.public_id}/")
    return phone


def format_queue_length(number: int) -> str:
    return "1 entry is waiting for the network" if number == 1 else f"{number} entries are waiting for the network"


def queue_cards(phone: Phone, cards: Sequence[int], before: int = 0) -> None:
    """Tap cards while offline, waiting until each is shown as queued."""
    for number, card in enumerate(cards, start=before + 1):
        phone.press(f"#card-{card}")
        expect(phone.outbox).to_have_text(format_queue_length(number))


def get_recorded_cards(table: Table) -> list[int]:
    """Return the recorded cards in order."""
    table.refresh_from_db()
    return [int(entry.words["card"]) for entry in get_cached_log(table, table.seats.count()).log.entries]


@pytest.mark.smoke
def test_twenty_offline_entries_arrive_in_order_and_once(
    linked_phones: Callable[..., Phone], household: Household
) -> None:
    table = household.create_table("take-that")
    phone = open_table(linked_phones(), table)
    phone.set_offline()
    queue_cards(phone, CARDS)
    assert household.get_entry_kinds(table) == []
    phone.set_offline(False)
    expect(phone.outbox).to_be_hidden(timeout=SEND_TIMEOUT)
    expect(phone.page.locator(".lie li")).to_have_text([str(card) for card in CARDS])
    assert get_recorded_cards(table) == CARDS
    assert {entry.words["seat"] for entry in table.entries.all()} == {"0", "1", "2"}


def test_entries_over_a_bad_connection_arrive_once(
    links: tuple[Proxy, Proxy], phones_on_link: Callable[..., Phone], household: Household
) -> None:
    names = ("Sara", "Λίνος", "Alexis", "Mia")
    tables = [
        household.create_table("any-game", mode="pad", names=names, options={"name": "Ludo"}) for _number in range(5)
    ]
    urls = [f"/tables/{table.public_id}/entries/" for table in tables]
    devices = zip(links * 2, ("Pixel 7", "small", "desk", "iPhone 14"), strict=True)
    phones = [open_table(phones_on_link(link, device), tables[0]) for link, device in devices]
    for seat, phone in enumerate(phones):
        phone.set_offline()
        phone.page.evaluate(SUBMIT_COUNTS, [urls, seat, ROUNDS])
        expect(phone.outbox).to_have_text(format_queue_length(5 * ROUNDS))
    for link in links:
        link.faults = Faults(lost=30, dropped=10, doubled=10, delay=0.02)
    for phone in phones:
        phone.set_offline(False)
        phone.page.evaluate("setInterval(() => dispatchEvent(new Event('online')), 100)")  # an unstable connection
    for phone in phones:
        expect(phone.outbox).to_be_hidden(timeout=170_000)
    for link in links:
        assert {"lost", "dropped", "doubled"} <= set(link.posts)
    for table in tables:
        counts = [(entry.words["seat"], entry.round, entry.words["points"]) for entry in table.entries.all()]
        assert sorted(counts) == sorted(
            (str(seat), number, str(number + seat)) for seat in range(4) for number in range(1, ROUNDS + 1)
        )


def test_repeated_taps_record_each_card_once(
    links: tuple[Proxy, Proxy], phones_on_link: Callable[..., Phone], household: Household
) -> None:
    phones = [phones_on_link(link) for link in links]
    for link in links:
        link.faults = Faults(delay=0.05)
    for number, phone in zip(range(TAPPED_TABLES), cycle(phones), strict=False):
        cards = CARDS[: 20 if number < TAPPED_TABLES - 1 else 10]
        table = household.create_table("take-that")
        open_table(phone, table)
        times = 2 if number < choose_count(2, 5) else 3
        pauses = [(37 * step) % 300 for step in range(len(cards) * (times - 1))]
        phone.page.evaluate(TAP_CARDS, [cards, times, pauses])
        phone.page.wait_for_load_state("networkidle")
        assert get_recorded_cards(table) == cards
        expect(phone.notice).to_be_empty()


def test_queue_of_a_killed_tab_is_sent_on_reopening(linked_phones: Callable[..., Phone], household: Household) -> None:
    table = household.create_table("take-that", "1 extend seat=1 card=34")
    phone = open_table(linked_phones(), table)
    phone.set_offline()
    queue_cards(phone, CARDS[1:6])
    phone.page.close()
    phone.set_offline(False)
    phone.page = phone.context.new_page()
    with phone.page.expect_response("**/entries/"):
        phone.page.goto("/")
    expect(phone.outbox).to_be_hidden(timeout=SEND_TIMEOUT)
    assert get_recorded_cards(table) == CARDS[:6]


def test_two_tabs_send_the_queue_once(linked_phones: Callable[..., Phone], household: Household) -> None:
    table = household.create_table("take-that", "1 extend seat=1 card=34")
    phone = open_table(linked_phones(), table)
    second = phone.context.new_page()
    second.goto(f"/tables/{table.public_id}/")
    phone.set_offline()
    queue_cards(phone, CARDS[1:4])
    first, phone.page = phone.page, second
    expect(phone.outbox).to_have_text(format_queue_length(3))
    queue_cards(phone, CARDS[4:6], before=3)
    phone.set_offline(False)
    for page in (first, second):
        expect(page.locator("#outbox summary")).to_be_hidden(timeout=SEND_TIMEOUT)
        expect(page.locator(".lie li")).to_have_text([str(card) for card in CARDS[:6]])
    assert get_recorded_cards(table) == CARDS[:6]


BLOCKED_STORAGE = [
    "indexedDB.open = () => { throw new DOMException('no', 'SecurityError'); }",
    "delete IDBFactory.prototype.open",
]
HANGING_STORAGE = "IDBFactory.prototype.open = () => ({})"


@pytest.mark.parametrize("broken", [*BLOCKED_STORAGE, HANGING_STORAGE])
def test_page_works_without_storage_and_shows_a_warning(
    phones: Callable[..., Phone], household: Household, broken: str
) -> None:
    table = household.create_table("take-that", "1 extend seat=1 card=34")
    phone = phones("small", token=household.token)
    phone.context.add_init_script(broken)
    open_table(phone, table)
    expect(phone.page.locator("#outbox .strip")).to_contain_text("This phone can’t store unsent entries")
    phone.tap_card(36)
    phone.set_offline()
    queue_cards(phone, CARDS[2:4])
    phone.set_offline(False)
    expect(phone.outbox).to_be_hidden(timeout=SEND_TIMEOUT)
    assert get_recorded_cards(table) == CARDS[:4]


def test_refused_entry_returns_for_editing(phones: Callable[..., Phone], household: Household) -> None:
    table = household.create_table("take-that", "1 extend seat=1 card=34")
    phone = open_table(phones("small", token=household.token), table)
    phone.set_offline()
    queue_cards(phone, [38, 89])
    phone.set_offline(False)
    expect(phone.outbox).to_have_text("1 entry was not accepted")
    phone.press(phone.outbox)
    phone.press(phone.page.locator("#outbox li").get_by_role("link", name="Show"))
    expect(phone.notice).to_contain_text("89 is 51 away from 38")
    phone.tap(phone.button("We insist"))
    expect(phone.page.locator(".lie li")).to_have_text(["34", "38", "89"])
    expect(phone.outbox).to_be_hidden()
    assert get_recorded_cards(table) == [34, 38, 89]


def test_queued_count_that_clashes_shows_both_values(phones: Callable[..., Phone], household: Household) -> None:
    table = household.create_table("any-game", mode="pad", names=("Sara", "Λίνος"), options={"name": "Ludo"})
    phone = open_table(phones("small", token=household.token), table)
    phone.set_offline()
    for number, (seat, points) in enumerate([(0, 12), (1, 7)], start=1):
        phone.page.locator(f'[name="count.{seat}.points"]').fill(str(points))
        phone.press(SAVE)
        expect(phone.outbox).to_have_text(format_queue_length(number))
    household.record_entry(table, "1 count seat=0 points=10")
    phone.set_offline(False)
    expect(phone.outbox).to_have_text("1 entry was not accepted")
    assert household.get_entry_kinds(table) == ["count", "count"]
    phone.press(phone.outbox)
    phone.press(phone.page.locator("#outbox li").get_by_role("link", name="Show"))
    values = phone.page.locator(".two-values > *")
    expect(values.nth(0)).to_contain_text("Sara: 10")
    expect(values.nth(1)).to_contain_text("Sara: 12")
    phone.tap(values.nth(1).locator("button"))
    expect(phone.outbox).to_be_hidden()
    table.refresh_from_db()
    counts = get_cached_log(table, 2).match.get_round(1).manual_counts
    assert sorted((count.seat, count.points) for count in counts) == [(0, (12,)), (1, (7,))]


def test_queue_can_be_copied_and_refused_entries_discarded(phones: Callable[..., Phone], household: Household) -> None:
    table = household.create_table("take-that", "1 extend seat=1 card=34")
    phone = open_table(phones("small", token=household.token), table)
    phone.set_offline()
    queue_cards(phone, [77, 38])
    phone.press(phone.outbox)
    phone.press(phone.button("Copy as text", "#outbox"))
    text = phone.page.locator("#outbox textarea").input_value().splitlines()
    assert ["77" in text[0], "38" in text[1], all("waiting" in line for line in text)] == [True] * 3
    phone.set_offline(False)
    expect(phone.outbox).to_have_text("1 entry was not accepted · 1 entry is waiting for that")
    phone.page.reload()
    expect(phone.outbox).to_have_text("1 entry was not accepted · 1 entry is waiting for that")
    phone.press(phone.outbox)
    phone.press(phone.button("Discard", "#outbox"))
    expect(phone.outbox).to_be_hidden()
    phone.page.reload()
    expect(phone.page.locator(".lie li")).to_have_text(["34", "38"])
    expect(phone.outbox).to_be_hidden()


def test_removed_device_keeps_its_queue(phones: Callable[..., Phone], household: Household) -> None:
    table = household.create_table("take-that", "1 extend seat=1 card=34")
    phone = open_table(phones(token=household.token), table)
    phone.expected = phone.expected | {404}
    phone.set_offline()
    queue_cards(phone, CARDS[1:3])
    Device.objects.update(token_hash="x" * 64)
    phone.set_offline(False)
    expect(phone.outbox).to_have_text("2 entries were not accepted")
    phone.press(phone.outbox)
    expect(phone.page.locator("#outbox li").first).to_contain_text("no longer has access to this table")
    Device.objects.update(token_hash=household.device.token_hash)
    for remaining in (1, 0):
        expect(phone.page.locator("#outbox li")).to_have_count(remaining + 1)
        phone.press(phone.button("Try again", "#outbox").first)
        expect(phone.page.locator("#outbox li")).to_have_count(remaining)
    assert get_recorded_cards(table) == CARDS[:3]


def test_undo_removes_an_unsent_entry(phones: Callable[..., Phone], household: Household) -> None:
    table = household.create_table("take-that", "1 extend seat=1 card=34")
    phone = open_table(phones(token=household.token), table)
    phone.set_offline()
    queue_cards(phone, CARDS[1:3])
    phone.press("[name=kind][value=undo]")
    expect(phone.outbox).to_have_text(format_queue_length(1))
    phone.set_offline(False)
    expect(phone.outbox).to_be_hidden()
    assert get_recorded_cards(table) == CARDS[:2]


def test_undo_of_an_unconfirmed_entry_shows_a_notice(phones: Callable[..., Phone], household: Household) -> None:
    table = household.create_table("take-that", "1 extend seat=1 card=34")
    phone = open_table(phones(token=household.token), table)
    phone.is_offline = True
    phone.page.route("**/*/", lambda route: route.abort())
    queue_cards(phone, CARDS[1:2])
    phone.press("[name=kind][value=undo]")
    expect(phone.notice).to_contain_text("hasn’t been confirmed yet")
    expect(phone.outbox).to_have_text(format_queue_length(1))
    phone.page.unroute_all()
    phone.page.evaluate("dispatchEvent(new Event('online'))")
    expect(phone.outbox).to_be_hidden()
    assert get_recorded_cards(table) == CARDS[:2]


def test_corrections_are_queued_too(phones: Callable[..., Phone], household: Household) -> None:
    table = household.create_table("take-that", "1 extend seat=1 card=34", "1 extend seat=2 card=41")
    phone = phones(token=household.token)
    phone.page.goto(f"/tables/{table.public_id}/entries/2/")
    phone.set_offline()
    phone.press("#card-42")
    expect(phone.outbox).to_have_text(format_queue_length(1))
    phone.set_offline(False)
    phone.page.wait_for_url(f"**/tables/{table.public_id}/")
    expect(phone.page.locator(".lie li")).to_have_text(["34", "42"])
    expect(phone.outbox).to_be_hidden()
    assert household.get_entry_kinds(table) == ["extend", "extend", "correct"]


def test_queue_survives_navigation_and_the_back_forward_cache(
    linked_phones: Callable[..., Phone], household: Household
) -> None:
    table = household.create_table("take-that", "1 extend seat=1 card=34")
    phone = linked_phones()
    phone.page.goto("/")
    open_table(phone, table)
    phone.is_offline = True
    phone.page.route("**/entries/", lambda route: route.abort())
    queue_cards(phone, CARDS[1:2])
    for navigate in (phone.page.reload, phone.page.go_back, phone.page.go_forward):
        navigate()
        expect(phone.outbox).to_have_text(format_queue_length(1))
    phone.page.unroute_all()
    phone.page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', {persisted: true}))")
    expect(phone.outbox).to_be_hidden()
    expect(phone.page.locator(".lie li")).to_have_text(["34", "36"])
    assert get_recorded_cards(table) == CARDS[:2]


def test_plain_http_address_is_not_a_secure_context(link: Proxy, linked_phones: Callable[..., Phone]) -> None:
    """Otherwise these tests would not cover phones on a home network."""
    phone = linked_phones()
    phone.page.goto("/")
    is_trusted = phone.page.evaluate("isSecureContext && 'locks' in navigator && 'randomUUID' in crypto")
    assert is_trusted == link.url.startswith("https")
