"""The error checks on every page."""

from __future__ import annotations

from collections.abc import Callable

from tests.browser.phone import Phone

ELSEWHERE = "http://elsewhere.invalid/x.png"


def test_page_errors_are_detected(phones: Callable[..., Phone]) -> None:
    phone = phones("small")
    phone.page.goto("/")
    assert phone.problems == []
    phone.page.evaluate("console.error('an error')")
    phone.page.evaluate("() => { setTimeout(() => { throw new Error('thrown') }) }")
    phone.page.evaluate("() => { document.body.append(document.createElement('i')) }")
    phone.page.evaluate("() => { document.querySelector('i').setAttribute('style', 'color: red') }")
    phone.page.evaluate(f"() => {{ document.createElement('img').src = '{ELSEWHERE}' }}")
    phone.page.goto("/tables/nothing-here/")
    phone.page.wait_for_timeout(100)
    problems = "\n".join(phone.problems)
    phone.problems.clear()
    for text in ("an error", "thrown", "policy: style-src", "policy: img-src", "status of 404"):
        assert text in problems, (text, problems)
