"""A page driven like a phone, with error checks and common actions."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Sequence
from urllib.parse import urlsplit

from django.utils import translation
from django.utils.html import strip_tags
from playwright.sync_api import BrowserContext, ConsoleMessage, Locator, Page, Response, expect

from companion.core.text import Text
from companion.web.i18n import translate

PAGE_PROBES = """
window.responses = 0;
window.versions = [];
document.addEventListener("htmx:afterSettle", (event) => {
  if (event.detail.elt.id === "table") window.versions.push(Number(event.detail.elt.dataset.version));
});
document.addEventListener("htmx:afterSettle", (event) => {
  if (event.detail.requestConfig?.path.endsWith("/entries/")) window.responses += 1;
});
document.addEventListener("securitypolicyviolation", (event) => console.error("policy: " + event.violatedDirective));
"""
"""Counts responses to entries, records the table versions shown, and logs policy violations as errors."""
SUPERSEDED = ("htmx:sendAbort", "htmx:afterRequest")
"""Logged by htmx for a request superseded by a newer one."""
DOUBLE_TAP = 0.4
"""Seconds within which a second tap counts as a double tap."""
INSECURE_ORIGIN = "The Cross-Origin-Opener-Policy header has been ignored"
"""Logged by the browser for every page over plain http from the LAN."""
FAILED_REQUEST = re.compile(r"Failed to load resource: the server responded with a status of (\d+)")
GREEK = re.compile("[Α-Ωα-ωΆ-ώ]")


class Phone:
    """A browser context with one page in one language, which collects errors in `problems`."""

    def __init__(self, context: BrowserContext, url: str, language: str, *, has_touch: bool) -> None:
        self.context = context
        self.has_touch = has_touch
        self.host = urlsplit(url).netloc
        self.language = language
        self.problems: list[str] = []
        self.is_offline = False
        self._last_tap = ("", 0.0)
        self.expected = {409, 422}
        """Statuses logged by the browser that are not errors in the test."""
        context.on("console", self._check_console)
        context.on("weberror", lambda error: self.problems.append(f"script: {error.error}"))
        context.on("request", lambda request: self._check_request(request.url))
        context.on("response", self._check_response)
        self.page: Page = context.new_page()

    def _check_console(self, message: ConsoleMessage) -> None:
        failed = FAILED_REQUEST.match(message.text)
        is_expected = failed and int(failed.group(1)) in self.expected
        is_network = self.is_offline and ("net::ERR_" in message.text or message.text.startswith("htmx:"))
        if message.text.startswith((*SUPERSEDED, INSECURE_ORIGIN)):
            return
        if message.type == "error" and not is_expected and not is_network:
            self.problems.append(f"console: {message.text}")

    def _check_request(self, url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme in ("http", "https", "ws", "wss") and parts.netloc != self.host:
            self.problems.append(f"request to another host: {url}")

    def _check_response(self, response: Response) -> None:
        if response.status >= 500 and response.status not in self.expected:
            self.problems.append(f"{response.status}: {response.url}")

    def translate_message(self, message: str, **values: object) -> str:
        """Return a text of the interface in the language of the page; fail if it is not translated."""
        with translation.override(self.language):
            text = translation.gettext(message)
        assert self.language != "el" or GREEK.search(text), f"not translated: {message}"
        return text % values if values else text

    def translate_text(self, text: Text, names: Sequence[str] = ()) -> str:
        """Return a text of the core or a game in the language of the page."""
        with translation.override(self.language):
            return strip_tags(translate(text, names)).replace("&#x27;", "'").replace("&quot;", '"')

    def button(self, message: str, inside: str = "main") -> Locator:
        return self.page.locator(inside).get_by_role("button", name=self.translate_message(message), exact=True)

    @property
    def end_turn_button(self) -> Locator:
        """The button whose name starts with "End turn"."""
        return self.page.get_by_role("button", name=re.compile("^" + re.escape(self.translate_message("End turn"))))

    def link(self, message: str, inside: str = "main") -> Locator:
        return self.page.locator(inside).get_by_role("link", name=self.translate_message(message), exact=True)

    @property
    def notice(self) -> Locator:
        return self.page.locator("#notice")

    @property
    def log(self) -> Locator:
        return self.page.locator(".aside .log li")

    def tap(self, target: str | Locator) -> None:
        """Tap a control that posts an entry, and wait until the response is on the page."""
        if str(target) == self._last_tap[0]:  # a faster tap would count as a double tap
            time.sleep(max(0, self._last_tap[1] + DOUBLE_TAP - time.monotonic()))
        response_count = self.page.evaluate("window.responses")
        self.press(target)
        self.page.wait_for_function("count => window.responses > count", arg=response_count)
        self._last_tap = str(target), time.monotonic()

    def press(self, target: str | Locator) -> None:
        """Tap, or click on a device without a touch screen."""
        locator = self.page.locator(target) if isinstance(target, str) else target
        if "data-key" in str(target) and self.has_touch:
            self._tap_in_place(locator)
        else:
            locator.tap() if self.has_touch else locator.click()

    def _tap_in_place(self, locator: Locator) -> None:
        """Tap at the current position: scrolling to a sticky key first could hit another one."""
        locator.wait_for()
        box, screen = locator.bounding_box(), self.page.viewport_size
        if box and screen and box["y"] >= 0 and box["y"] + box["height"] <= screen["height"]:
            self.page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        else:
            locator.tap()

    @property
    def outbox(self) -> Locator:
        """Summary of queued and refused entries."""
        return self.page.locator("#outbox summary")

    def set_offline(self, is_offline: bool = True) -> None:
        """Take the device offline, or back online."""
        self.is_offline = self.is_offline or is_offline
        self.context.set_offline(is_offline)

    def tap_card(self, card: int | str) -> None:
        self.tap(f"#card-{card}")

    def type_numbers(self, numbers: Iterable[int | str]) -> None:
        """Type numbers on the app's keypad, each into the next box."""
        for number in numbers:
            for digit in str(number):
                self.press(f".keypad [data-key='{digit}']")
            self.press("[data-key=next]")

    def open_table(
        self, slug: str, names: Sequence[str], *, mode: str, checked: Sequence[str] = (), **numbers: int
    ) -> None:
        """Open a table through the form, starting from the home page."""
        page = self.page
        page.goto("/")
        self.press(f'article[data-game="{slug}"] a.go')
        for count, name in enumerate(names, start=1):
            page.locator("#new-name").fill(name)
            self.press(self.button("Add"))
            expect(page.locator("ol.line-up li")).to_have_count(count)
        for option in checked:
            self.press(f'label:has([name="option.{option}"])')
        for name, value in numbers.items():
            page.locator(f'[name="option.{name}"]').fill(str(value))
        self.press(f'label:has([name=way][value="{mode}"])')
        self.press(self.button("Open the table"))
        page.wait_for_url(re.compile(r"/tables/[\w-]{8,}/$"))

    def read_totals(self) -> list[str]:
        """Return the totals of the score sheet."""
        return self.page.locator("table.score tfoot td").all_inner_texts()


def format_points(points: int) -> str:
    """Format points the way pages do."""
    return str(points).replace("-", "−")
