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
from tests.faults.conftest import IS_POSTGRESQL, create_store
from tests.faults.phones import Phone, Writer, create_host, open_table, run_concurrently
from tests.faults.round_robin_proxy import RoundRobinProxy
from tests.faults.servers import SERVE_COMMAND, AppServer, copy_data_folder
from tests.faults.store import Store, check_history, read_stored_log
from tests.faults.test_killed_server import count_acknowledged, run_writers
from tests.postgresql import NAME
from tests.scale import choose_count
from tests.servers import wait_until
from tests.web.html import parse_html

pytestmark = pytest.mark.skipif(not IS_POSTGRESQL, reason="SQLite is a file on one machine")

SEATS = 6
ENTRIES = choose_count(60, 600)
SAME = choose_count(10, 100)
TRIES = 400


@pytest.fixture(scope="module", params=["two machines", "four processes"])
def ports(request, prepared_data, cluster, tmp_path_factory) -> Iterator[tuple[Store, list[int]]]:
    """The store and two ports: two servers with separate folders, or one server of four processes twice."""
    folder = tmp_path_factory.mktemp("machines")
    store = create_store(prepared_data, cluster, folder)
    with ExitStack() as stack:
        if request.param == "four processes":
            app = stack.enter_context(create_server(store, store.data, WORKERS="4"))
            yield store, [app.port, app.port]
            return
        folders = [store.data, copy_data_folder(prepared_data, folder / "other")]
        yield store, [stack.enter_context(create_server(store, data)).port for data in folders]


def create_server(store: Store, data: Path, **environment: str) -> AppServer:
    return AppServer(data, store.url, TRUSTED_PROXY="127.0.0.1", **environment)


@pytest.fixture
def proxy_port(ports) -> Iterator[int]:
    """The port of a proxy that sends each request to the next server."""
    with RoundRobinProxy(ports[1]) as proxy:
        yield proxy.server_port


def build_entry(seat: int, number: int, points: int, key: str) -> list[tuple[str, str]]:
    return [("key", key), ("round", str(number)), (f"count.{seat}.points", str(points))]


def test_a_table_opened_on_one_server_works_on_the_other(ports):
    _store, (port, second_port) = ports
    host, url = create_host(port, SEATS)
    guest = host.copy(second_port)
    assert guest.request("POST", url + "entries/", build_entry(0, 1, 5, "entry-at-other"))[0] == 302
    assert 'data-version="1"' in host.request("GET", url)[2]
    assert host.request("GET", url + "news/", **{"If-None-Match": '"0"'})[0] == 200
    assert guest.request("GET", url + "news/", **{"If-None-Match": '"1"'})[0] == 304
    assert host.request("POST", url + "entries/", build_entry(1, 1, 6, "entry-at-one"))[0] == 302
    assert 'data-version="2"' in guest.request("GET", url)[2]
    responses = [phone.request("GET", url + "news/") for phone in (host, guest)]
    assert responses[0] == responses[1]


def test_a_join_code_works_on_every_server(ports, proxy_port):
    store, (port, _second_port) = ports
    host, url = create_host(port, SEATS)
    public_id = url.strip("/").split("/")[-1]
    assert host.request("POST", reverse("door", args=[public_id]), [("role", "scorer")])[0] == 302
    ((code,),) = store.query("SELECT code FROM tables_door ORDER BY closes_at DESC LIMIT 1")
    guest = Phone(proxy_port)
    page = parse_html(guest.request("GET", "/join/")[2])  # the form is sent to another server than it came from
    assert page.all("input", name="code")
    status, location, html = guest.request("POST", "/join/", [("code", code)])
    assert status == 302, html
    for number in range(1, 5):
        form = parse_html(guest.request("GET", url)[2])
        token = form.all("input", name="csrfmiddlewaretoken")[0].attrs["value"]
        fields = [*build_entry(0, number, number, f"guest-{number:05}"), ("csrfmiddlewaretoken", token)]
        assert guest.request("POST", url + "entries/", fields)[0] == 302
    assert 'data-version="4"' in host.request("GET", url)[2] and location


def test_an_entry_sent_to_all_servers_is_recorded_once(ports):
    store, (port, second_port) = ports
    host, url = create_host(port, SEATS)
    for number in range(1, SAME + 1):
        fields = build_entry(0, number, 3, f"same-{number:05}")
        statuses = run_concurrently(
            lambda port, fields=fields: host.copy(port).request("POST", url + "entries/", fields)[0],
            [port, second_port] * 4,
        )
        assert statuses == [302] * 8
    assert [entry.number for entry in read_stored_log(store, url)] == list(range(1, SAME + 1))


def test_a_form_sent_to_all_servers_opens_one_table(ports):
    _store, (port, second_port) = ports
    host, _url = create_host(port, SEATS)
    for number in range(choose_count(5, 50)):
        urls = run_concurrently(
            lambda port, number=number: open_table(host.copy(port), SEATS, f"form-{number:05}"), [port, second_port] * 2
        )
        assert len(set(urls)) == 1


