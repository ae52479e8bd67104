"""The installed app: offline pages, updates, screen wake lock."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from companion.people.models import Device
from companion.tables.models import Table
from companion.tables.presenters import table_page
from companion.tables.views import poll
from companion.web.static_files import get_release_id
from tests.browser.household import Household
from tests.browser.phone import Phone
from tests.browser.test_layout import CHECK, with_the_largest_text

LOCKS = """
window.asked = 0;
window.held = [];
class Lock extends EventTarget {
  release() { held.splice(held.indexOf(this), 1); this.dispatchEvent(new Event("release")); return Promise.resolve(); }
}
Object.defineProperty(navigator, "wakeLock", { value: {
  request: async () => { asked += 1; held.push(new Lock()); return held.at(-1); },
} });
"""
COPY = "caches.match(new URL(arg, location), { ignoreVary: true })"
PAGES = "caches.keys().then((all) => caches.open(all.find((name) => name.startsWith('pages'))))"
LISTEN = """
self.heard = [];
const { get } = Object.getOwnPropertyDescriptor(FetchEvent.prototype, "request");
Object.defineProperty(FetchEvent.prototype, "request", { get() {
  const request = get.call(this);
  heard.push(new URL(request.url).pathname);
  return request;
} });
"""
IS_ANOTHER = "caches.keys().then((all) => all.every((name) => name.endsWith(' another')))"
PLAYS = ("1 extend seat=1 card=34", "1 extend seat=2 card=41")


@pytest.fixture
def table(household: Household) -> Table:
    return household.table("take-that", *PLAYS)


@pytest.fixture
def phone(phones: Callable[..., Phone], household: Household) -> Phone:
    """A phone whose worker has fetched what it keeps."""
    own = phones(token=household.token, service_workers="allow")
    own.page.goto("/settings/")
    until(own.page, "navigator.serviceWorker.ready.then(() => navigator.serviceWorker.controller)")
    return own


def until(page: Page, promised: str, arg: str = "") -> None:
    """Waits until what a promise brings is true; the browser's own waiting takes the promise for true."""
    page.evaluate(
        f"""async (arg) => {{
          for (let n = 0; n < 600; n += 1) {{
            if (await {promised}) return;
            await new Promise((next) => setTimeout(next, 25));
          }}
          throw new Error("it never came");
        }}""",
        arg,
    )


def url_of(table: Table) -> str:
    return f"/tables/{table.public_id}/"


def visit(phone: Phone, url: str) -> None:
    phone.page.goto(url)
    until(phone.page, COPY, url)


def last_known(phone: Phone) -> str:
    return phone.page.locator("main > .last-known").inner_text()


@pytest.mark.smoke
def test_offline_table_shows_its_last_state(phone: Phone, table: Table) -> None:
    visit(phone, url_of(table))
    expect(phone.page.locator(".last-known")).to_have_count(0)
    phone.set_offline()
    phone.page.goto(url_of(table))
    expect(phone.page.locator("#card-41.laid")).to_be_visible()
    assert re.search(r"Last known standings, from \w{3} \d{1,2}, \d\d:\d\d\.", last_known(phone))


def test_table_is_fresh_when_back_online(phone: Phone, household: Household, table: Table) -> None:
    visit(phone, url_of(table))
    phone.set_offline()
    phone.page.goto(url_of(table))
    household.enter(table, "1 extend seat=0 card=49")
    phone.set_offline(False)
    expect(phone.page.locator("#card-49.laid")).to_be_visible()
    expect(phone.page.locator(".last-known")).to_have_count(0)


def newest_copy_has(phone: Phone, table: Table, selector: str) -> None:
    html = f"{COPY}.then((copy) => copy.text())"
    found = f"new DOMParser().parseFromString(html, 'text/html').querySelector('{selector}')"
    until(phone.page, f"{html}.then((html) => {found})", url_of(table))


def test_offline_copy_has_the_last_confirmed_entry(phone: Phone, table: Table) -> None:
    visit(phone, url_of(table))
    phone.page.goto(url_of(table) + "?way=referee")
    phone.card(49)
    phone.set_offline()
    newest_copy_has(phone, table, "#card-49.laid")
    for url in (url_of(table), url_of(table) + "?way=referee"):
        phone.page.goto(url)
        expect(phone.page.locator("#card-49.laid")).to_be_visible()
        assert "Last known standings" in last_known(phone)


