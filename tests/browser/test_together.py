"""Guests: joining, seats, viewers, joining a circle."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.utils.timezone import now
from playwright.sync_api import expect

from companion.people.models import Membership
from companion.tables.models import Attendance, Door, Table
from companion.tables.services import guests
from companion.tables.services.guests import build_link_secret
from tests.browser.household import Household
from tests.browser.phone import Phone


def open_to_guests(phone: Phone, table: Table, button: str = "Guests can keep score") -> str:
    """Open the table to guests, and return the code shown."""
    phone.page.goto(f"/tables/{table.public_id}/together/")
    phone.press(phone.button(button))
    symbols = phone.page.locator(".code span")
    expect(symbols).to_have_count(6)
    code = "".join(symbols.all_inner_texts())
    assert code == Door.objects.get(table=table).code
    return code


def join_by_code(guest: Phone, code: str) -> None:
    """Join by tapping in the code."""
    guest.page.goto("/join/")
    for symbol in code:
        guest.press(f".keypad [data-key='{symbol}']")
    expect(guest.page.locator("#code")).to_have_value(code)
    guest.press(guest.button("Join"))
    guest.page.wait_for_url(re.compile("/together/$"))


def take_seat(guest: Phone, name: str) -> None:
    guest.press(guest.page.locator(".someone", has_text=name))
    guest.page.wait_for_url(re.compile(r"/tables/[\w-]{8,}/$"))


def enter_count(phone: Phone, *numbers: int) -> None:
    phone.press(phone.page.locator(".box").first)
    phone.type_numbers(numbers)
    phone.tap(phone.page.locator(".thumb .go >> visible=true"))


@pytest.mark.smoke
def test_everybody_counts_on_their_own_device(phones: Callable[..., Phone], household: Household) -> None:
    table = household.create_table("take-that", mode="pad", names=("Sara", "Λίνος"))
    host = phones("small", token=household.token)
    code = open_to_guests(host, table)
    guest = phones("iPhone 14", locale="el-GR")
    join_by_code(guest, code)
    take_seat(guest, "Λίνος")
    expect(guest.page.locator(".others")).to_contain_text("Sara")
    host.page.reload()
    take_seat(host, "Sara")
    expect(host.page.locator(".boxes:not(details .boxes) .box")).to_have_count(3)
    enter_count(guest, 26, 5, 3)
    expect(host.page.locator(".others .in")).to_contain_text("Λίνος")
    enter_count(host, 28, 15, 0)
    for phone in (host, guest):
        expect(phone.page.locator("table.score tfoot td")).to_have_text(["13", "9"])
        expect(phone.page.locator(".boxes:not(details .boxes) .box")).to_have_count(3)  # boxes of the next round
    assert household.get_entry_kinds(table) == ["count", "count"]


def test_code_may_start_with_zero(phones: Callable[..., Phone], household: Household) -> None:
    table = household.create_table("take-that")
    host, guest = phones(token=household.token), phones("small")
    open_to_guests(host, table)
    Door.objects.filter(table=table).update(code="007AA0")
    join_by_code(guest, "007AA0")
    expect(guest.page.locator(".code span")).to_have_text(list("007AA0"))


def test_two_players_lay_out_sideboards_at_the_same_time(phones: Callable[..., Phone], household: Household) -> None:
    table = household.create_table("sideboards", mode="pad", names=("Sara", "Λίνος"))
    host, guest = phones(token=household.token), phones("small")
    join_by_code(guest, open_to_guests(host, table))
    take_seat(guest, "Λίνος")
    host.page.reload()
    take_seat(host, "Sara")
    for phone, seat, points in ((host, 0, 4), (guest, 1, 6)):
        for box in phone.page.locator(f"#count-{seat} .by-hand .box >> visible=true").all():
            box.fill(str(points))
    for phone in (guest, host):
        phone.tap(phone.page.locator(".thumb .go >> visible=true"))
    assert household.get_entry_kinds(table) == ["count", "count"]


def test_viewer_and_display_follow_the_table(phones: Callable[..., Phone], household: Household) -> None:
    table = household.create_table("take-that", "1 extend seat=1 card=34")
    host, viewer, screen = phones(token=household.token), phones("small", locale="el-GR"), phones("desk")
    code = open_to_guests(host, table, "Guests can only watch")
    join_by_code(viewer, code)
    viewer.press(viewer.link("Back to the table"))
    expect(viewer.page.locator(".lie li")).to_have_text(["34"])
    expect(viewer.page.locator("#card-41")).to_be_disabled()
    screen.page.goto(f"/join/#{code}")
    screen.press(screen.button("Join"))
    screen.press(screen.link("Big screen"))
    expect(screen.page.locator(".whose")).to_contain_text("Alexis")
    host.press(host.link("Back to the table"))
    host.page.wait_for_url(re.compile(r"/tables/[\w-]{8,}/$"))
    host.tap_card(41)
    expect(viewer.page.locator(".lie li")).to_have_text(["34", "41"])
    expect(screen.page.locator(".newest")).to_contain_text("lays 41")
    expect(screen.page.locator(".whose")).to_contain_text("Sara")
    for phone in (viewer, screen):
        assert not phone.page.locator("main form").count()


def test_open_page_tells_a_removed_guest(phones: Callable[..., Phone], household: Household) -> None:
    table = household.create_table("take-that")
    host, guest = phones(token=household.token), phones("small")
    join_by_code(guest, open_to_guests(host, table))
    guest.press(guest.link("Back to the table"))
    guest.expected |= {404}
    host.press(host.button("Remove"))
    expect(guest.page.locator("#news")).to_contain_text("no longer has access to this table")


def test_host_sees_who_joins_and_display_shows_the_code(phones: Callable[..., Phone], household: Household) -> None:
    table = household.create_table("take-that")
    screen, host, guest = phones("desk", token=household.token), phones(token=household.token), phones("small")
    screen.page.goto(f"/tables/{table.public_id}/display/")
    expect(screen.page.locator(".ranks")).to_be_visible()
    code = open_to_guests(host, table)
    expect(screen.page.locator(".code span")).to_have_text(list(code))
    expect(host.button("Remove")).to_have_count(0)
    join_by_code(guest, code)
    expect(host.button("Remove")).to_have_count(1)
    take_seat(guest, "Sara")
    expect(host.page.locator(".phones li")).to_contain_text("Sara")
    Door.objects.filter(table=table).update(closes_at=now())  # as it does automatically
    for phone in (host, screen):
        expect(phone.page.locator(".code")).to_have_count(0)


def test_form_in_use_is_not_refreshed(phones: Callable[..., Phone], household: Household) -> None:
    host, newcomer = phones(token=household.token), phones("small")
    host.page.goto("/circle/")
    host.press(host.button("Show the link"))
    link = host.page.locator("#key").input_value()
    label = host.page.locator(".phones [name=label]")
    label.fill("On the sideboard")
    newcomer.page.goto("/join/#" + link.partition("#")[2])
    newcomer.press(newcomer.button("Join"))
    newcomer.page.wait_for_url(re.compile("/circle/$"))
    with host.page.expect_response(lambda response: response.url.endswith("/circle/") and response.ok):
        pass
    expect(label).to_have_value("On the sideboard")
    label.blur()
    expect(host.page.locator(".phones li")).to_have_count(2)


def test_device_joins_a_circle_and_its_key_leaves_no_trace(phones: Callable[..., Phone], household: Household) -> None:
    host, newcomer, preview = phones(token=household.token), phones("small", locale="el-GR"), phones()
    host.page.goto("/circle/")
    host.press(host.button("Show the link"))
    link = host.page.locator("#key").input_value()
    requests: list[str] = []
    newcomer.context.on("request", lambda request: requests.append(f"{request.url} {request.headers}"))
    for phone in (preview, newcomer):
        phone.page.goto("/join/#" + link.partition("#")[2])
        expect(phone.page.locator("#by-key")).to_be_visible()
    assert Membership.objects.count() == 1  # opening the link redeems nothing
    newcomer.press(newcomer.button("Join"))
    newcomer.page.wait_for_url(re.compile("/circle/$"))
    expect(newcomer.page.locator(".phones li")).to_have_count(2)
    key = link.partition("#")[2]
    newcomer.page.go_back()
    elsewhere = "https://elsewhere.example/"
    newcomer.context.route(elsewhere, lambda route: route.fulfill(body="", content_type="text/html"))
    newcomer.page.evaluate("url => Object.assign(document.createElement('a'), { href: url }).click()", elsewhere)
    newcomer.page.wait_for_url(elsewhere)
    assert requests[-1].startswith(elsewhere) and "referer" not in requests[-1]
    newcomer.problems.remove(f"request to another host: {elsewhere}")
    for _step in range(newcomer.page.evaluate("history.length")):
        assert key not in newcomer.page.url
        newcomer.page.go_back()
    assert key not in "".join(requests)
    preview.expected |= {404}
    preview.press(preview.button("Join"))
    expect(preview.page.locator(".slip")).to_be_visible()
    assert Membership.objects.count() == 2


def test_guest_joins_by_typing_without_javascript(phones: Callable[..., Phone], household: Household) -> None:
    table = household.create_table("take-that", mode="pad")
    host, guest = phones(token=household.token), phones("small", java_script_enabled=False)
    code = open_to_guests(host, table)
    guest.page.goto("/join/")
    guest.page.locator("#code").fill(f" {code[:3].lower()} {code[3:]}")
    guest.press(guest.button("Join"))
    guest.page.wait_for_url(re.compile("/together/$"))
    take_seat(guest, "Alexis")
    expect(guest.page.locator(".box:not([name$=hand])")).to_have_count(3)


def test_guest_joins_by_the_qr_code_link(phones: Callable[..., Phone], household: Household) -> None:
    table = household.create_table("take-that", mode="pad", names=("Sara", "Λίνος"))
    door = guests.open_door(table, role=Attendance.Role.SCORER, by=None)
    guest = phones("small", locale="el-GR")
    guest.page.goto("/join/#" + build_link_secret(door))
    expect(guest.page.locator("#by-link")).to_be_visible()
    for section in ("#by-code", "#by-key"):
        expect(guest.page.locator(section)).to_be_hidden()
    guest.press(guest.button("Είσοδος"))
    guest.page.wait_for_url(re.compile("/together/$"))
