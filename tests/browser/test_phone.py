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
from tests.browser.test_layout import FIND_LAYOUT_PROBLEMS, check_largest_text

FAKE_WAKE_LOCK = """
window.requests = 0;
window.held = [];
class Lock extends EventTarget {
  release() { held.splice(held.indexOf(this), 1); this.dispatchEvent(new Event("release")); return Promise.resolve(); }
}
Object.defineProperty(navigator, "wakeLock", { value: {
  request: async () => { requests += 1; held.push(new Lock()); return held.at(-1); },
} });
"""
CACHED_PAGE = "caches.match(new URL(arg, location), { ignoreVary: true })"
PAGE_CACHE = "caches.keys().then((all) => caches.open(all.find((name) => name.startsWith('pages'))))"
RECORD_FETCHES = """
self.fetched = [];
const { get } = Object.getOwnPropertyDescriptor(FetchEvent.prototype, "request");
Object.defineProperty(FetchEvent.prototype, "request", { get() {
  const request = get.call(this);
  fetched.push(new URL(request.url).pathname);
  return request;
} });
"""
NEW_RELEASE_CACHED = "caches.keys().then((all) => all.every((name) => name.endsWith(' another')))"
PLAYS = ("1 extend seat=1 card=34", "1 extend seat=2 card=41")


@pytest.fixture
def table(household: Household) -> Table:
    return household.create_table("take-that", *PLAYS)


@pytest.fixture
def phone(phones: Callable[..., Phone], household: Household) -> Phone:
    """A phone whose service worker is installed and in control."""
    phone = phones(token=household.token, service_workers="allow")
    phone.page.goto("/settings/")
    wait_for(phone.page, "navigator.serviceWorker.ready.then(() => navigator.serviceWorker.controller)")
    return phone


def wait_for(page: Page, promise: str, arg: str = "") -> None:
    """Wait until a promise resolves to a truthy value; Playwright would treat the promise itself as truthy."""
    page.evaluate(
        f"""async (arg) => {{
          for (let n = 0; n < 600; n += 1) {{
            if (await {promise}) return;
            await new Promise((next) => setTimeout(next, 25));
          }}
          throw new Error("the condition was never met");
        }}""",
        arg,
    )


def get_table_url(table: Table) -> str:
    return f"/tables/{table.public_id}/"


def visit_and_cache(phone: Phone, url: str) -> None:
    phone.page.goto(url)
    wait_for(phone.page, CACHED_PAGE, url)


def read_offline_note(phone: Phone) -> str:
    return phone.page.locator("main > .last-known").inner_text()


@pytest.mark.smoke
def test_offline_table_shows_its_last_state(phone: Phone, table: Table) -> None:
    visit_and_cache(phone, get_table_url(table))
    expect(phone.page.locator(".last-known")).to_have_count(0)
    phone.set_offline()
    phone.page.goto(get_table_url(table))
    expect(phone.page.locator("#card-41.laid")).to_be_visible()
    assert re.search(r"Last known standings, from \w{3} \d{1,2}, \d\d:\d\d\.", read_offline_note(phone))


def test_table_is_fresh_when_back_online(phone: Phone, household: Household, table: Table) -> None:
    visit_and_cache(phone, get_table_url(table))
    phone.set_offline()
    phone.page.goto(get_table_url(table))
    household.record_entry(table, "1 extend seat=0 card=49")
    phone.set_offline(False)
    expect(phone.page.locator("#card-49.laid")).to_be_visible()
    expect(phone.page.locator(".last-known")).to_have_count(0)


def wait_for_cached_element(phone: Phone, table: Table, selector: str) -> None:
    html = f"{CACHED_PAGE}.then((copy) => copy.text())"
    element = f"new DOMParser().parseFromString(html, 'text/html').querySelector('{selector}')"
    wait_for(phone.page, f"{html}.then((html) => {element})", get_table_url(table))