def test_offline_copy_has_entries_of_other_devices(phone: Phone, household: Household, table: Table) -> None:
    visit(phone, url_of(table))
    household.enter(table, "1 extend seat=0 card=49")
    expect(phone.page.locator("#card-49.laid")).to_be_visible()
    phone.set_offline()
    newest_copy_has(phone, table, "#card-49.laid")


def test_offline_copy_has_entries_sent_from_another_page(phone: Phone, household: Household, table: Table) -> None:
    visit(phone, "/")
    visit(phone, url_of(table))
    phone.set_offline()
    phone.press("#card-49")
    expect(phone.outbox).to_have_text("1 entry is waiting for the network")
    phone.page.goto("/")
    phone.set_offline(False)
    expect(phone.outbox).to_be_hidden()
    phone.set_offline()
    newest_copy_has(phone, table, "#card-49.laid")


def test_offline_home_page_lists_the_current_table(phone: Phone, household: Household) -> None:
    visit(phone, "/")
    table = household.table("take-that", *PLAYS)
    visit(phone, url_of(table))
    until(phone.page, f"{COPY}.then((copy) => copy.text()).then((html) => html.includes('{url_of(table)}'))", "/")
    phone.set_offline()
    phone.page.goto("/")
    phone.press("a.open-table")
    expect(phone.page.locator("#card-41.laid")).to_be_visible()


@pytest.mark.parametrize("language", ["en", "el"])
def test_unopened_rulebooks_are_available_offline(phone: Phone, language: str) -> None:
    phone.set_offline()
    for slug in ("take-that", "muzicando"):
        phone.page.goto(f"/{language}/rules/{slug}/")
        expect(phone.page.locator("html")).to_have_attribute("lang", language)
        expect(phone.page.locator("article.rulebook section").first).to_be_visible()
        expect(phone.page.locator(".last-known")).to_have_count(0)  # rules do not age
        assert phone.page.evaluate("[...document.styleSheets].every((sheet) => sheet.cssRules.length > 0)")


def test_offline_pages_follow_the_current_theme(phone: Phone) -> None:
    phone.page.locator("label", has_text="very large").click()
    phone.page.locator("label", has_text="felt").click()
    phone.button("Save").click()
    phone.page.wait_for_url("**/")
    phone.set_offline()
    phone.page.goto("/en/rules/sideboards/")
    expect(phone.page.locator("html")).to_have_attribute("data-text", "very-large")
    expect(phone.page.locator("html")).to_have_attribute("data-theme", "dark")


def test_uncached_page_links_to_the_rulebooks(phone: Phone) -> None:
    visit(phone, "/")
    phone.set_offline()
    phone.page.goto("/tables/new/take-that/")
    expect(phone.page.locator("main")).to_contain_text(phone.translate_message("Offline"))
    phone.page.locator(".books a", has_text="Take That").click()
    expect(phone.page.locator("article.rulebook")).to_be_visible()


def test_offline_copy_is_deleted_when_access_is_lost(phone: Phone, household: Household, table: Table) -> None:
    for own in (url_of(table), url_of(table) + "log/"):
        visit(phone, own)
    Device.objects.filter(pk=household.device.pk).update(token_hash="x" * 64)
    phone.expected.add(404)
    phone.page.goto(url_of(table))
    until(phone.page, f"{COPY}.then((copy) => !copy)", url_of(table) + "log/")
    phone.set_offline()
    for own in (url_of(table), url_of(table) + "log/"):
        phone.page.goto(own)
        expect(phone.page.locator("main")).to_contain_text(phone.translate_message("Offline"))


