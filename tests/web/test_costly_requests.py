"""Concurrency limit of costly requests."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from companion.exchange.export_records import make_player_uid
from companion.history.models import Rating, RatingProgress, Upload
from companion.people.models import Player
from companion.printing import pdf
from companion.tables.models import Table
from companion.web import concurrency
from companion.web.concurrency import ServerBusy, limit_concurrency
from tests.api.test_api import create_key
from tests.exchange.upload_pages import pack_file
from tests.web.people import Person, dump_database
from tests.web.test_roles import ROWS, address, said

COSTLY = {
    ("table-pdf", "get"), ("paper-pdf", "get"),
    ("import", "post"), ("import-match", "get"), ("import-match", "post"),
    ("export-table", "get"), ("export-history", "get"),
    ("share", "get"), ("share", "post"), ("picture", "get"), ("short-link", "get"),
    ("statistics", "get"), ("game-statistics", "get"), ("player", "get"),
    ("api-tables", "get"), ("api-table", "get"), ("api-player", "get"),
}  # fmt: skip
"""Routes by method; of the others none may be refused."""
OF_PROGRAMS = {name for name, method in COSTLY if name.startswith("api-")}


@pytest.fixture
def running(monkeypatch):
    """A costly request that has not ended yet; nobody waits for it for long."""
    monkeypatch.setattr(concurrency, "MAX_WAIT_SECONDS", 0.01)
    with limit_concurrency():
        yield


@pytest.fixture
def circle(alice, table):
    """Alice's circle, with a file that waits, a table that the statistics have not read, and no PDF in memory."""
    Upload.objects.create(circle=table.circle, content=pack_file(b"game take-that\nseats 2\nextend seat=1 card=34\n"))
    Table.objects.update(has_stale_stats=True)
    pdf._render_cached_pdf.cache_clear()
    return alice


def ask(person: Person, table: Table, name: str, method: str, **headers: str):
    url = address(name, table.public_id)
    if name == "api-player":
        url = reverse(name, args=[make_player_uid(table.circle, Player.objects.get(name="Ann"))])
    if name == "import" and method == "post":
        return person.post(url, {"file": SimpleUploadedFile("x.txt", b"game take-that\nseats 2\n")}, headers=headers)
    return person.send(url, said(name, table, 0)) if method == "post" else person.get(url, headers=headers)


@pytest.mark.parametrize(("name", "method"), [row[:2] for row in ROWS], ids=[f"{row[0]}-{row[1]}" for row in ROWS])
def test_only_costly_requests_are_rejected_while_one_runs(circle, table, running, name, method):
    key = {"Authorization": f"Bearer {create_key(circle)}"} if name in OF_PROGRAMS else {}
    before = dump_database()
    answer = ask(circle, table, name, method, **key)
    assert (answer.status_code == 503) == ((name, method) in COSTLY), answer.status_code
    if answer.status_code == 503:
        assert answer["Retry-After"] == "5"
        assert dump_database() == before


def test_printing_the_log_is_costly_but_the_sheet_is_not(circle, table, running):
    url = reverse("table-paper", args=[table.public_id])
    assert circle.get(url).status_code == 200
    assert circle.get(f"{url}?log").status_code == 503


def test_recomputing_ratings_is_costly(circle, table):
    for seat, count in enumerate(((12, 17, 0), (10, 4, 1), (14, 3, 0))):
        circle.count(table, seat, *count)
    url = reverse("game-statistics", args=["take-that"])
    circle.enter(table, kind="close")
    assert circle.get(url).status_code == 200
    RatingProgress.objects.all().delete()
    Rating.objects.all().delete()
    with pytest.MonkeyPatch.context() as patch, limit_concurrency():
        patch.setattr(concurrency, "MAX_WAIT_SECONDS", 0.01)
        assert circle.get(url).status_code == 503
    assert circle.get(url).status_code == 200


def test_cached_results_need_no_slot(circle, table, monkeypatch):
    monkeypatch.setattr(concurrency, "MAX_WAIT_SECONDS", 0.01)
    urls = [reverse("statistics"), reverse("paper-pdf", args=["take-that", "sheets"])]
    assert [circle.get(url).status_code for url in urls] == [200, 200]
    with limit_concurrency():
        assert [circle.get(url).status_code for url in urls] == [200, 200]


@pytest.mark.parametrize(("language", "words"), [("en", "Busy at the moment"), ("el", "Λίγη υπομονή")])
def test_busy_response_is_translated_and_plain_outside_pages(circle, table, running, language, words):
    url = reverse("picture", args=[table.public_id])
    for accept, kind in (("text/html", "text/html"), ("image/png", "text/plain"), ("*/*", "text/html")):
        answer = circle.get(url, headers={"Accept": accept, "Accept-Language": language})
        assert answer["Content-Type"].startswith(kind)
        assert words in answer.content.decode()


def test_rejected_upload_does_not_count(circle, table, running, monkeypatch):
    monkeypatch.setattr("companion.exchange.import_views.count_upload", lambda _request: pytest.fail("counted"))
    assert ask(circle, table, "import", "post").status_code == 503


def test_one_request_waits_and_others_are_rejected_at_once(monkeypatch):
    monkeypatch.setattr(concurrency, "MAX_WAIT_SECONDS", 5.0)
    release, entered = threading.Event(), threading.Semaphore(0)

    @limit_concurrency()
    def work() -> str:
        entered.release()
        assert release.wait(10)
        return "done"

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(work)
        assert entered.acquire(timeout=5)
        second = pool.submit(work)
        while concurrency._admitted.acquire(blocking=False):  # until the second waits
            concurrency._admitted.release()
            time.sleep(0.01)
        began = time.monotonic()
        for _again in range(10):
            with pytest.raises(ServerBusy):
                work()
        assert time.monotonic() - began < 0.5
        release.set()
        assert [first.result(10), second.result(10)] == ["done", "done"]
    assert work() == "done"


def test_failed_request_releases_its_slot():
    for _again in range(3):
        with pytest.raises(ZeroDivisionError), limit_concurrency():
            raise ZeroDivisionError
    with limit_concurrency():
        pass
