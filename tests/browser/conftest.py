"""Fixtures: phones, proxies to the live server, and a circle with a device."""

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
from tests.browser.phone import PAGE_PROBES, Phone
from tests.browser.proxy import Proxy, create_certificate, get_lan_address
from tests.scale import LONG

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium-headless-shell") or shutil.which("chromium")
"""The headless shell is preferred: it renders the same pages at half the cost."""
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
SMALL_PHONE = {
    "viewport": {"width": 360, "height": 640},
    "device_scale_factor": 2,
    "is_mobile": True,
    "has_touch": True,
}
"""A small, old phone."""
DESKTOP = {"viewport": {"width": 1280, "height": 800}}


FIRST_VARIANTS = {"locale": "en", "link": "http"}
"""Parameters that take two values, and how the first value starts."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    browser_items = [item for item in items if "browser" in item.path.parts]
    for item in browser_items:
        item.add_marker(pytest.mark.django_db(transaction=True))
    if not LONG and not any("[" in argument for argument in config.args):
        skipped = [item for item in browser_items if is_skipped_variant(item)]
        config.hook.pytest_deselected(items=skipped)
        items[:] = [item for item in items if item not in set(skipped)]


def is_skipped_variant(item: pytest.Item) -> bool:
    """Return whether the default run skips this variant.

    It runs one of two languages or connections, chosen by a hash so that each gets about half of the tests. The long
    run takes both.
    """
    params = item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}
    name = next((name for name in FIRST_VARIANTS if name in params), None)
    if name is None:
        return False
    group = f"{item.path.stem} {item.originalname} {params.get('slug', '')}"
    is_first = str(params[name]).split("-")[0] == FIRST_VARIANTS[name]
    return is_first is (crc32(group.encode()) % 2 == 0)


@pytest.fixture(autouse=True, scope="session")
def async_unsafe_django() -> Iterator[None]:
    """Playwright runs an event loop in this thread, which Django would mistake for an async view."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
        yield


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    return {**browser_type_launch_args, "executable_path": CHROMIUM, "args": ARGUMENTS}


@pytest.fixture(scope="session")
def wait_for_requests() -> Iterator[Callable[[], None]]:
    """Waits until the live server is idle.

    A page has its response before the server has closed the request. Requests still running when the test database is
    torn down would log spurious errors.
    """
    run, idle, running = ServerHandler.run, Condition(), 0

    def run_counted(handler: ServerHandler, application: Any) -> None:
        nonlocal running
        with idle:
            running += 1
        try:
            run(handler, application)
        finally:
            with idle:
                running -= 1
                idle.notify_all()

    def wait() -> None:
        with idle:
            idle.wait_for(lambda: not running, timeout=10)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ServerHandler, "run", run_counted)
        yield wait


@pytest.fixture
def phones(
    browser: Browser, playwright: Playwright, live_server: LiveServer, wait_for_requests: Callable[[], None]
) -> Iterator[Callable[..., Phone]]:
    """Creates phones with an empty cache and no cookies, and fails the test if any of their pages reported a problem.

    `device` is a Playwright device name, `small` or `desk`; `locale` is the language of the phone. Service workers are
    blocked unless a test allows them.
    """
    created: list[Phone] = []

    def make(device: str = "Pixel 7", locale: str = "en-GB", token: str = "", **settings: Any) -> Phone:
        options = {"small": SMALL_PHONE, "desk": DESKTOP}.get(device) or playwright.devices[device]
        options = {name: value for name, value in options.items() if name != "default_browser_type"}
        url = settings.setdefault("base_url", live_server.url)
        context = browser.new_context(**{**options, "locale": locale, "service_workers": "block", **settings})
        context.set_default_timeout(15_000)
        context.add_init_script(PAGE_PROBES)
        if token:
            context.add_cookies([{"name": "device", "value": token, "url": url}])
        created.append(Phone(context, url, locale[:2], has_touch="has_touch" in options))
        return created[-1]

    yield make
    for phone in created:
        phone.context.close()
    wait_for_requests()
    problems = [problem for phone in created for problem in phone.problems]
    assert not problems, problems


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return create_certificate(tmp_path_factory.mktemp("certificate"))


@pytest.fixture
def links(live_server: LiveServer, certificate: Path, settings: Any) -> Iterator[tuple[Proxy, Proxy]]:
    """Proxies to the server: plain http at its LAN address, and https."""
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    proxies = Proxy(live_server.url, get_lan_address()), Proxy(live_server.url, "127.0.0.1", certificate=certificate)
    yield proxies
    for proxy in proxies:
        proxy.stop()


@pytest.fixture(params=["http", "https"])
def link(request: pytest.FixtureRequest, links: tuple[Proxy, Proxy]) -> Proxy:
    """Each of the proxies in turn."""
    return links[request.param == "https"]


@pytest.fixture
def phones_on_link(phones: Callable[..., Phone], household: Household) -> Callable[..., Phone]:
    """Creates phones of the household that reach the server through a given proxy."""

    def make(link: Proxy, device: str = "Pixel 7", **settings: Any) -> Phone:
        return phones(device, token=household.token, base_url=link.url, ignore_https_errors=True, **settings)

    return make


@pytest.fixture
def linked_phones(link: Proxy, phones_on_link: Callable[..., Phone]) -> Callable[..., Phone]:
    """Creates phones of the household that reach the server through `link`."""
    return partial(phones_on_link, link)


@pytest.fixture
def household(transactional_db: None) -> Household:
    """A circle with a device, whose tables are created without a browser."""
    return Household.create()
