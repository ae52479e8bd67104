"""Fixtures: live server, browser, network links, and checks on every page."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from threading import Condition
from typing import Any
from zlib import crc32

import pytest
from django.core.servers.basehttp import ServerHandler
from playwright.sync_api import Browser, Playwright
from pytest_django.live_server_helper import LiveServer

from tests.browser.household import Household
from tests.browser.phone import WATCH, Phone
from tests.browser.proxy import Proxy, certificate_in, home_address
from tests.scale import LONG

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium-headless-shell") or shutil.which("chromium")
"""The shell, where there is one, has half of the work: it draws the same pages, and no windows around them."""
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
]
SMALL = {
    "viewport": {"width": 360, "height": 640},
    "device_scale_factor": 2,
    "is_mobile": True,
    "has_touch": True,
}
"""A small, old telephone."""
DESK = {"viewport": {"width": 1280, "height": 800}}


WAYS = {"locale": "en", "link": "http"}
"""What browser tests are crossed with, and how the first of two begins."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    own = [item for item in items if "browser" in item.path.parts]
    for item in own:
        item.add_marker(pytest.mark.django_db(transaction=True))
    if not LONG and not any("[" in argument for argument in config.args):
        left_out = [item for item in own if is_other_way(item)]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in set(left_out)]


def is_other_way(item: pytest.Item) -> bool:
    """Of a test in two languages, or over two kinds of connection, the usual run takes one: of half of the tests this,
    of the others that. The long run takes both."""
    params = item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}
    name = next((name for name in WAYS if name in params), None)
    if name is None:
        return False
    group = f"{item.path.stem} {item.originalname} {params.get('slug', '')}"
    is_first = str(params[name]).split("-")[0] == WAYS[name]
    return is_first is (crc32(group.encode()) % 2 == 0)


@pytest.fixture(autouse=True, scope="session")
def loop_of_playwright() -> Iterator[None]:
    """Playwright keeps an event loop running in this thread, which Django would take for an asynchronous view."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
        yield


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    return {**browser_type_launch_args, "executable_path": CHROMIUM, "args": ARGUMENTS}


@pytest.fixture(scope="session")
def wait_for_requests() -> Iterator[Callable[[], None]]:
    """Waits until the live server has nothing to do: a page has its answer before the server has closed it, and what
    still runs when the database of a test goes away fills the record with errors that are none."""
    run, change, running = ServerHandler.run, Condition(), 0

    def counted(handler: ServerHandler, application: Any) -> None:
        nonlocal running
        with change:
            running += 1
        try:
            run(handler, application)
        finally:
            with change:
                running -= 1
                change.notify_all()

    def wait() -> None:
        with change:
            change.wait_for(lambda: not running, timeout=10)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ServerHandler, "run", counted)
        yield wait


@pytest.fixture
def phones(
    browser: Browser, playwright: Playwright, live_server: LiveServer, wait_for_requests: Callable[[], None]
) -> Iterator[Callable[..., Phone]]:
    """Makes phones, each with an empty cache and no cookies, and fails the test for what any of their pages did wrong.

    `device` is one of Playwright's names, `small` or `desk`; `locale` is the language of the phone. No worker answers
    in place of the server unless a test allows it.
    """
    made: list[Phone] = []

    def make(device: str = "Pixel 7", locale: str = "en-GB", token: str = "", **settings: Any) -> Phone:
        own = {"small": SMALL, "desk": DESK}.get(device) or playwright.devices[device]
        own = {name: value for name, value in own.items() if name != "default_browser_type"}
        url = settings.setdefault("base_url", live_server.url)
        context = browser.new_context(**{**own, "locale": locale, "service_workers": "block", **settings})
        context.set_default_timeout(15_000)
        context.add_init_script(WATCH)
        if token:
            context.add_cookies([{"name": "device", "value": token, "url": url}])
        made.append(Phone(context, url, locale[:2], has_touch="has_touch" in own))
        return made[-1]

    yield make
    for phone in made:
        phone.context.close()
    wait_for_requests()
    problems = [problem for phone in made for problem in phone.problems]
    assert not problems, problems


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return certificate_in(tmp_path_factory.mktemp("certificate"))


@pytest.fixture
def links(live_server: LiveServer, certificate: Path, settings: Any) -> Iterator[tuple[Proxy, Proxy]]:
    """The ways to the server: over plain http to its address in the home network, and over https."""
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    both = Proxy(live_server.url, home_address()), Proxy(live_server.url, "127.0.0.1", certificate=certificate)
    yield both
    for proxy in both:
        proxy.stop()


@pytest.fixture(params=["http", "https"])
def link(request: pytest.FixtureRequest, links: tuple[Proxy, Proxy]) -> Proxy:
    """One way to the server after the other."""
    return links[request.param == "https"]


@pytest.fixture
def linked_by(phones: Callable[..., Phone], household: Household) -> Callable[..., Phone]:
    """Makes phones of the household that reach the server over a link."""

    def make(link: Proxy, device: str = "Pixel 7", **settings: Any) -> Phone:
        return phones(device, token=household.token, base_url=link.url, ignore_https_errors=True, **settings)

    return make


@pytest.fixture
def linked(link: Proxy, linked_by: Callable[..., Phone]) -> Callable[..., Phone]:
    """Makes phones of the household that reach the server over the link."""
    return partial(linked_by, link)


@pytest.fixture
def household(transactional_db: None) -> Household:
    """People with a device, whose tables are made without a browser."""
    return Household.new()