def test_offline_copy_has_the_last_confirmed_entry(phone: Phone, table: Table) -> None:
    visit_and_cache(phone, get_table_url(table))
    phone.page.goto(get_table_url(table) + "?way=referee")
    phone.tap_card(49)
    phone.set_offline()
    wait_for_cached_element(phone, table, "#card-49.laid")
    for url in (get_table_url(table), get_table_url(table) + "?way=referee"):
        phone.page.goto(url)
        expect(phone.page.locator("#card-49.laid")).to_be_visible()
        assert "Last known standings" in read_offline_note(phone)


def test_offline_copy_has_entries_of_other_devices(phone: Phone, household: Household, table: Table) -> None:
    visit_and_cache(phone, get_table_url(table))
    household.record_entry(table, "1 extend seat=0 card=49")
    expect(phone.page.locator("#card-49.laid")).to_be_visible()
    phone.set_offline()
    wait_for_cached_element(phone, table, "#card-49.laid")


def test_offline_copy_has_entries_sent_from_another_page(phone: Phone, household: Household, table: Table) -> None:
    visit_and_cache(phone, "/")
    visit_and_cache(phone, get_table_url(table))
    phone.set_offline()
    phone.press("#card-49")
    expect(phone.outbox).to_have_text("1 entry is waiting for the network")
    phone.page.goto("/")
    phone.set_offline(False)
    expect(phone.outbox).to_be_hidden()
    phone.set_offline()
    wait_for_cached_element(phone, table, "#card-49.laid")


def test_offline_home_page_lists_the_current_table(phone: Phone, household: Household) -> None:
    visit_and_cache(phone, "/")
    table = household.create_table("take-that", *PLAYS)
    visit_and_cache(phone, get_table_url(table))
    wait_for(
        phone.page,
        f"{CACHED_PAGE}.then((copy) => copy.text()).then((html) => html.includes('{get_table_url(table)}'))",
        "/",
    )
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
    visit_and_cache(phone, "/")
    phone.set_offline()
    phone.page.goto("/tables/new/take-that/")
    expect(phone.page.locator("main")).to_contain_text(phone.translate_message("Offline"))
    phone.page.locator(".books a", has_text="Take That").click()
    expect(phone.page.locator("article.rulebook")).to_be_visible()


def test_offline_copy_is_deleted_when_access_is_lost(phone: Phone, household: Household, table: Table) -> None:
    urls = (get_table_url(table), get_table_url(table) + "log/")
    for url in urls:
        visit_and_cache(phone, url)
    Device.objects.filter(pk=household.device.pk).update(token_hash="x" * 64)
    phone.expected.add(404)
    phone.page.goto(get_table_url(table))
    wait_for(phone.page, f"{CACHED_PAGE}.then((copy) => !copy)", get_table_url(table) + "log/")
    phone.set_offline()
    for url in urls:
        phone.page.goto(url)
        expect(phone.page.locator("main")).to_contain_text(phone.translate_message("Offline"))


