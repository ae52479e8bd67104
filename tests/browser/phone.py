"""A phone in somebody's hand: a page that is watched, and the taps that tests have in common."""

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

WATCH = """
window.answers = 0;
window.versions = [];
document.addEventListener("htmx:afterSettle", (event) => {
  if (event.detail.elt.id === "table") window.versions.push(Number(event.detail.elt.dataset.version));
});
document.addEventListener("htmx:afterSettle", (event) => {
  if (event.detail.requestConfig?.path.endsWith("/entries/")) window.answers += 1;
});
document.addEventListener("securitypolicyviolation", (event) => console.error("policy: " + event.violatedDirective));
"""
"""Counts the answers to entries that have arrived on the page, and keeps the versions that it has shown."""
ABORTED = ("htmx:sendAbort", "htmx:afterRequest")
"""What htmx says on the console of a request that a newer one has replaced; a failed one says more than that."""
TWIN = 0.4
"""Seconds within which the same tap once more is taken for the same."""
UNTRUSTED = "The Cross-Origin-Opener-Policy header has been ignored"
"""What the browser says of every page that comes over plain http from the home network."""
FAILED = re.compile(r"Failed to load resource: the server responded with a status of (\d+)")
GREEK = re.compile("[Α-Ωα-ωΆ-ώ]")


class Phone:
    """A browser context with one page, in a language. What its page does wrong is collected in `problems`."""

    def __init__(self, context: BrowserContext, url: str, language: str, *, has_touch: bool) -> None:
        self.context = context
        self.has_touch = has_touch
        self.host = urlsplit(url).netloc
        self.language = language
        self.problems: list[str] = []
        self.is_cut_off = False
        self._tapped = ("", 0.0)
        self.expected = {409, 422}
        """Answers that the browser reports on its console and that are no mistake."""
        context.on("console", self._heard)
        context.on("weberror", lambda error: self.problems.append(f"script: {error.error}"))
        context.on("request", lambda request: self._asked(request.url))
        context.on("response", self._answered)
        self.page: Page = context.new_page()

    def _heard(self, message: ConsoleMessage) -> None:
        failed = FAILED.match(message.text)
        is_expected = failed and int(failed.group(1)) in self.expected
        is_network = self.is_cut_off and ("net::ERR_" in message.text or message.text.startswith("htmx:"))
        if message.text.startswith((*ABORTED, UNTRUSTED)):
            return
        if message.type == "error" and not is_expected and not is_network:
            self.problems.append(f"console: {message.text}")

    def _asked(self, url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme in ("http", "https", "ws", "wss") and parts.netloc != self.host:
            self.problems.append(f"asked somebody else: {url}")

    def _answered(self, response: Response) -> None:
        if response.status >= 500 and response.status not in self.expected:
            self.problems.append(f"{response.status}: {response.url}")

    def word(self, message: str, **values: object) -> str:
        """A text of the interface as this phone must show it; in Greek it must have been translated."""
        with translation.override(self.language):
            text = translation.gettext(message)
        assert self.language != "el" or GREEK.search(text), f"not translated: {message}"
        return text % values if values else text

    def said(self, text: Text, names: Sequence[str] = ()) -> str:
        """A text of core or games, as this phone must show it."""
        with translation.override(self.language):
            return strip_tags(translate(text, names)).replace("&#x27;", "'").replace("&quot;", '"')

    def button(self, message: str, inside: str = "main") -> Locator:
        return self.page.locator(inside).get_by_role("button", name=self.word(message), exact=True)

    @property
    def end_turn(self) -> Locator:
        """The button that ends a turn, whatever it adds to its name."""
        return self.page.get_by_role("button", name=re.compile("^" + re.escape(self.word("End turn"))))

    def link(self, message: str, inside: str = "main") -> Locator:
        return self.page.locator(inside).get_by_role("link", name=self.word(message), exact=True)

    @property
    def notice(self) -> Locator:
        return self.page.locator("#notice")

    @property
    def log(self) -> Locator:
        return self.page.locator(".aside .log li")

    def tap(self, target: str | Locator) -> None:
        """Taps something that is sent to the server, and waits until the answer is on the page."""
        if str(target) == self._tapped[0]:  # a person looks up first; what comes faster is a double tap
            time.sleep(max(0, self._tapped[1] + TWIN - time.monotonic()))
        before = self.page.evaluate("window.answers")
        self.press(target)
        self.page.wait_for_function("before => window.answers > before", arg=before)
        self._tapped = str(target), time.monotonic()

    def press(self, target: str | Locator) -> None:
        """Taps with the finger, where there is a touch screen."""
        locator = self.page.locator(target) if isinstance(target, str) else target
        if "data-key" in str(target) and self.has_touch:
            self._tap_in_place(locator)
        else:
            locator.tap() if self.has_touch else locator.click()

    def _tap_in_place(self, locator: Locator) -> None:
        """Taps what is in sight where it is: nobody scrolls to a key that sticks to the edge of the screen, and
        whoever does so for them may hit another one while the page scrolls back."""
        locator.wait_for()
        box, screen = locator.bounding_box(), self.page.viewport_size
        if box and screen and box["y"] >= 0 and box["y"] + box["height"] <= screen["height"]:
            self.page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        else:
            locator.tap()

    @property
    def outbox(self) -> Locator:
        """The line that says how many entries wait on the phone, and how many were refused."""
        return self.page.locator("#outbox summary")

    def cut_off(self, is_cut_off: bool = True) -> None:
        """Takes the network away from the phone, or gives it back."""
        self.is_cut_off = self.is_cut_off or is_cut_off
        self.context.set_offline(is_cut_off)

    def card(self, number: int) -> None:
        self.tap(f"#card-{number}")

    def keys(self, numbers: Iterable[int | str]) -> None:
        """Types numbers on the app's own number pad, each into the next box."""
        for number in numbers:
            for digit in str(number):
                self.press(f".keypad [data-key='{digit}']")
            self.press("[data-key=next]")

    def set_table(
        self, slug: str, names: Sequence[str], *, way: str, ticks: Sequence[str] = (), **numbers: int
    ) -> None:
        """Opens a table from the first page on, as people do it."""
        page = self.page
        page.goto("/")
        self.press(f'article[data-game="{slug}"] a.go')
        for count, name in enumerate(names, start=1):
            page.locator("#new-name").fill(name)
            self.press(self.button("Add"))
            expect(page.locator("ol.line-up li")).to_have_count(count)
        for tick in ticks:
            self.press(f'label:has([name="option.{tick}"])')
        for name, value in numbers.items():
            page.locator(f'[name="option.{name}"]').fill(str(value))
        self.press(f'label:has([name=way][value="{way}"])')
        self.press(self.button("Set up the table"))
        page.wait_for_url(re.compile(r"/tables/[\w-]{8,}/$"))

    def totals(self) -> list[str]:
        """The totals at the foot of the score sheet."""
        return self.page.locator("table.score tfoot td").all_inner_texts()


def signed(points: int) -> str:
    """Points as pages show them."""
    return str(points).replace("-", "−")
