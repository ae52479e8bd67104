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
from tests.web.test_roles import PERMISSIONS, build_form, build_url

COSTLY = {
    ("table-pdf", "get"), ("paper-pdf", "get"),
    ("import", "post"), ("import-match", "get"), ("import-match", "post"),
    ("export-table", "get"), ("export-history", "get"),
    ("share", "get"), ("share", "post"), ("picture", "get"), ("short-link", "get"),
    ("statistics", "get"), ("game-statistics", "get"), ("player", "get"),
    ("api-tables", "get"), ("api-table", "get"), ("api-player", "get"),
}  # fmt: skip
"""Routes and methods that may be refused; no others may."""
API_ROUTES = {name for name, method in COSTLY if name.startswith("api-")}


@pytest.fixture
def running_request(monkeypatch):
    """A costly request in progress, with a short waiting time for others."""
    monkeypatch.setattr(concurrency, "MAX_WAIT_SECONDS", 0.01)
    with limit_concurrency():
        yield


@pytest.fixture
def member(alice, table):
    """Alice, in a circle with a pending upload, stale statistics and no cached PDF."""
    Upload.objects.create(circle=table.circle, content=pack_file(b"game take-that\nseats 2\nextend seat=1 card=34\n"))
    Table.objects.update(has_stale_stats=True)
    pdf._render_cached_pdf.cache_clear()
    return alice


def send_request(person: Person, table: Table, name: str, method: str, **headers: str):
    url = build_url(name, table.public_id)
    if name == "api-player":
        url = reverse(name, args=[make_player_uid(table.circle, Player.objects.get(name="Ann"))])
    if name == "import" and method == "post":
        return person.post(url, {"file": SimpleUploadedFile("x.txt", b"game take-that\nseats 2\n")}, headers=headers)
    return person.send(url, build_form(name, table, 0)) if method == "post" else person.get(url, headers=headers)


@pytest.mark.parametrize(
    ("name", "method"), [row[:2] for row in PERMISSIONS], ids=[f"{row[0]}-{row[1]}" for row in PERMISSIONS]
)
def test_only_costly_requests_are_rejected_while_one_runs(member, table, running_request, name, method):
    key = {"Authorization": f"Bearer {create_key(member)}"} if name in API_ROUTES else {}
    before = dump_database()
    answer = send_request(member, table, name, method, **key)
    assert (answer.status_code == 503) == ((name, method) in COSTLY), answer.status_code
    if answer.status_code == 503:
        assert answer["Retry-After"] == "5"
        assert dump_database() == before


def test_printing_the_log_is_costly_but_the_sheet_is_not(member, table, running_request):
    url = reverse("table-paper", args=[table.public_id])
    assert member.get(url).status_code == 200
    assert member.get(f"{url}?log").status_code == 503


def test_recomputing_ratings_is_costly(member, table):
    for seat, count in enumerate(((12, 17, 0), (10, 4, 1), (14, 3, 0))):
        member.count(table, seat, *count)
    url = reverse("game-statistics", args=["take-that"])
    member.enter(table, kind="close")
    assert member.get(url).status_code == 200
    RatingProgress.objects.all().delete()
    Rating.objects.all().delete()
    with pytest.MonkeyPatch.context() as patch, limit_concurrency():
        patch.setattr(concurrency, "MAX_WAIT_SECONDS", 0.01)
        assert member.get(url).status_code == 503
    assert member.get(url).status_code == 200


def test_cached_results_need_no_slot(member, table, monkeypatch):
    monkeypatch.setattr(concurrency, "MAX_WAIT_SECONDS", 0.01)
    urls = [reverse("statistics"), reverse("paper-pdf", args=["take-that", "sheets"])]
    assert [member.get(url).status_code for url in urls] == [200, 200]
    with limit_concurrency():
        assert [member.get(url).status_code for url in urls] == [200, 200]


@pytest.mark.parametrize(("language", "words"), [("en", "Busy at the moment"), ("el", "Λίγη υπομονή")])
def test_busy_response_is_translated_and_plain_outside_pages(member, table, running_request, language, words):
    url = reverse("picture", args=[table.public_id])
    for accept, kind in (("text/html", "text/html"), ("image/png", "text/plain"), ("*/*", "text/html")):
        answer = member.get(url, headers={"Accept": accept, "Accept-Language": language})
        assert answer["Content-Type"].startswith(kind)
        assert words in answer.content.decode()


def test_rejected_upload_does_not_count(member, table, running_request, monkeypatch):
    monkeypatch.setattr("companion.exchange.import_views.count_upload", lambda _request: pytest.fail("counted"))
    assert send_request(member, table, "import", "post").status_code == 503


def test_one_request_waits_and_others_are_rejected_at_once(monkeypatch):
    monkeypatch.setattr(concurrency, "MAX_WAIT_SECONDS", 5.0)
    release, entered = threading.Event(), threading.Semaphore(0)

    @limit_concurrency()
    def wait_for_release() -> str:
        entered.release()
        assert release.wait(10)
        return "done"

    with ThreadPoolExecutor(2) as pool:
        running = pool.submit(wait_for_release)
        assert entered.acquire(timeout=5)
        waiting = pool.submit(wait_for_release)
        while concurrency._admitted.acquire(blocking=False):  # until the second one waits
            concurrency._admitted.release()
            time.sleep(0.01)
        start = time.monotonic()
        for _attempt in range(10):
            with pytest.raises(ServerBusy):
                wait_for_release()
        assert time.monotonic() - start < 0.5
        release.set()
        assert [running.result(10), waiting.result(10)] == ["done", "done"]
    assert wait_for_release() == "done"


def test_failed_request_releases_its_slot():
    for _attempt in range(3):
        with pytest.raises(ZeroDivisionError), limit_concurrency():
            raise ZeroDivisionError
    with limit_concurrency():
        pass