def test_unresponsive_network_counts_as_offline(phone: Phone, table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    visit(phone, url_of(table))
    answers = threading.Event()

    def late(own: Callable[..., object]) -> Callable[..., object]:
        return lambda *args, **more: answers.wait(30) and own(*args, **more)

    monkeypatch.setattr(table_page, "build_table_context", late(table_page.build_table_context))
    monkeypatch.setattr(poll, "get_access_or_404", late(poll.get_access_or_404))
    try:
        phone.page.goto(url_of(table))
        assert "Last known standings" in last_known(phone)
    finally:
        answers.set()


def test_at_most_forty_pages_are_cached(phone: Phone) -> None:
    visit(phone, "/")
    many = "[...Array(45).keys()].map((n) => own.put(`/prepare/take-that/?${n}`, new Response('')))"
    phone.page.evaluate(f"{PAGES}.then((own) => Promise.all({many})).then(() => null)")
    visit(phone, "/history/")
    until(phone.page, f"{PAGES}.then((own) => own.keys()).then((all) => all.length === 40)")
    until(phone.page, f"{COPY}.then((copy) => !copy)", "/")
    until(phone.page, COPY, "/history/")


def test_service_worker_answers_get_requests_only(phone: Phone, table: Table) -> None:
    """What is posted, and the parts of a page, come from the server or not at all."""
    visit(phone, url_of(table))
    heard = []
    phone.context.on("response", lambda response: heard.append((response.request.method, response.from_service_worker)))
    phone.card(49)
    assert ("POST", False) in heard and ("POST", True) not in heard
    assert phone.page.evaluate("url => fetch(url).then((answer) => answer.ok)", url_of(table))
    assert ("GET", False) in heard


def test_other_requests_do_not_wake_the_service_worker(phone: Phone, table: Table) -> None:
    """A worker that is woken by the news of a table while its successor takes over would stay."""
    (worker,) = phone.context.service_workers
    worker.evaluate(LISTEN)
    with phone.page.expect_response(lambda response: response.url.endswith("/news/")):
        phone.page.goto(url_of(table))
    phone.card(49)
    heard = set(worker.evaluate("heard"))
    assert url_of(table) in heard
    assert {path for path in heard if not path.startswith("/static/")} == {url_of(table)}
    assert any(path.endswith(".js") for path in heard)


@pytest.fixture
def new_release(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    def come() -> None:
        for place in (
            "companion.site.pwa.get_release_id",
            "companion.site.views.get_release_id",
            "companion.tables.views.poll.get_release_id",
        ):
            monkeypatch.setattr(place, lambda: "another")

    return come


def look_for_a_new_version(page: Page) -> None:
    page.evaluate("navigator.serviceWorker.getRegistration().then((own) => own.update()).then(() => null)")


def test_new_version_is_loaded_on_request_only(phone: Phone, table: Table, new_release: Callable[[], None]) -> None:
    visit(phone, url_of(table))
    page = phone.page
    page.evaluate("window.isTheSamePage = true")
    new_release()
    look_for_a_new_version(page)
    bar = page.locator(".over-top")
    expect(bar).to_contain_text(phone.translate_message("New version available"))
    assert page.evaluate("window.isTheSamePage")
    bar.get_by_role("button", name=phone.translate_message("Reload")).click()
    expect(page.locator("html")).to_have_attribute("data-release", "another")
    until(page, IS_ANOTHER)
    expect(page.locator(".over-top")).to_have_count(0)


def test_page_of_the_new_version_offers_no_update(phone: Phone, table: Table, new_release: Callable[[], None]) -> None:
    new_release()
    phone.page.goto(url_of(table))
    look_for_a_new_version(phone.page)
    until(phone.page, IS_ANOTHER)
    expect(phone.page.locator(".over-top")).to_have_count(0)


def test_new_version_is_noticed_without_a_service_worker(
    phones: Callable[..., Phone], household: Household, table: Table, new_release: Callable[[], None]
) -> None:
    phone = phones("small", token=household.token)
    phone.page.goto(url_of(table))
    assert phone.page.evaluate("document.documentElement.dataset.release") == get_release_id()
    new_release()
    for _again in range(2):
        phone.page.evaluate("document.dispatchEvent(new CustomEvent('companion:release'))")
    bar = phone.page.locator(".over-top")
    expect(bar).to_have_count(1)
    assert phone.page.evaluate(CHECK) == [] == with_the_largest_text(phone)
    bar.get_by_role("button", name=phone.translate_message("Reload")).click()
    expect(phone.page.locator("html")).to_have_attribute("data-release", "another")


def test_new_version_can_be_postponed(phones: Callable[..., Phone], household: Household, table: Table) -> None:
    phone = phones(token=household.token)
    phone.page.goto(url_of(table))
    phone.page.evaluate("document.dispatchEvent(new CustomEvent('companion:release'))")
    phone.page.locator(".over-top").get_by_role("button", name=phone.translate_message("Later")).click()
    expect(phone.page.locator(".over-top")).to_have_count(0)
    phone.page.evaluate("document.dispatchEvent(new CustomEvent('companion:release'))")
    expect(phone.page.locator(".over-top")).to_have_count(0)


def test_screen_stays_awake_only_at_a_table(phones: Callable[..., Phone], household: Household, table: Table) -> None:
    phone = phones(token=household.token)
    page = phone.page
    page.add_init_script(LOCKS)
    for url in ("/", "/en/rules/take-that/", url_of(table) + "log/"):
        page.goto(url)
        assert page.evaluate("[asked, held.length]") == [0, 0], url
    page.goto(url_of(table))
    page.wait_for_function("asked === 1 && held.length === 1")
    page.evaluate("held[0].release()")  # as browsers do when the page is put away
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    page.wait_for_function("asked === 2 && held.length === 1")
    page.evaluate("dispatchEvent(new Event('pagehide'))")
    page.wait_for_function("held.length === 0")
    page.evaluate("dispatchEvent(new Event('pageshow'))")
    page.wait_for_function("asked === 3 && held.length === 1")


INSECURE = """
for (const name of ["serviceWorker", "wakeLock", "clipboard", "share"]) {
  Object.defineProperty(Navigator.prototype, name, { value: undefined });
}
Object.defineProperty(window, "isSecureContext", { value: false });
"""
ABILITIES = ("waiting", "install", "awake", "reading", "sharing")


def told(phone: Phone) -> dict[str, str]:
    """By ability: what the page says of it; one sentence each."""
    phone.page.goto("/settings/phone/")
    rows = {name: phone.page.locator(f"[data-ability={name}]") for name in ABILITIES}
    for row in rows.values():
        expect(row).to_have_attribute("class", re.compile("yes|no|later"))
        expect(row.locator("p:visible")).to_have_count(1)
    return {name: row.locator("p:visible").get_attribute("data-is") or "" for name, row in rows.items()}


def test_capabilities_on_a_secure_page(phone: Phone) -> None:
    phone.page.add_init_script(LOCKS)
    found = told(phone)
    assert found.pop("sharing") in ("yes", "copies")
    assert found == {"waiting": "yes", "install": "can", "awake": "yes", "reading": "yes"}
    expect(phone.page.locator("[data-unknown]")).to_be_hidden()


def test_capabilities_on_an_insecure_page(phones: Callable[..., Phone]) -> None:
    phone = phones()
    phone.page.add_init_script(INSECURE)
    assert told(phone) == {"waiting": "yes", **dict.fromkeys(ABILITIES[1:], "no")}
    expect(phone.page.locator("[data-ability=reading]")).to_contain_text("https")


def test_capabilities_without_storage(phones: Callable[..., Phone]) -> None:
    phone = phones()
    phone.page.add_init_script("indexedDB.constructor.prototype.open = () => { throw new DOMException('no'); };")
    assert told(phone)["waiting"] == "no"


def test_capabilities_without_javascript(phones: Callable[..., Phone]) -> None:
    phone = phones(java_script_enabled=False)
    phone.page.goto("/settings/phone/")
    expect(phone.page.locator("[data-unknown]")).to_be_visible()
    expect(phone.page.locator("ul.abilities")).to_be_hidden()


@pytest.mark.parametrize(("theme", "start"), [("light", ""), ("dark", INSECURE)])
def test_app_pages_fit_and_are_accessible(phones: Callable[..., Phone], theme: str, start: str) -> None:
    phone = phones(color_scheme=theme, viewport={"width": 320, "height": 640}, reduced_motion="reduce")
    phone.page.add_init_script(start)
    problems = []
    for url in ("/settings/", "/settings/phone/", "/en/offline/"):
        phone.page.goto(url)
        for closed in phone.page.locator("details:not([open]) > summary").all():
            closed.click()
        problems += [f"{url}: {what}" for what in phone.page.evaluate(CHECK) + with_the_largest_text(phone)]
        for violation in Axe().run(phone.page, options={"resultTypes": ["violations"]}).response["violations"]:
            problems.append(f"{url}: {violation['id']}: {[node['target'] for node in violation['nodes']][:4]}")
    assert not problems, "\n".join(problems)
