"""History: export, import, search, players."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import expect

from companion.people.models import Circle
from companion.tables.models import Table
from tests.browser.household import NAMES, Household
from tests.browser.phone import Phone
from tests.browser.test_showing import COUNTS


def test_tables_are_exported_and_imported_on_a_new_device(phones: Callable[..., Phone], household: Household) -> None:
    for _match in range(2):
        household.create_table("take-that", *COUNTS, "0 close", mode="pad")
    sender, receiver = phones(token=household.token), phones(locale="el-GR")
    sender.page.goto("/history/")
    sender.link("Share or export").click()
    with sender.page.expect_download() as download:
        sender.page.get_by_role("link", name="Companion (JSON)").click()
    receiver.page.goto("/history/import/")
    for expected in ("2 νέα", "Δεν υπάρχει τίποτα νέο σε αυτό το αρχείο."):
        receiver.page.locator("#file").set_input_files(download.value.path())
        with receiver.page.expect_navigation():
            receiver.page.locator("main .go").click()
        expect(receiver.page.locator("main")).to_contain_text(expected)
        if expected == "2 νέα":
            with receiver.page.expect_navigation():
                receiver.page.locator("main .go").click()
            expect(receiver.page.locator(".past li")).to_have_count(2)
            receiver.page.goto("/history/import/")
    assert Circle.objects.count() == 2 and Table.objects.count() == 4


def test_too_large_file_is_not_uploaded(phones: Callable[..., Phone], household: Household) -> None:
    phone = phones(token=household.token)
    phone.page.goto("/history/import/")
    large = {"name": "large.json", "mimeType": "application/json", "buffer": b" " * 10_000_001}
    phone.page.locator("#file").set_input_files(files=[large])
    expect(phone.page.locator("#too-large")).to_be_visible()
    expect(phone.page.locator("main .go")).to_be_disabled()
    phone.page.locator("#file").set_input_files(files=[{**large, "buffer": b"{}"}])
    expect(phone.page.locator("#too-large")).to_be_hidden()
    expect(phone.page.locator("main .go")).to_be_enabled()


def test_table_is_found_by_its_note_and_place(phones: Callable[..., Phone], household: Household) -> None:
    table = household.create_table("take-that", *COUNTS, "0 close", mode="pad")
    household.create_table("the-game", "1 count left=7", mode="pad")
    phone = phones("small", token=household.token)
    phone.page.goto(f"/tables/{table.public_id}/")
    phone.link("When and where").click()
    phone.page.locator("#new-place").fill("Στης Μαρίας")
    phone.page.locator("#note").fill("The toads came late.")
    with phone.page.expect_navigation():
        phone.page.locator("main .go").click()
    expect(phone.page.locator("main")).to_contain_text("Στης Μαρίας")
    for query in ("ΜΑΡΙΑΣ", "toads", NAMES[0].lower() + " late"):
        phone.page.goto("/history/")
        phone.page.locator("#q").fill(query)
        with phone.page.expect_navigation():
            phone.button("Search").click()
        expect(phone.page.locator(".past li")).to_have_count(1)


def test_player_is_renamed_given_an_avatar_and_erased(phones: Callable[..., Phone], household: Household) -> None:
    for _match in range(2):
        household.create_table("take-that", *COUNTS, "0 close", mode="pad")
    phone = phones("small", token=household.token)
    phone.page.goto("/players/")
    phone.page.get_by_role("link", name="Sara").click()
    expect(phone.page.locator(".figures dd").first).to_have_text("2")
    phone.link("Name, colour and more").click()
    for choice in ("label:has([name=colour][value='4'])", "label:has([name=sign][value=boat])"):
        phone.page.locator(choice).click()
    with phone.page.expect_navigation():
        phone.page.locator("[value=look]").click()
    expect(phone.page.locator("header .sign.look4")).to_be_visible()
    phone.link("Name, colour and more").click()
    for _click in range(2):
        with phone.page.expect_navigation():
            phone.page.locator("[value=erase]").first.click()
    expect(phone.page.locator(".people li")).to_have_count(2)
    phone.page.goto("/history/")
    expect(phone.page.locator(".past li").first).to_contain_text("a player 2")
    expect(phone.page.locator("main")).not_to_contain_text("Sara")