def test_unresponsive_network_counts_as_offline(phone: Phone, table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    visit_and_cache(phone, get_table_url(table))
    released = threading.Event()

    def delay(function: Callable[..., object]) -> Callable[..., object]:
        return lambda *args, **kwargs: released.wait(30) and function(*args, **kwargs)

    monkeypatch.setattr(table_page, "build_table_page", delay(table_page.build_table_page))
    monkeypatch.setattr(poll, "get_access_or_404", delay(poll.get_access_or_404))
    try:
        phone.page.goto(get_table_url(table))
        assert "Last known standings" in read_offline_note(phone)
    finally:
        released.set()


def test_at_most_forty_pages_are_cached(phone: Phone) -> None:
    visit_and_cache(phone, "/")
    puts = "[...Array(45).keys()].map((n) => cache.put(`/prepare/take-that/?${n}`, new Response('')))"
    phone.page.evaluate(f"{PAGE_CACHE}.then((cache) => Promise.all({puts})).then(() => null)")
    visit_and_cache(phone, "/history/")
    wait_for(phone.page, f"{PAGE_CACHE}.then((cache) => cache.keys()).then((all) => all.length === 40)")
    wait_for(phone.page, f"{CACHED_PAGE}.then((copy) => !copy)", "/")
    wait_for(phone.page, CACHED_PAGE, "/history/")


def test_service_worker_answers_get_requests_only(phone: Phone, table: Table) -> None:
    """POST requests and page fragments always go to the server."""
    visit_and_cache(phone, get_table_url(table))
    responses = []
    phone.context.on(
        "response", lambda response: responses.append((response.request.method, response.from_service_worker))
    )
    phone.tap_card(49)
    assert ("POST", False) in responses and ("POST", True) not in responses
    assert phone.page.evaluate("url => fetch(url).then((response) => response.ok)", get_table_url(table))
    assert ("GET", False) in responses


def test_other_requests_do_not_wake_the_service_worker(phone: Phone, table: Table) -> None:
    """A worker woken by a poll while its successor takes over would stay alive."""
    (worker,) = phone.context.service_workers
    worker.evaluate(RECORD_FETCHES)
    with phone.page.expect_response(lambda response: response.url.endswith("/news/")):
        phone.page.goto(get_table_url(table))
    phone.tap_card(49)
    paths = set(worker.evaluate("fetched"))
    assert get_table_url(table) in paths
    assert {path for path in paths if not path.startswith("/static/")} == {get_table_url(table)}
    assert any(path.endswith(".js") for path in paths)


@pytest.fixture
def new_release(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    def deploy() -> None:
        for name in (
            "companion.site.pwa.get_release_id",
            "companion.site.views.get_release_id",
            "companion.tables.views.poll.get_release_id",
        ):
            monkeypatch.setattr(name, lambda: "another")

    return deploy


def check_for_update(page: Page) -> None:
    page.evaluate(
        "navigator.serviceWorker.getRegistration().then((registration) => registration.update()).then(() => null)"
    )


def test_new_version_is_loaded_on_request_only(phone: Phone, table: Table, new_release: Callable[[], None]) -> None:
    visit_and_cache(phone, get_table_url(table))
    page = phone.page
    page.evaluate("window.isTheSamePage = true")
    new_release()
    check_for_update(page)
    bar = page.locator(".over-top")
    expect(bar).to_contain_text(phone.translate_message("New version available"))
    assert page.evaluate("window.isTheSamePage")
    bar.get_by_role("button", name=phone.translate_message("Reload")).click()
    expect(page.locator("html")).to_have_attribute("data-release", "another")
    wait_for(page, NEW_RELEASE_CACHED)
    expect(page.locator(".over-top")).to_have_count(0)


def test_page_of_the_new_version_offers_no_update(phone: Phone, table: Table, new_release: Callable[[], None]) -> None:
    new_release()
    phone.page.goto(get_table_url(table))
    check_for_update(phone.page)
    wait_for(phone.page, NEW_RELEASE_CACHED)
    expect(phone.page.locator(".over-top")).to_have_count(0)


def test_new_version_is_noticed_without_a_service_worker(
    phones: Callable[..., Phone], household: Household, table: Table, new_release: Callable[[], None]
) -> None:
    phone = phones("small", token=household.token)
    phone.page.goto(get_table_url(table))
    assert phone.page.evaluate("document.documentElement.dataset.release") == get_release_id()
    new_release()
    for _attempt in range(2):
        phone.page.evaluate("document.dispatchEvent(new CustomEvent('companion:release'))")
    bar = phone.page.locator(".over-top")
    expect(bar).to_have_count(1)
    assert phone.page.evaluate(FIND_LAYOUT_PROBLEMS) == [] == check_largest_text(phone)
    bar.get_by_role("button", name=phone.translate_message("Reload")).click()
    expect(phone.page.locator("html")).to_have_attribute("data-release", "another")


def test_new_version_can_be_postponed(phones: Callable[..., Phone], household: Household, table: Table) -> None:
    phone = phones(token=household.token)
    phone.page.goto(get_table_url(table))
    phone.page.evaluate("document.dispatchEvent(new CustomEvent('companion:release'))")
    phone.page.locator(".over-top").get_by_role("button", name=phone.translate_message("Later")).click()
    expect(phone.page.locator(".over-top")).to_have_count(0)
    phone.page.evaluate("document.dispatchEvent(new CustomEvent('companion:release'))")
    expect(phone.page.locator(".over-top")).to_have_count(0)


def test_screen_stays_awake_only_at_a_table(phones: Callable[..., Phone], household: Household, table: Table) -> None:
    phone = phones(token=household.token)
    page = phone.page
    page.add_init_script(FAKE_WAKE_LOCK)
    for url in ("/", "/en/rules/take-that/", get_table_url(table) + "log/"):
        page.goto(url)
        assert page.evaluate("[requests, held.length]") == [0, 0], url
    page.goto(get_table_url(table))
    page.wait_for_function("requests === 1 && held.length === 1")
    page.evaluate("held[0].release()")  # as browsers do when the page is hidden
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    page.wait_for_function("requests === 2 && held.length === 1")
    page.evaluate("dispatchEvent(new Event('pagehide'))")
    page.wait_for_function("held.length === 0")
    page.evaluate("dispatchEvent(new Event('pageshow'))")
    page.wait_for_function("requests === 3 && held.length === 1")


NO_SECURE_APIS = """
for (const name of ["serviceWorker", "wakeLock", "clipboard", "share"]) {
  Object.defineProperty(Navigator.prototype, name, { value: undefined });
}
Object.defineProperty(window, "isSecureContext", { value: false });
"""
CAPABILITIES = ("waiting", "install", "awake", "reading", "sharing")


def read_capabilities(phone: Phone) -> dict[str, str]:
    """Return the state shown for each capability; each row shows one sentence."""
    phone.page.goto("/settings/phone/")
    rows = {name: phone.page.locator(f"[data-ability={name}]") for name in CAPABILITIES}
    for row in rows.values():
        expect(row).to_have_attribute("class", re.compile("yes|no|later"))
        expect(row.locator("p:visible")).to_have_count(1)
    return {name: row.locator("p:visible").get_attribute("data-is") or "" for name, row in rows.items()}


def test_capabilities_on_a_secure_page(phone: Phone) -> None:
    phone.page.add_init_script(FAKE_WAKE_LOCK)
    capabilities = read_capabilities(phone)
    assert capabilities.pop("sharing") in ("yes", "copies")
    assert capabilities == {"waiting": "yes", "install": "can", "awake": "yes", "reading": "yes"}
    expect(phone.page.locator("[data-unknown]")).to_be_hidden()


def test_capabilities_on_an_insecure_page(phones: Callable[..., Phone]) -> None:
    phone = phones()
    phone.page.add_init_script(NO_SECURE_APIS)
    assert read_capabilities(phone) == {"waiting": "yes", **dict.fromkeys(CAPABILITIES[1:], "no")}
    expect(phone.page.locator("[data-ability=reading]")).to_contain_text("https")


def test_capabilities_without_storage(phones: Callable[..., Phone]) -> None:
    phone = phones()
    phone.page.add_init_script("indexedDB.constructor.prototype.open = () => { throw new DOMException('no'); };")
    assert read_capabilities(phone)["waiting"] == "no"


def test_capabilities_without_javascript(phones: Callable[..., Phone]) -> None:
    phone = phones(java_script_enabled=False)
    phone.page.goto("/settings/phone/")
    expect(phone.page.locator("[data-unknown]")).to_be_visible()
    expect(phone.page.locator("ul.abilities")).to_be_hidden()


@pytest.mark.parametrize(("theme", "start"), [("light", ""), ("dark", NO_SECURE_APIS)])
def test_app_pages_fit_and_are_accessible(phones: Callable[..., Phone], theme: str, start: str) -> None:
    phone = phones(color_scheme=theme, viewport={"width": 320, "height": 640}, reduced_motion="reduce")
    phone.page.add_init_script(start)
    problems = []
    for url in ("/settings/", "/settings/phone/", "/en/offline/"):
        phone.page.goto(url)
        for summary in phone.page.locator("details:not([open]) > summary").all():
            summary.click()
        problems += [
            f"{url}: {problem}" for problem in phone.page.evaluate(FIND_LAYOUT_PROBLEMS) + check_largest_text(phone)
        ]
        for violation in Axe().run(phone.page, options={"resultTypes": ["violations"]}).response["violations"]:
            problems.append(f"{url}: {violation['id']}: {[node['target'] for node in violation['nodes']][:4]}")
    assert not problems, "\n".join(problems)
