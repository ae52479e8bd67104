"""Sharing a result."""

from __future__ import annotations

from collections.abc import Callable

from django.utils import timezone
from playwright.sync_api import expect

from companion.people.models import Player
from companion.tables.models import Table
from tests.browser.household import Household
from tests.browser.phone import Phone

FAKE_SHARE_SHEET = """
window.shared = [];
navigator.canShare = ({ files }) => WITH_FILES && files.every((file) => file.type === "image/png");
navigator.share = async ({ text, files = [], ...more }) => {
  const bytes = files.length ? [...new Uint8Array(await files[0].arrayBuffer()).slice(1, 4)] : [];
  window.shared.push({ text, files: files.map((file) => file.name), kind: String.fromCharCode(...bytes), more });
};
"""
"""A share sheet that records what is shared."""
NO_SHARE_SHEET = "delete Navigator.prototype.share; delete Navigator.prototype.canShare;"
COUNTS = tuple(f"1 count seat={seat} face_up=12 face_down=10 toads={seat} ~deal" for seat in range(3))
RESULT_LINES = ["The table is closed", "1. Sara 2", "2. Λίνος −2", "3. Alexis −6"]


def create_finished_table(household: Household) -> Table:
    table = household.create_table("take-that", *COUNTS, "0 close", mode="pad")
    Player.objects.update(sign="star")
    return table


def open_share_page(phone: Phone, table: Table) -> Phone:
    phone.page.goto(f"/tables/{table.public_id}/")
    phone.link("Share or export").click()
    expect(phone.page.locator("#picture")).to_be_visible()
    return phone


def test_result_is_shared_as_image_and_text(phones: Callable[..., Phone], household: Household) -> None:
    phone, table = phones(token=household.token), create_finished_table(household)
    phone.context.add_init_script(FAKE_SHARE_SHEET.replace("WITH_FILES", "true"))
    open_share_page(phone, table)
    phone.press(phone.button("Share"))
    phone.page.wait_for_function("() => window.shared.length")
    (shared,) = phone.page.evaluate("window.shared")
    assert shared["text"].splitlines()[1:] == RESULT_LINES and shared["text"].startswith("Take That, ")
    assert (
        shared["files"] == [f"take-that-{timezone.localtime(table.began_at):%Y-%m-%d}.png"] and shared["kind"] == "PNG"
    )
    assert shared["more"] == {} and table.public_id not in str(shared)
    assert phone.page.evaluate("document.querySelector('#picture').naturalWidth") == 1080


def test_share_sheet_without_files_gets_text_only(phones: Callable[..., Phone], household: Household) -> None:
    phone = phones(token=household.token)
    phone.context.add_init_script(FAKE_SHARE_SHEET.replace("WITH_FILES", "false"))
    open_share_page(phone, create_finished_table(household))
    phone.press(phone.button("Share"))
    phone.page.wait_for_function("() => window.shared.length")
    (shared,) = phone.page.evaluate("window.shared")
    assert shared["files"] == [] and shared["text"].splitlines()[1:] == RESULT_LINES


def test_result_can_be_copied_and_downloaded_without_share_sheet(
    phones: Callable[..., Phone], household: Household
) -> None:
    phone = phones(token=household.token)
    phone.context.grant_permissions(["clipboard-read", "clipboard-write"])
    phone.context.add_init_script(NO_SHARE_SHEET)
    open_share_page(phone, create_finished_table(household))
    expect(phone.button("Share")).to_be_hidden()
    phone.press(phone.button("Copy the text"))
    expect(phone.page.locator("[data-copy][data-done]")).to_be_visible()
    assert phone.page.evaluate("navigator.clipboard.readText()").splitlines()[1:] == RESULT_LINES
    with phone.page.expect_download() as download:
        phone.press(phone.link("Save image"))
    assert download.value.path().read_bytes().startswith(b"\x89PNG")


def test_result_is_readable_without_javascript(phones: Callable[..., Phone], household: Household) -> None:
    phone = open_share_page(phones(token=household.token, java_script_enabled=False), create_finished_table(household))
    assert phone.page.locator("#told").input_value().splitlines()[1:] == RESULT_LINES
    expect(phone.button("Share")).to_be_hidden()
    expect(phone.button("Copy the text")).to_be_hidden()
    expect(phone.link("Save image")).to_be_visible()
    assert phone.page.locator("#picture").get_attribute("alt") == phone.page.locator("#told").input_value()


def test_api_key_is_created_copied_and_revoked(phones: Callable[..., Phone], household: Household) -> None:
    phone = phones("small", token=household.token)
    phone.context.grant_permissions(["clipboard-read", "clipboard-write"])
    phone.page.goto("/circle/")
    phone.press(phone.link("API"))
    phone.page.get_by_label(phone.translate_message("What is it for?")).fill("A screen")
    phone.press(phone.button("Create key"))
    phone.press(phone.button("Copy"))
    expect(phone.page.locator("[data-copy][data-done]")).to_be_visible()
    key = phone.page.evaluate("navigator.clipboard.readText()")
    get = phone.context.request.get
    headers = {"Authorization": f"Bearer {key}"}
    assert get("/api/v1/", headers=headers).json()["version"] == 1
    phone.press(phone.button("Revoke"))
    expect(phone.page.locator("main").get_by_text("A screen")).to_have_count(0)
    assert get("/api/v1/", headers=headers).status == 401
