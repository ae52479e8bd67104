"""Bad connections and double taps."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Route, expect

from companion.tables.models import Table
from tests.browser.household import Household
from tests.browser.phone import DOUBLE_TAP, Phone

ENTRIES = "**/entries/"


def open_table_with_row(phones: Callable[..., Phone], household: Household) -> tuple[Phone, Table]:
    """Return a phone at a table with one card in the row."""
    phone = phones(token=household.token)
    table = household.create_table("take-that", "1 extend seat=1 card=34")
    phone.page.goto(f"/tables/{table.public_id}/")
    return phone, table


def test_twenty_double_taps_record_twenty_entries(phones: Callable[..., Phone], household: Household) -> None:
    phone = phones(token=household.token)
    table = household.create_table("take-that")
    phone.page.goto(f"/tables/{table.public_id}/")
    cards = [34, 36, 38, 41, 45, 47, 49, 51, 53, 56, 58, 61, 64, 67, 71, 75, 78, 82, 86, 89]
    for count, card in enumerate(cards, start=1):
        phone.page.locator(f"#card-{card}").dblclick()
        expect(phone.page.locator(".lie li:not(.none)")).to_have_count(count)
        expect(phone.page.locator("form[aria-busy]")).to_have_count(0)
    phone.page.wait_for_load_state("networkidle")
    assert household.get_entry_kinds(table) == ["extend"] * 20


def test_double_tapped_counts_are_recorded_once(phones: Callable[..., Phone], household: Household) -> None:
    phone = phones(token=household.token)
    table = household.create_table("take-that", mode="pad", names=("Sara", "Λίνος"))
    phone.page.goto(f"/tables/{table.public_id}/")
    for name, value in {"0.face_up": 12, "0.face_down": 17, "0.toads": 0}.items():
        phone.page.locator(f'[name="count.{name}"]').fill(str(value))
    phone.page.locator(".thumb .go >> visible=true").dblclick()
    expect(phone.page.locator("#count-0 .state")).to_have_text("counted")
    phone.page.wait_for_load_state("networkidle")
    assert household.get_entry_kinds(table) == ["count"]


CLICK_ALL = "(taps) => taps.forEach((selector) => document.querySelector(selector).click())"


def test_second_tap_changes_nothing(phones: Callable[..., Phone], household: Household) -> None:
    phone, table = open_table_with_row(phones, household)

    slow_down(phone)
    taps = ["#card-41", "#card-41", "button[value=take]", "#card-42"]
    phone.page.evaluate(CLICK_ALL, taps)  # a busy machine may be slower than a finger between two taps
    expect(phone.page.locator(".lie li")).to_have_text(["34", "41"])
    phone.page.wait_for_load_state("networkidle")
    expect(phone.notice).to_be_empty()
    assert household.get_entry_kinds(table) == ["extend", "extend"]


def test_card_tapped_during_a_request_is_played_after_it(phones: Callable[..., Phone], household: Household) -> None:
    phone, table = open_table_with_row(phones, household)
    slow_down(phone)
    for card in (41, 47, 52):
        phone.press(f"#card-{card}")
        phone.page.wait_for_timeout(DOUBLE_TAP * 1_000)
    expect(phone.page.locator(".lie li")).to_have_text(["34", "41", "47", "52"])
    expect(phone.outbox).to_be_hidden()
    assert [entry.words["seat"] for entry in table.entries.all()] == ["1", "2", "0", "1"]


def test_refusal_is_not_lost_to_later_taps(phones: Callable[..., Phone], household: Household) -> None:
    phone, table = open_table_with_row(phones, household)
    slow_down(phone)
    for card in (55, 41):
        phone.press(f"#card-{card}")
        phone.page.wait_for_timeout(DOUBLE_TAP * 1_000)
    expect(phone.outbox).to_have_text("1 entry was not accepted · 1 entry is waiting for that")
    phone.press(phone.outbox)
    expect(phone.page.locator("#outbox .why").first).to_contain_text("21 away")
    phone.press(phone.page.locator("#outbox li").first.get_by_role("link", name="Show"))
    expect(phone.notice).to_contain_text("21 away")
    phone.press(phone.outbox)
    phone.press(phone.page.locator("#outbox li").first.get_by_role("button", name="Discard"))
    expect(phone.page.locator(".lie li")).to_have_text(["34", "41"])
    assert household.get_entry_kinds(table) == ["extend", "extend"]


def slow_down(phone: Phone) -> None:
    """Add latency to the connection."""
    network = phone.context.new_cdp_session(phone.page)
    conditions = {"offline": False, "latency": 900, "downloadThroughput": -1, "uploadThroughput": -1}
    network.send("Network.emulateNetworkConditions", conditions)


def test_back_forward_and_reload_record_nothing(phones: Callable[..., Phone], household: Household) -> None:
    phone = phones(token=household.token)
    page = phone.page
    table = household.create_table("take-that", "1 extend seat=1 card=34", mode="referee")
    page.goto("/")
    page.goto(f"/tables/{table.public_id}/")
    phone.tap_card(41)
    page.reload()
    page.go_back()
    page.go_forward()
    expect(page.locator(".lie li")).to_have_text(["34", "41"])
    phone.press(page.locator(".log a").first)  # corrections have their own page, with a redirect after saving
    phone.press("#card-42")
    expect(page.locator(".lie li")).to_have_text(["34", "42"])
    page.reload()
    page.go_back()
    page.go_forward()
    page.reload()
    expect(page.locator(".lie li")).to_have_text(["34", "42"])
    assert household.get_entry_kinds(table) == ["extend", "extend", "correct"]


def test_offline_tap_is_queued_and_recorded_once(phones: Callable[..., Phone], household: Household) -> None:
    phone, table = open_table_with_row(phones, household)
    phone.set_offline()
    phone.page.locator("#card-41").dblclick()
    expect(phone.outbox).to_have_text("1 entry is waiting for the network")
    expect(phone.page.locator("#card-41")).to_have_attribute("title", "not sent yet")
    phone.set_offline(False)
    expect(phone.page.locator(".lie li")).to_have_text(["34", "41"])
    expect(phone.outbox).to_be_hidden()
    expect(phone.notice).to_be_empty()
    assert household.get_entry_kinds(table) == ["extend", "extend"]


def test_banners_do_not_shift_the_board_under_a_finger(phones: Callable[..., Phone], household: Household) -> None:
    phone, _table = open_table_with_row(phones, household)
    phone.set_offline()
    element_id = phone.page.locator("#card-41").evaluate("""(card) => {
        const { x, y, width, height } = card.getBoundingClientRect();
        window.getElementId = () => document.elementFromPoint(x + width / 2, y + height / 2).closest("button")?.id;
        const tap = new Promise((done) => new MutationObserver(() => done(window.getElementId())).observe(
            document.querySelector("#outbox details"), { attributeFilter: ["hidden"] }));
        card.click();
        return tap; // what a second tap would hit before the next frame
    }""")
    assert element_id == "card-41"
    expect(phone.outbox).to_have_text("1 entry is waiting for the network")
    assert phone.page.evaluate("window.getElementId()") == "card-41"


def test_offline_input_is_kept(phones: Callable[..., Phone], household: Household) -> None:
    phone = phones("small", token=household.token)
    table = household.create_table("take-that", mode="pad", names=("Sara", "Λίνος"))
    phone.page.goto(f"/tables/{table.public_id}/")
    phone.set_offline()
    phone.press('[name="count.0.face_up"]')
    phone.type_numbers([12, 17, 0])
    phone.press(phone.page.locator(".thumb .go >> visible=true"))
    expect(phone.outbox).to_have_text("1 entry is waiting for the network")
    expect(phone.outbox).to_be_in_viewport()
    expect(phone.page.locator("#count-0")).to_have_attribute("data-waits", "not sent yet")
    expect(phone.page.locator('[name="count.0.face_down"]')).to_have_value("17")
    phone.press(phone.page.locator(".thumb .go >> visible=true"))  # saving the same count again is the same entry
    phone.set_offline(False)
    phone.press('[name="count.1.face_up"]')
    expect(phone.page.locator("#count-0 .state")).to_have_text("counted")
    assert household.get_entry_kinds(table) == ["count"]


def test_lost_response_is_retried(phones: Callable[..., Phone], household: Household) -> None:
    """An entry whose response was lost is sent again with the same key."""
    phone, table = open_table_with_row(phones, household)

    def lose_response(route: Route) -> None:
        route.fetch()
        route.abort()

    phone.is_offline = True
    phone.page.route(ENTRIES, lose_response, times=1)
    phone.press("#card-41")
    expect(phone.page.locator(".lie li")).to_have_text(["34", "41"])
    expect(phone.outbox).to_be_hidden()
    expect(phone.notice).to_be_empty()
    assert household.get_entry_kinds(table) == ["extend", "extend"]
