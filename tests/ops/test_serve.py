import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from companion.ops import server

ROOT = Path(__file__).resolve().parents[2]


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


def hear_ctrl_c() -> None:
    """Also where the tests themselves run in the background, which keeps Ctrl-C from them and all that they start."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Heard(subprocess.Popen[str]):
    """A process whose words are read all the time: one that nobody listens to stands still once the pipe is full."""

    def __init__(self, command: list[str], **settings: Any) -> None:
        super().__init__(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **settings)
        self._words: list[str] = []
        self._ear = threading.Thread(target=self._listen, daemon=True)
        self._ear.start()

    def _listen(self) -> None:
        assert self.stdout
        with self.stdout:
            self._words.extend(self.stdout)

    def communicate(self, input: str | None = None, timeout: float | None = None) -> tuple[str, str]:
        """Return the output once all processes have ended. Raises TimeoutExpired."""
        self.wait(timeout)
        self._ear.join(timeout)
        if self._ear.is_alive():
            raise subprocess.TimeoutExpired(self.args, timeout or 0)
        return "".join(self._words), ""


@contextmanager
def serving(data: Path, port: int, **environment: str) -> Iterator[subprocess.Popen[str]]:
    """Run `manage.py serve` in a process until it answers."""
    bare = {"DATABASE_URL": "", "PUBLIC_URL": ""}
    env = {**os.environ, **bare, "COMPANION_DATA": str(data), "PORT": str(port), **environment}
    command = [sys.executable, "manage.py", "serve"]
    process = Heard(command, cwd=ROOT, env=env, text=True, encoding="utf-8", preexec_fn=hear_ctrl_c)
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate(timeout=30)


def status(port: int, timeout: float = 30) -> int:
    """Return the response of a page, which may be a 404."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/no-such-page", timeout=timeout) as response:
            return int(response.status)
    except urllib.error.HTTPError as error:
        with error:
            return error.code