def test_new_phones_with_the_same_names_each_get_a_table(ports):
    """Forms with the same new names but different keys create the players once."""
    store, (port, second_port) = ports
    host, _url = create_host(port, 2)
    for number in range(choose_count(5, 50)):
        names = [f"New {number} {index}" for index in range(4)]
        urls = run_concurrently(
            lambda job, names=names: open_table(host.copy(job[0]), 0, names=names[:: job[1]]),
            [(port, 1), (second_port, -1), (port, -1), (second_port, 1)],
        )
        assert len(set(urls)) == 4
    ((duplicates,),) = store.query(
        "SELECT count(*) FROM (SELECT 1 FROM people_player GROUP BY circle_id, name HAVING count(*) > 1) t"
    )
    assert duplicates == 0


def test_alternating_servers_lose_and_double_nothing(ports, proxy_port):
    store, _ports = ports
    host, url = create_host(proxy_port, SEATS)
    writers = [Writer(host.copy(), url, seat) for seat in range(SEATS)]
    seen_versions: list[list[int]] = [[], []]

    def poll(versions: list[int]) -> None:
        phone = host.copy()
        while count_acknowledged(writers) < ENTRIES:
            page = parse_html(phone.request("GET", url)[2])
            versions.append(int(page.one("main", id="table").attrs["data-version"]))

    readers = [threading.Thread(target=poll, args=(versions,)) for versions in seen_versions]
    with run_writers(Writer.run, writers):
        for reader in readers:
            reader.start()
        wait_until(lambda: count_acknowledged(writers) >= ENTRIES, 300)
    for reader in readers:
        reader.join()
    assert not any(writer.list_unanswered() for writer in writers)
    assert check_history(read_stored_log(store, url), writers).acknowledged >= ENTRIES
    for versions in [*seen_versions, *([attempt.version for attempt in writer.acknowledged] for writer in writers)]:
        assert versions == sorted(versions) and len(versions) > 1


def test_wrong_codes_are_limited_across_servers(ports, proxy_port):
    store, _ports = ports
    store.query("DELETE FROM people_tries")

    def guess(number: int) -> list[int]:
        statuses = []
        for index in range(TRIES // 16):
            phone = Phone(proxy_port)  # a new browser each time, at the same address
            phone.cookies["csrftoken"] = f"{number:02}{index:02}".ljust(32, "x")
            statuses.append(phone.request("POST", "/join/", [("code", "ACDEFG")])[0])
        return statuses

    counts = Counter(status for statuses in run_concurrently(guess, range(16)) for status in statuses)
    assert counts == {
        404: limits.WRONG_CODE_RATE_PER_ADDRESS.limit,
        429: TRIES - limits.WRONG_CODE_RATE_PER_ADDRESS.limit,
    }


def test_two_servers_can_start_at_once_on_an_empty_database(cluster, tmp_path):
    """One server migrates while the other waits."""
    url = cluster.new_database("empty")
    apps = [
        AppServer(tmp_path, url, command=SERVE_COMMAND, COMPANION_DATA=str(tmp_path / name))
        for name in ("one", "other")
    ]
    try:
        run_concurrently(AppServer.start, apps)
        host, table = create_host(apps[0].port, 2)
        assert host.copy(apps[1].port).request("GET", table)[0] == 200
    finally:
        for app in apps:
            app.kill()


# Locked or lost database


def test_a_long_lock_is_answered_and_the_retry_counts_once(store):
    with AppServer(store.data, f"{store.url}?options=-c%20lock_timeout%3D1s") as app:
        host, url = create_host(app.port, 2)
        fields = build_entry(0, 1, 5, "behind-a-lock")
        with psycopg.connect(host=str(store.server.folder), user=NAME, dbname=store.name) as connection:
            connection.execute("SELECT * FROM tables_table FOR UPDATE")
            assert host.request("POST", url + "entries/", fields)[0] == 503
            assert host.request("GET", url)[0] == 200
        assert host.request("POST", url + "entries/", fields)[0] == 302
        assert [entry.key for entry in read_stored_log(store, url)] == ["behind-a-lock"]


def test_a_lost_database_is_503_and_used_again_once_back(store):
    with AppServer(store.data, store.url) as app:
        host, url = create_host(app.port, 2)
        for number in range(1, choose_count(3, 10)):
            assert host.request("POST", url + "entries/", build_entry(0, number, 5, f"before-{number:04}"))[0] == 302
            store.server.kill()
            for _ in range(3):
                assert host.request("GET", url)[0] == 503
                assert host.request("POST", url + "entries/", build_entry(1, number, 5, f"gone-{number:05}"))[0] == 503
            store.server.start()
            for _ in range(3):
                assert host.request("GET", url)[0] == 200
            assert host.request("POST", url + "entries/", build_entry(1, number, 5, f"gone-{number:05}"))[0] == 302
        assert "Traceback" not in app.log
