import http.client
import os
import re
import signal
import socket
import threading
import time
from contextlib import closing, suppress
from pathlib import Path

import pytest

from companion.ops import server
from tests.servers import (
    get_free_port,
    get_readiness,
    get_status,
    run_server,
    serve,
    wait_until,
    wait_until_serving,
)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder shared by the module, so that only the first start builds static files."""
    return tmp_path_factory.mktemp("data")


@pytest.mark.parametrize(("workers", "stop"), [("1", signal.SIGINT), ("2", signal.SIGTERM)])
def test_serve_prints_addresses_serves_and_stops(data, workers, stop):
    with serve(data, WORKERS=workers) as (port, process):
        process.send_signal(stop)
        output, _ = process.communicate(timeout=10)
    assert process.returncode == 0, output
    assert f"http://localhost:{port}" in output
    assert "Traceback" not in output
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), timeout=1)


@pytest.mark.slow
def test_no_worker_outlives_a_killed_supervisor(data):
    with serve(data, WORKERS="3") as (port, process):
        process.kill()
        process.communicate(timeout=10)  # returns once all workers have closed the pipe
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), timeout=1)


def test_addresses_are_shown_with_a_qr_code(data, capsys, monkeypatch):
    from companion.management.commands import serve

    monkeypatch.setattr(serve, "list_phone_urls", lambda port, public: ["http://192.168.1.5:8000"])
    serve.Command().print_addresses()
    output = capsys.readouterr().out
    assert "    http://192.168.1.5:8000\n" in output
    assert re.search("[▀▄█]{4}", output)


@pytest.mark.slow
def test_a_second_start_builds_nothing(data):
    builds = []
    for _ in range(2):
        with serve(data):
            pass
        files = sorted((data / "static").rglob("*"))
        builds.append([(path, path.stat().st_mtime_ns) for path in files])
    assert builds[0] == builds[1] and len(builds[0]) > 20


def test_a_taken_port_is_reported(data):
    with socket.create_server(("0.0.0.0", 0)) as listener:
        port = listener.getsockname()[1]
        with run_server(data, port) as process:
            output, _ = process.communicate(timeout=30)
    assert process.returncode == 1
    assert f"Port {port}" in output
    assert "Traceback" not in output


@pytest.mark.slow
def test_an_unusable_database_is_reported(tmp_path):
    (tmp_path / "companion.sqlite3").mkdir()
    with run_server(tmp_path, get_free_port()) as process:
        output, _ = process.communicate(timeout=30)
    assert process.returncode == 1
    assert "The database cannot be used" in output
    assert "Traceback" not in output


@pytest.mark.parametrize(
    ("headers", "is_kept"), [({}, True), ({"Connection": "close"}, False)], ids=["as ever", "asked to close"]
)
@pytest.mark.slow
def test_a_response_without_a_body_keeps_the_connection(data, headers, is_kept):
    with serve(data) as (port, _process), closing(http.client.HTTPConnection("127.0.0.1", port, timeout=20)) as phone:
        phone.request("GET", "/static/css/controls.css")
        stylesheet = phone.getresponse()
        stylesheet.read()
        etag = stylesheet.headers["ETag"]
        connection = phone.sock
        phone.request("GET", "/static/css/controls.css", headers={"If-None-Match": etag, **headers})
        response = phone.getresponse()
        assert (response.status, response.read()) == (304, b"")
        assert (phone.sock is connection) == is_kept


POST_HEAD = b"POST /no-such-page HTTP/1.1\r\nHost: localhost\r\nContent-Length: 30\r\n\r\n"


def send_slowly(port: int, at_once: bytes, stop: threading.Event) -> None:
    """Send the first bytes at once, and the rest of the request at one byte a second."""
    with socket.create_connection(("127.0.0.1", port)) as client:
        client.sendall(at_once)
        for byte in (POST_HEAD + b"x" * 30)[len(at_once) :]:
            client.sendall(bytes([byte]))
            if stop.wait(1):
                return


@pytest.mark.parametrize("at_once", [b"", POST_HEAD], ids=["slow from the first byte", "slow in the body"])
@pytest.mark.slow
def test_slow_clients_do_not_delay_others(data, at_once):
    stop = threading.Event()
    with serve(data) as (port, _process):
        threads = [threading.Thread(target=send_slowly, args=(port, at_once, stop)) for _ in range(20)]
        for thread in threads:
            thread.start()
        time.sleep(1)
        began = time.monotonic()
        statuses = [get_status(port, timeout=5) for _ in range(10)]
        seconds = time.monotonic() - began
        stop.set()
        for thread in threads:
            thread.join()
    assert statuses == [404] * 10
    assert seconds < 2


EXPECTED_STATUSES = {
    "/": b"200",
    "/no-such-page": b"404",
    "/healthz": b"200",
    "/circle": b"404",
    "/static/css/controls.css": b"200",
    "/history/export/json/": b"200",
    "/history/export/csv/": b"200",
    "/el/rules/": b"200",
}
"""Status by path: pages, errors, plain text, a static file, exports."""


def request_head(connection: socket.socket, method: str, path: str) -> tuple[bytes, bytes]:
    """Send a request; return the status and the head of the response without reading its body."""
    connection.sendall(f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\n\r\n".encode())
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        byte = connection.recv(1)
        assert byte, head
        head += byte
    assert head.startswith(b"HTTP/1.1 "), head
    return head[9:12], head.lower()


def test_responses_to_head_have_no_body(data):
    with serve(data, WORKERS="1") as (port, _process):
        for path, expected in EXPECTED_STATUSES.items():
            with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
                status, head = request_head(connection, "HEAD", path)
                assert status == expected, path
                if b"connection: close" in head:  # the compressed length of an export is unknown
                    assert connection.recv(1) == b"" and path.startswith("/history/export/")
                    continue
                for method in ("HEAD", "GET"):
                    assert request_head(connection, method, "/healthz")[0] == b"200", path
                assert connection.recv(3) == b"ok\n"


def get_worker_pids(pid: int) -> set[int]:
    return {int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()}


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs /proc to list child processes")
@pytest.mark.slow
def test_a_dead_worker_is_replaced_and_logged(data):
    with serve(data, WORKERS="2", LOG_FORMAT="JSON") as (port, process):
        wait_until(lambda: len(get_worker_pids(process.pid)) == 2, 5)
        assert get_readiness(port)["workers"] == {"serving": 2, "wanted": 2}
        time.sleep(2.5)  # a worker that dies right after its start is replaced with a delay
        before = get_worker_pids(process.pid)
        victim = min(before)
        os.kill(victim, signal.SIGKILL)
        wait_until(
            lambda: len(get_worker_pids(process.pid) - before) == 1 and victim not in get_worker_pids(process.pid), 5
        )
        for _ in range(10):
            assert get_status(port) == 404
        assert get_readiness(port)["workers"] == {"serving": 2, "wanted": 2}
    output, _ = process.communicate()
    assert f"Worker process {victim} died (signal 9) and was replaced: 2 of 2 serve." in output


@pytest.mark.slow
def test_a_crashing_worker_is_replaced_with_a_delay(data):
    with serve(data, WORKERS="1") as (port, process):
        seen, began = set[int](), time.monotonic()
        while time.monotonic() - began < 6:
            for pid in get_worker_pids(process.pid) - seen:
                seen.add(pid)
                os.kill(pid, signal.SIGKILL)
            time.sleep(0.02)
        wait_until_serving(port)
    assert 2 <= len(seen) <= 8


@pytest.mark.slow
def test_a_hanging_worker_does_not_block_shutdown(data):
    with serve(data, WORKERS="2") as (_port, process):
        wait_until(lambda: len(get_worker_pids(process.pid)) == 2, 5)
        for pid in get_worker_pids(process.pid):
            os.kill(pid, signal.SIGSTOP)
    assert process.returncode == 0


def open_idle_connections(port: int, count: int) -> list[socket.socket]:
    """Open connections that never send a request; some are closed at once by the server."""
    connections = []
    for _ in range(count):
        with suppress(OSError):
            connections.append(socket.create_connection(("127.0.0.1", port), timeout=5))
    return connections


@pytest.mark.slow
def test_idle_connections_from_one_address_block_nobody(data):
    with serve(data, WORKERS="2") as (port, process):
        idle = open_idle_connections(port, 1_700)
        try:
            began = time.monotonic()
            assert [get_status(port, timeout=5) for _ in range(20)] == [404] * 20
            assert time.monotonic() - began < 5
            open_files = [len(os.listdir(f"/proc/{pid}/fd")) for pid in get_worker_pids(process.pid)]
            assert all(count < server.MAX_CONNECTIONS_PER_ADDRESS + 60 for count in open_files), open_files
        finally:
            for connection in idle:
                connection.close()


@pytest.mark.slow
def test_an_active_connection_is_not_closed(data):
    with (
        serve(data, WORKERS="1") as (port, _process),
        closing(http.client.HTTPConnection("127.0.0.1", port, timeout=20)) as phone,
    ):
        for _round in range(3):
            phone.request("GET", "/healthz")
            assert phone.getresponse().read() == b"ok\n"
            connection = phone.sock
            for idle in open_idle_connections(port, server.MAX_CONNECTIONS_PER_ADDRESS // 2):
                idle.close()
            phone.request("GET", "/healthz")
            assert phone.getresponse().read() == b"ok\n" and phone.sock is connection


@pytest.mark.slow
def test_connections_of_a_trusted_proxy_are_not_limited(data):
    with serve(data, WORKERS="1", TRUSTED_PROXY="127.0.0.1") as (port, process):
        idle = open_idle_connections(port, 2 * server.MAX_CONNECTIONS_PER_ADDRESS)
        assert get_status(port) == 404
        [worker] = get_worker_pids(process.pid)
        assert len(os.listdir(f"/proc/{worker}/fd")) > 2 * server.MAX_CONNECTIONS_PER_ADDRESS
        for connection in idle:
            connection.close()