def wait_until_it_answers(port: int, seconds: float = 30) -> None:
    deadline = time.monotonic() + seconds
    while True:
        try:
            assert status(port) == 404
            return
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder that has been served from, so that only the first start is slow."""
    return tmp_path_factory.mktemp("data")


@pytest.mark.parametrize(("workers", "stop"), [("1", signal.SIGINT), ("2", signal.SIGTERM)])
def test_serve_prints_addresses_serves_and_stops(data, workers, stop):
    port = free_port()
    with serving(data, port, WORKERS=workers) as process:
        wait_until_it_answers(port)
        process.send_signal(stop)
        words, _ = process.communicate(timeout=10)
    assert process.returncode == 0, words
    assert f"http://localhost:{port}" in words
    assert "Traceback" not in words
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), timeout=1)


@pytest.mark.slow
def test_no_worker_outlives_a_killed_supervisor(data):
    port = free_port()
    with serving(data, port, WORKERS="3") as process:
        wait_until_it_answers(port)
        process.kill()
        process.communicate(timeout=10)  # returns when the last copy has closed its end
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), timeout=1)


def test_addresses_are_shown_with_a_qr_code(data, capsys, monkeypatch):
    from companion.management.commands import serve

    monkeypatch.setattr(serve, "list_phone_urls", lambda port, public: ["http://192.168.1.5:8000"])
    serve.Command().print_addresses()
    words = capsys.readouterr().out
    assert "    http://192.168.1.5:8000\n" in words
    assert re.search("[▀▄█]{4}", words)


@pytest.mark.slow
def test_a_second_start_builds_nothing(data):
    built = []
    for _ in range(2):
        port = free_port()
        with serving(data, port) as process:
            wait_until_it_answers(port)
            process.terminate()
            process.communicate(timeout=10)
        files = sorted((data / "static").rglob("*"))
        built.append([(path, path.stat().st_mtime_ns) for path in files])
    assert built[0] == built[1] and len(built[0]) > 20


def test_a_taken_port_is_reported(data):
    with socket.create_server(("0.0.0.0", 0)) as taken:
        port = taken.getsockname()[1]
        with serving(data, port) as process:
            words, _ = process.communicate(timeout=30)
    assert process.returncode == 1
    assert f"Port {port}" in words
    assert "Traceback" not in words


@pytest.mark.slow
def test_an_unusable_database_is_reported(tmp_path):
    (tmp_path / "companion.sqlite3").mkdir()
    with serving(tmp_path, free_port()) as process:
        words, _ = process.communicate(timeout=30)
    assert process.returncode == 1
    assert "The database cannot be used" in words
    assert "Traceback" not in words


@pytest.mark.parametrize(
    ("more", "is_kept"), [({}, True), ({"Connection": "close"}, False)], ids=["as ever", "asked to close"]
)
@pytest.mark.slow
def test_a_response_without_a_body_keeps_the_connection(data, more, is_kept):
    port = free_port()
    with serving(data, port) as process:
        wait_until_it_answers(port)
        with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=20)) as phone:
            phone.request("GET", "/static/css/companion.css")
            style = phone.getresponse()
            style.read()
            line = phone.sock
            phone.request("GET", "/static/css/companion.css", headers={"If-None-Match": style.headers["ETag"], **more})
            answer = phone.getresponse()
            assert (answer.status, answer.read()) == (304, b"")
            assert (phone.sock is line) == is_kept
        process.terminate()
        process.communicate(timeout=10)


HEAD = b"POST /no-such-page HTTP/1.1\r\nHost: localhost\r\nContent-Length: 30\r\n\r\n"


def send_slowly(port: int, at_once: bytes, stop: threading.Event) -> None:
    """A client that sends the rest of its request at a byte a second."""
    with socket.create_connection(("127.0.0.1", port)) as client:
        client.sendall(at_once)
        for byte in (HEAD + b"x" * 30)[len(at_once) :]:
            client.sendall(bytes([byte]))
            if stop.wait(1):
                return


@pytest.mark.parametrize("at_once", [b"", HEAD], ids=["slow from the first byte", "slow in the body"])
@pytest.mark.slow
def test_slow_clients_do_not_delay_others(data, at_once):
    port, stop = free_port(), threading.Event()
    with serving(data, port) as process:
        wait_until_it_answers(port)
        slow = [threading.Thread(target=send_slowly, args=(port, at_once, stop)) for _ in range(20)]
        for thread in slow:
            thread.start()
        time.sleep(1)
        began = time.monotonic()
        answers = [status(port, timeout=5) for _ in range(10)]
        seconds = time.monotonic() - began
        stop.set()
        for thread in slow:
            thread.join()
        process.terminate()
        process.communicate(timeout=10)
    assert answers == [404] * 10
    assert seconds < 2


HEADS = {
    "/": b"200",
    "/no-such-page": b"404",
    "/healthz": b"200",
    "/circle": b"404",
    "/static/css/companion.css": b"200",
    "/history/export/json/": b"200",
    "/history/export/csv/": b"200",
    "/el/rules/": b"200",
}
"""Paths and statuses: a page, a refusal, text, a static file, generated files."""


def answer_on(line: socket.socket, method: str, path: str) -> tuple[bytes, bytes]:
    """The status and the head of an answer, and not a byte of what comes after it."""
    line.sendall(f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\n\r\n".encode())
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        byte = line.recv(1)
        assert byte, head
        head += byte
    assert head.startswith(b"HTTP/1.1 "), head
    return head[9:12], head.lower()


def test_responses_to_head_have_no_body(data):
    port = free_port()
    with serving(data, port, WORKERS="1") as process:
        wait_until_it_answers(port)
        for path, status_ in HEADS.items():
            with socket.create_connection(("127.0.0.1", port), timeout=20) as line:
                status, head = answer_on(line, "HEAD", path)
                assert status == status_, path
                if b"connection: close" in head:  # of a file whose length is not known before it is compressed
                    assert line.recv(1) == b"" and path.startswith("/history/export/")
                    continue
                for again in ("HEAD", "GET"):
                    assert answer_on(line, again, "/healthz")[0] == b"200", path
                assert line.recv(3) == b"ok\n"
        process.terminate()
        process.communicate(timeout=10)


def workers_of(pid: int) -> set[int]:
    return {int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()}


def until(condition, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it never held"
        time.sleep(0.05)


def ready(port: int) -> dict[str, Any]:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=20) as response:
        return dict(json.loads(response.read()))


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="Linux tells of children there.")
@pytest.mark.slow
def test_a_dead_worker_is_replaced_and_logged(data):
    port = free_port()
    with serving(data, port, WORKERS="2", LOG_FORMAT="JSON") as process:
        wait_until_it_answers(port)
        until(lambda: len(workers_of(process.pid)) == 2, 5)
        assert ready(port)["workers"] == {"serving": 2, "wanted": 2}
        time.sleep(2.5)  # whoever dies at once is replaced only after a pause
        before = workers_of(process.pid)
        victim = min(before)
        os.kill(victim, signal.SIGKILL)
        until(lambda: len(workers_of(process.pid) - before) == 1 and victim not in workers_of(process.pid), 5)
        for _again in range(10):
            assert status(port) == 404
        assert ready(port)["workers"] == {"serving": 2, "wanted": 2}
        process.terminate()
        words, _ = process.communicate(timeout=20)
    assert f"Worker process {victim} died (signal 9) and was replaced: 2 of 2 serve." in words


@pytest.mark.slow
def test_a_crashing_worker_is_replaced_with_a_delay(data):
    port = free_port()
    with serving(data, port, WORKERS="1") as process:
        wait_until_it_answers(port)
        seen, began = set[int](), time.monotonic()
        while time.monotonic() - began < 6:
            for pid in workers_of(process.pid) - seen:
                seen.add(pid)
                os.kill(pid, signal.SIGKILL)
            time.sleep(0.02)
        wait_until_it_answers(port)
        process.terminate()
        process.communicate(timeout=20)
    assert 2 <= len(seen) <= 8


@pytest.mark.slow
def test_a_hanging_worker_does_not_block_shutdown(data):
    port = free_port()
    with serving(data, port, WORKERS="2") as process:
        wait_until_it_answers(port)
        until(lambda: len(workers_of(process.pid)) == 2, 5)
        for pid in workers_of(process.pid):
            os.kill(pid, signal.SIGSTOP)
        process.terminate()
        process.communicate(timeout=20)
    assert process.returncode == 0


def idle_connections(port: int, count: int) -> list[socket.socket]:
    """Open connections that never send a request, including those closed at once."""
    connections = []
    for _one in range(count):
        with suppress(OSError):
            connections.append(socket.create_connection(("127.0.0.1", port), timeout=5))
    return connections


@pytest.mark.slow
def test_idle_connections_from_one_address_block_nobody(data):
    port = free_port()
    with serving(data, port, WORKERS="2") as process:
        wait_until_it_answers(port)
        idle = idle_connections(port, 1_700)
        try:
            began = time.monotonic()
            assert [status(port, timeout=5) for _again in range(20)] == [404] * 20
            assert time.monotonic() - began < 5
            files = [len(os.listdir(f"/proc/{pid}/fd")) for pid in workers_of(process.pid)]
            assert all(count < server.MAX_CONNECTIONS_PER_ADDRESS + 60 for count in files), files
        finally:
            for line in idle:
                line.close()
        process.terminate()
        process.communicate(timeout=20)


@pytest.mark.slow
def test_an_active_connection_is_not_closed(data):
    port = free_port()
    with serving(data, port, WORKERS="1") as process:
        wait_until_it_answers(port)
        with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=20)) as phone:
            for _round in range(3):
                phone.request("GET", "/healthz")
                assert phone.getresponse().read() == b"ok\n"
                line = phone.sock
                for one in idle_connections(port, server.MAX_CONNECTIONS_PER_ADDRESS // 2):
                    one.close()
                phone.request("GET", "/healthz")
                assert phone.getresponse().read() == b"ok\n" and phone.sock is line
        process.terminate()
        process.communicate(timeout=20)


@pytest.mark.slow
def test_connections_of_a_trusted_proxy_are_not_limited(data):
    port = free_port()
    with serving(data, port, WORKERS="1", TRUSTED_PROXY="127.0.0.1") as process:
        wait_until_it_answers(port)
        idle = idle_connections(port, 2 * server.MAX_CONNECTIONS_PER_ADDRESS)
        assert status(port) == 404
        [worker] = workers_of(process.pid)
        assert len(os.listdir(f"/proc/{worker}/fd")) > 2 * server.MAX_CONNECTIONS_PER_ADDRESS
        for line in idle:
            line.close()
        process.terminate()
        process.communicate(timeout=20)


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("192.0.2.1", "192.0.2.1", True),
        ("192.0.2.1", "192.0.2.2", False),
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", True),
        ("2001:db8:1:2::1", "2001:db8:1:3::1", False),
        ("fe80::1%eth0", "fe80::2", True),
    ],
)
def test_an_ipv6_household_counts_as_one_address(one, other, is_same):
    assert (server.get_client_network(one) == server.get_client_network(other)) == is_same
