"""Functions of the JavaScript modules, imported one by one in a browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.conf import settings
from playwright.sync_api import Browser, BrowserContext, Page, Route

SCRIPTS = settings.ROOT / "static/js"
ORIGIN = "http://phone.test/"
"""Not a secure context, like the companion in a home network."""
PAGE = "<!doctype html><main id=table data-version=7></main>"
BLOCKED_STORAGE = "indexedDB.open = () => { throw new DOMException('no', 'SecurityError'); }"
PLAY = {"url": "/tables/a/entries/", "at": 10, "body": [["kind", "lay"], ["place", "3"], ["seat", "1"]]}
COUNT = {"url": "/tables/a/entries/", "at": 10, "body": [["count.0.points", "5"]]}
REFUSED = {**PLAY, "isRefused": True, "refusedAt": 20, "status": 422}
NOTICE = '<div id="notice">'

Run = Callable[..., Any]


def serve(route: Route) -> None:
    """Answer every request of the page: with a module, or the empty page."""
    path = route.request.url.removeprefix(ORIGIN)
    if path.endswith(".js"):
        route.fulfill(path=SCRIPTS / path, content_type="text/javascript")
    else:
        route.fulfill(body=PAGE, content_type="text/html")


def open_page(context: BrowserContext) -> Page:
    page = context.new_page()
    page.goto(ORIGIN)
    return page


def call(page: Page, module: str, expression: str, argument: object = None) -> Any:
    """Return what an expression over the exports of a module (`m`) and an argument (`a`) comes to."""
    return page.evaluate(f"async (a) => {{ const m = await import('/{module}.js'); return ({expression}); }}", argument)


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    context = browser.new_context()
    context.route("**/*", serve)
    yield context
    context.close()


@pytest.fixture
def run(context: BrowserContext) -> Run:
    """Evaluates expressions over the exports of a module."""
    page = open_page(context)
    return lambda module, expression, argument=None: call(page, module, expression, argument)


# Order of the queue


@pytest.mark.parametrize(
    ("earlier", "later", "is_held"),
    [
        (PLAY, PLAY, False),
        (REFUSED, PLAY, True),
        ({**PLAY, "isHeld": True}, PLAY, False),
        (REFUSED, {**PLAY, "at": 30}, False),  # tapped when the refusal was shown
        ({**REFUSED, "status": 404}, PLAY, False),
        (REFUSED, {**PLAY, "url": "/tables/b/entries/"}, False),
        (REFUSED, COUNT, False),
        (REFUSED, {**PLAY, "body": [["amend", "correct"], ["place", "3"]]}, False),
        (REFUSED, {**PLAY, "body": [["kind", "undo"]]}, False),
        (REFUSED, {**PLAY, "body": [["kind", "close"]]}, True),
    ],
)
def test_plays_wait_for_an_open_refusal(run: Run, earlier: object, later: object, is_held: bool) -> None:
    assert run("outbox/entry", "(m.markHeldEntries(a), a[1].isHeld)", [earlier, later]) is is_held


def test_what_waits_for_a_held_play_is_held_too(run: Run) -> None:
    held = run("outbox/entry", "(m.markHeldEntries(a), a.map((entry) => entry.isHeld))", [REFUSED, PLAY, PLAY, COUNT])
    assert held == [False, True, True, False]


def test_next_entry_is_neither_refused_nor_held(run: Run) -> None:
    queue = [{**REFUSED, "key": 1}, {**PLAY, "isHeld": True, "key": 2}, {**COUNT, "key": 3}, {**COUNT, "key": 4}]
    assert run("outbox/entry", "m.findNextEntry(a).key", queue) == 3
    assert run("outbox/entry", "m.findNextEntry(a) ?? null", queue[:2]) is None


def test_play_goes_behind_waiting_plays_of_its_round(run: Run) -> None:
    waiting = [{"place": 3, "round": "1"}, {"place": 4, "round": "1"}, {"place": 9, "round": "2"}, {"round": "1"}]
    play = {**PLAY, "round": "1"}
    assert run("outbox/entry", "(m.placeBehind(a[0], a[1], true), a[0].body)", [play, waiting]) == [
        ["kind", "lay"],
        ["place", "5"],
    ]  # the server decides whose turn it is


def test_play_in_the_place_that_was_free_keeps_its_seat(run: Run) -> None:
    body = run("outbox/entry", "(m.placeBehind(a, [], true), a.body)", {**PLAY, "round": "1"})
    assert body == PLAY["body"]


def test_counts_that_wait_are_left_out_of_a_form(run: Run) -> None:
    body = [["round", "1"], ["count.0.face_up", "12"], ["count.0.toads", "1"], ["count.1.face_up", "8"]]
    waiting = [{"body": body[:3]}]
    merged = run("outbox/entry", "m.omitWaitingCounts(a[0], a[1])", [body, waiting])
    assert merged == [body[0], body[3]]


def test_count_that_was_changed_is_posted_whole(run: Run) -> None:
    waiting = [{"body": [["count.0.face_up", "12"], ["count.0.toads", "1"]]}]
    body = [["count.0.face_up", "12"], ["count.0.toads", "2"]]
    assert run("outbox/entry", "m.omitWaitingCounts(a[0], a[1])", [body, waiting]) == body


# Answers


@pytest.mark.parametrize(
    ("status", "html", "outcome"),
    [
        (200, '<main id="table">', "recorded"),
        (200, "<h1>Welcome to the hotel</h1>", "lost"),
        (422, NOTICE, "refused"),
        (409, NOTICE, "refused"),
        (400, NOTICE, "refused"),
        (403, NOTICE, "refused"),
        (413, NOTICE, "refused"),
        (404, '<div class="lost">', "refused"),
        (404, "not here", "lost"),
        (422, "", "lost"),
        (429, NOTICE, "lost"),
        (503, NOTICE, "lost"),
        (502, "", "lost"),
        (500, NOTICE, "failed"),
        (0, "", "lost"),
    ],
)
def test_answer_is_definite_only_if_it_is_the_servers_own(run: Run, status: int, html: str, outcome: str) -> None:
    assert run("outbox/answers", "m.classifyAnswer(a)", {"status": status, "html": html}) == outcome


def test_only_a_403_without_a_notice_is_an_expired_token(run: Run) -> None:
    answers = [{"status": 403, "html": ""}, {"status": 403, "html": NOTICE}, {"status": 422, "html": ""}]
    assert run("outbox/answers", "a.map(m.isTokenExpired)", answers) == [True, False, False]


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ({"status": 404, "html": ""}, "Gone"),
        ({"status": 500, "html": ""}, "Failed"),
        ({"status": 422, "html": "<div class=slip><p> Too far </p><p>Try 38</p></div>"}, "Too far · Try 38"),
    ],
)
def test_reason_is_that_of_the_notice(run: Run, answer: object, reason: str) -> None:
    texts = {"gone": "Gone", "failed": "Failed"}
    assert run("outbox/answers", "m.readReason(a[0], a[1])", [answer, texts]) == reason


@pytest.mark.parametrize(
    ("entry", "state"),
    [
        ({}, "waiting"),
        ({"isHeld": True}, "held"),
        ({"isRefused": True, "html": '<div class="slip">'}, "refused"),
        ({"isRefused": True, "html": '<div class="slip info">'}, "asked"),
    ],
)
def test_state_of_an_entry(run: Run, entry: object, state: str) -> None:
    assert run("outbox/answers", "m.getState(a)", entry) == state


# Retries and repeated taps


def test_pauses_double_up_to_half_a_minute(run: Run) -> None:
    pauses = run("outbox/retry", "Array.from({ length: 8 }, m.getNextPause)")
    for pause, expected in zip(pauses, [1, 2, 4, 8, 16, 30, 30, 30], strict=True):
        assert 0.7 * expected * 1000 <= pause <= 1.3 * expected * 1000
    assert run("outbox/retry", "(m.resetPause(), m.getNextPause())") <= 1300


@pytest.mark.parametrize(
    ("taps", "is_repeated"),
    [
        ([["a", 0], ["a", 300]], [False, True]),
        ([["a", 0], ["a", 300], ["a", 600]], [False, True, True]),
        ([["a", 0], ["a", 400]], [False, False]),
        ([["a", 0], ["b", 10]], [False, False]),
    ],
)
def test_second_tap_is_recognized_for_a_moment(run: Run, taps: object, is_repeated: list[bool]) -> None:
    expression = "a.map(([content, time]) => m.isRepeatedTap(content, time, [], []))"
    assert run("outbox/double-taps", expression, taps) == is_repeated


def test_unanswered_and_queued_entries_are_not_entered_twice(run: Run) -> None:
    sent, queued = [{"at": 0, "same": "x"}], [{"same": "count.0=5"}]
    calls = [["y", 300, sent, []], ["x", 5000, sent, []], ["y", 5000, sent, []], ["count.0=5", 9000, [], queued]]
    assert run("outbox/double-taps", "a.map((call) => m.isRepeatedTap(...call))", calls) == [True, True, False, True]


def test_tap_without_an_answer_is_recognized_for_a_second(run: Run) -> None:
    tap = "m.isRepeatedTap('a', {}, [], [])"
    assert run("outbox/double-taps", f"({tap.format(0)}, m.markTapUnanswered(), {tap.format(900)})") is True
    assert run("outbox/double-taps", f"(m.forgetTap(), {tap.format(910)})") is False


# News


@pytest.mark.parametrize(("version", "is_older"), [("6", True), ("7", False), ("10", False), (None, True)])
def test_older_table_is_recognized(run: Run, version: str | None, is_older: bool) -> None:
    html = f'<main id="table"\n data-version="{version}">' if version else "<p>no table</p>"
    assert run("table/swapping", "m.isOlder(a, table.dataset.version)", html) is is_older


def test_idle_phone_polls_less_often(run: Run) -> None:
    minutes = [0, 4.9, 5.1, 60]
    assert run("table/choosing", "a.map((idle) => m.getPollInterval(idle * 60_000))", minutes) == [
        1500,
        1500,
        10000,
        10000,
    ]


@pytest.mark.parametrize(
    ("control", "is_choosing"),
    [
        ('<input name="count.0.points">', False),
        ('<input name="count.0.points" value="5">', True),
        ('<input type="radio" name="row" value="up">', False),
        ('<input type="radio" name="row" value="up" checked>', False),
        ('<input name="card" value="">', False),
        ("<textarea name=note></textarea>", False),
        ("<details open data-by-hand></details>", True),
        ("<details open></details>", False),
    ],
)
def test_board_in_use_is_recognized(run: Run, control: str, is_choosing: bool) -> None:
    assert run("table/choosing", "(table.innerHTML = a, Boolean(m.isChoosing()))", control) is is_choosing


# Storage


SAVE_THREE = """(async () => {
  for (const key of ["a", "b", "c"]) await m.saveEntry({ ...a, key }, "strict");
  return (await m.readEntries()).map((entry) => entry.key);
})()"""
READ_KEYS = "m.readEntries().then((entries) => entries.map((entry) => entry.key))"


def test_entries_are_stored_in_order_and_survive_the_page(context: BrowserContext) -> None:
    page = open_page(context)
    assert call(page, "outbox/storage", SAVE_THREE, COUNT) == ["a", "b", "c"]
    page.close()
    page = open_page(context)
    assert call(page, "outbox/storage", READ_KEYS) == ["a", "b", "c"]
    delete = "m.readEntries().then(async (entries) => { await m.deleteEntry(entries[0]); })"
    call(page, "outbox/storage", delete)
    assert call(page, "outbox/storage", READ_KEYS) == ["b", "c"]


def test_corrected_entry_takes_the_place_of_the_old_one(run: Run) -> None:
    run("outbox/storage", SAVE_THREE, COUNT)
    replaced = """m.readEntries().then(async (entries) => {
      m.replaceEntry(entries[1], a);
      await m.saveEntry(a);
    })"""
    run("outbox/storage", replaced, {**COUNT, "key": "d"})
    assert run("outbox/storage", READ_KEYS) == ["a", "d", "c"]


def test_entries_are_kept_in_memory_where_nothing_can_be_stored(context: BrowserContext) -> None:
    context.add_init_script(BLOCKED_STORAGE)
    page = open_page(context)
    assert call(page, "outbox/storage", SAVE_THREE, COUNT) == ["a", "b", "c"]
    assert call(page, "outbox/storage", "m.isFailing") is True
    assert call(page, "outbox/storage", "m.claimLease(10_000)") is True


def test_one_tab_sends_at_a_time(context: BrowserContext) -> None:
    first, second = open_page(context), open_page(context)
    claims = [(first, 10_000, True), (second, 10_000, False), (first, 0, True), (second, 10_000, True)]
    for page, milliseconds, is_granted in claims:
        assert call(page, "outbox/storage", f"m.claimLease({milliseconds})") is is_granted
