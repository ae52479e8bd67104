"""Several servers on one PostgreSQL database."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import psycopg
import pytest
from django.urls import reverse

from companion import limits
from tests.faults.conftest import IS_POSTGRESQL, new_store
from tests.faults.phones import Phone, Writer, create_host, open_table, run_concurrently
from tests.faults.round_robin_proxy import RoundRobinProxy
from tests.faults.servers import SERVE_COMMAND, AppServer, copy_data_folder
from tests.faults.store import Store, check_history, read_stored_log
from tests.faults.test_killed_server import acknowledged, wait_for, writing
from tests.postgresql import NAME
from tests.scale import choose_count
from tests.web.html import read

pytestmark = pytest.mark.skipif(not IS_POSTGRESQL, reason="SQLite is a file on one machine")

SEATS = 6
ENTRIES = choose_count(60, 600)
SAME = choose_count(10, 100)
TRIES = 400


@pytest.fixture(scope="module", params=["two machines", "four processes"])
def ports(request, ready, cluster, tmp_path_factory) -> Iterator[tuple[Store, list[int]]]:
    """The database, and where the servers answer: two with folders of their own, or one of four processes twice."""
    folder = tmp_path_factory.mktemp("machines")
    store = new_store(ready, cluster, folder)
    with ExitStack() as stack:
        if request.param == "four processes":
            app = stack.enter_context(app_on(store, store.data, WORKERS="4"))
            yield store, [app.port, app.port]
            return
        both = [store.data, copy_data_folder(ready, folder / "other")]
        yield store, [stack.enter_context(app_on(store, data)).port for data in both]


def app_on(store: Store, data: Path, **environment: str) -> AppServer:
    return AppServer(data, store.url, TRUSTED_PROXY="127.0.0.1", **environment)


@pytest.fixture
def front(ports) -> Iterator[int]:
    """Where all of them answer, by turns."""
    with RoundRobinProxy(ports[1]) as proxy:
        yield proxy.server_port


def entry(seat: int, number: int, points: int, key: str) -> list[tuple[str, str]]:
    return [("key", key), ("round", str(number)), (f"count.{seat}.points", str(points))]


def test_a_table_opened_on_one_server_works_on_the_other(ports):
    _store, (one, other) = ports
    host, url = create_host(one, SEATS)
    elsewhere = host.twin(other)
    assert elsewhere.ask("POST", url + "entries/", entry(0, 1, 5, "entry-at-other"))[0] == 302
    assert 'data-version="1"' in host.ask("GET", url)[2]
    assert host.ask("GET", url + "news/", **{"If-None-Match": '"0"'})[0] == 200
    assert elsewhere.ask("GET", url + "news/", **{"If-None-Match": '"1"'})[0] == 304
    assert host.ask("POST", url + "entries/", entry(1, 1, 6, "entry-at-one"))[0] == 302
    assert 'data-version="2"' in elsewhere.ask("GET", url)[2]
    seen = [phone.ask("GET", url + "news/") for phone in (host, elsewhere)]
    assert seen[0] == seen[1]


def test_a_join_code_works_on_every_server(ports, front):
    store, (one, _other) = ports
    host, url = create_host(one, SEATS)
    public_id = url.strip("/").split("/")[-1]
    assert host.ask("POST", reverse("door", args=[public_id]), [("role", "scorer")])[0] == 302
    ((code,),) = store.rows("SELECT code FROM tables_door ORDER BY closes_at DESC LIMIT 1")
    guest = Phone(front)
    page = read(guest.ask("GET", "/join/")[2])  # the form comes from one server, and goes to the other
    assert page.all("input", name="code")
    status, where, html = guest.ask("POST", "/join/", [("code", code)])
    assert status == 302, html
    for number in range(1, 5):
        form = read(guest.ask("GET", url)[2])
        token = form.all("input", name="csrfmiddlewaretoken")[0].attrs["value"]
        sent = [*entry(0, number, number, f"guest-{number:05}"), ("csrfmiddlewaretoken", token)]
        assert guest.ask("POST", url + "entries/", sent)[0] == 302
    assert 'data-version="4"' in host.ask("GET", url)[2] and where


def test_an_entry_sent_to_all_servers_is_recorded_once(ports):
    store, (one, other) = ports
    host, url = create_host(one, SEATS)
    for number in range(1, SAME + 1):
        sent = entry(0, number, 3, f"same-{number:05}")
        answers = run_concurrently(
            lambda port, sent=sent: host.twin(port).ask("POST", url + "entries/", sent)[0], [one, other] * 4
        )
        assert answers == [302] * 8
    assert [line.number for line in read_stored_log(store, url)] == list(range(1, SAME + 1))


def test_a_form_sent_to_all_servers_opens_one_table(ports):
    _store, (one, other) = ports
    host, _url = create_host(one, SEATS)
    for number in range(choose_count(5, 50)):
        where = run_concurrently(
            lambda port, number=number: open_table(host.twin(port), SEATS, f"form-{number:05}"), [one, other] * 2
        )
        assert len(set(where)) == 1


def test_new_phones_with_the_same_names_each_get_a_table(ports):
    """A form of a phone that is known already, twice with other keys: the new players are made once."""
    store, (one, other) = ports
    host, _url = create_host(one, 2)
    for number in range(choose_count(5, 50)):
        names = [f"New {number} {own}" for own in range(4)]
        urls = run_concurrently(
            lambda job, names=names: open_table(host.twin(job[0]), 0, names=names[:: job[1]]),
            [(one, 1), (other, -1), (one, -1), (other, 1)],
        )
        assert len(set(urls)) == 4
    ((twice,),) = store.rows(
        "SELECT count(*) FROM (SELECT 1 FROM people_player GROUP BY circle_id, name HAVING count(*) > 1) t"
    )
    assert twice == 0


def test_alternating_servers_lose_and_double_nothing(ports, front):
    store, _ports = ports
    host, url = create_host(front, SEATS)
    writers = [Writer(host.twin(), url, seat) for seat in range(SEATS)]
    seen: list[list[int]] = [[], []]

    def look(versions: list[int]) -> None:
        phone = host.twin()
        while acknowledged(writers) < ENTRIES:
            page = read(phone.ask("GET", url)[2])
            versions.append(int(page.one("main", id="table").attrs["data-version"]))

    readers = [threading.Thread(target=look, args=(versions,)) for versions in seen]
    with writing(Writer.run, writers):
        for reader in readers:
            reader.start()
        wait_for(lambda: acknowledged(writers) >= ENTRIES, 300)
    for reader in readers:
        reader.join()
    assert not any(writer.unknown() for writer in writers)
    assert check_history(read_stored_log(store, url), writers).acknowledged >= ENTRIES
    for versions in [*seen, *([own.version for own in writer.acknowledged] for writer in writers)]:
        assert versions == sorted(versions) and len(versions) > 1


def test_wrong_codes_are_limited_across_servers(ports, front):
    store, _ports = ports
    store.rows("DELETE FROM people_tries")

    def guess(number: int) -> list[int]:
        answers = []
        for again in range(TRIES // 16):
            phone = Phone(front)  # each a browser of its own, all at one address
            phone.cookies["csrftoken"] = f"{number:02}{again:02}".ljust(32, "x")
            answers.append(phone.ask("POST", "/join/", [("code", "ACDEFG")])[0])
        return answers

    answers = Counter(status for own in run_concurrently(guess, range(16)) for status in own)
    assert answers == {
        404: limits.WRONG_CODE_RATE_PER_ADDRESS.limit,
        429: TRIES - limits.WRONG_CODE_RATE_PER_ADDRESS.limit,
    }


def test_two_servers_can_start_at_once_on_an_empty_database(cluster, tmp_path):
    """As on the first day: one of them makes the tables, and the other waits for it."""
    url = cluster.new_database("empty")
    apps = [
        AppServer(tmp_path, url, way=SERVE_COMMAND, COMPANION_DATA=str(tmp_path / name)) for name in ("one", "other")
    ]
    try:
        run_concurrently(AppServer.start, apps)
        host, table = create_host(apps[0].port, 2)
        assert host.twin(apps[1].port).ask("GET", table)[0] == 200
    finally:
        for app in apps:
            app.kill()


# What is locked or gone


def test_a_long_lock_is_answered_and_the_retry_counts_once(store):
    with AppServer(store.data, f"{store.url}?options=-c%20lock_timeout%3D1s") as app:
        host, url = create_host(app.port, 2)
        sent = entry(0, 1, 5, "behind-a-lock")
        with psycopg.connect(host=str(store.server.folder), user=NAME, dbname=store.name) as held:
            held.execute("SELECT * FROM tables_table FOR UPDATE")
            assert host.ask("POST", url + "entries/", sent)[0] == 503
            assert host.ask("GET", url)[0] == 200
        assert host.ask("POST", url + "entries/", sent)[0] == 302
        assert [line.key for line in read_stored_log(store, url)] == ["behind-a-lock"]


def test_a_lost_database_is_503_and_used_again_once_back(store):
    with AppServer(store.data, store.url) as app:
        host, url = create_host(app.port, 2)
        for number in range(1, choose_count(3, 10)):
            assert host.ask("POST", url + "entries/", entry(0, number, 5, f"before-{number:04}"))[0] == 302
            store.server.kill()
            for _thread in range(3):
                assert host.ask("GET", url)[0] == 503
                assert host.ask("POST", url + "entries/", entry(1, number, 5, f"gone-{number:05}"))[0] == 503
            store.server.start()
            for _thread in range(3):
                assert host.ask("GET", url)[0] == 200
            assert host.ask("POST", url + "entries/", entry(1, number, 5, f"gone-{number:05}"))[0] == 302
        assert "Traceback" not in app.words
