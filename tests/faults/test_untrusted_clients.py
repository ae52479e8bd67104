"""Large bodies, forged addresses and secrets on a real server."""

from __future__ import annotations

import re
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.faults.http_client import HttpClient
from tests.faults.https_server import copy_static_files
from tests.scale import choose_count
from tests.servers import get_status, serve

MEGABYTE = 1_000_000
MAX_GROWTH = 20_000
"""Kilobytes of memory that a server may keep after large bodies."""


@contextmanager
def start_server(data: Path, **environment: str) -> Iterator[tuple[int, Any]]:
    copy_static_files(data)
    with serve(data, **environment) as port_and_process:
        yield port_and_process


# Forwarded addresses


@pytest.mark.parametrize(("proxy", "refused"), [("", 15), ("127.0.0.1", 0)], ids=["nobody is believed", "the proxy is"])
def test_forwarded_addresses_count_only_from_the_trusted_proxy(tmp_path: Path, proxy: str, refused: int) -> None:
    """An address may try thirty wrong API keys before it is limited."""
    statuses = []
    with start_server(tmp_path, TRUSTED_PROXY=proxy) as (port, _process):
        visitor = HttpClient(f"http://127.0.0.1:{port}")
        for number in range(45):
            forged = dict.fromkeys(("X-Forwarded-For", "X-Real-IP", "Client-IP"), f"198.51.100.{number}")
            statuses.append(visitor.request("/api/v1/", headers={"Authorization": "Bearer x", **forged})[0].status)
    assert (statuses.count(401), statuses.count(429)) == (45 - refused, refused)


# Bodies


def post_body(port: int, path: str, size: int, kind: str, start: bytes = b"", piece: bytes = b"x" * 65_536) -> int:
    """Send a body of the given size until the server answers or hangs up; return the status, or 0."""
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\nContent-Length: {size}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        try:
            connection.sendall(head.encode() + start)
            remaining = size - len(start)
            while remaining > 0:
                connection.sendall(piece[:remaining])
                remaining -= len(piece)
        except OSError:
            pass  # refused early
        try:
            return int(connection.recv(4_096).split(b" ")[1])
        except (OSError, IndexError):
            return 0


def get_memory(process: Any) -> int:
    """Return the memory of all workers in kilobytes."""
    pids = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    matches = [re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text()) for pid in pids]
    assert matches and all(matches)
    return sum(int(match[1]) for match in matches if match)


FORM = "application/x-www-form-urlencoded"
FILE = b'--b\r\nContent-Disposition: form-data; name="file"; filename="x.json"\r\n\r\n'
BODIES = [
    ("a megabyte", "/settings/change/", MEGABYTE, FORM, b"next="),
    ("ten megabytes", "/settings/change/", 10 * MEGABYTE, FORM, b"next="),
    ("a hundred megabytes", "/settings/change/", 100 * MEGABYTE, FORM, b"next="),
    ("two thousand fields", "/settings/change/", 20_000, FORM, b"&".join(b"f%d=1" % n for n in range(2_000))),
    ("brackets without end", "/settings/change/", 100_000, "application/json", b"[" * 100_000),
    ("a file of a hundred megabytes", "/history/import/", 100 * MEGABYTE, "multipart/form-data; boundary=b", FILE),
    ("a file of brackets", "/history/import/", 200_000, "multipart/form-data; boundary=b", FILE + b"[" * 100_000),
]


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc to read memory")
def test_large_bodies_are_refused_without_delaying_others(tmp_path: Path) -> None:
    with start_server(tmp_path) as (port, process):
        for _name, path, size, kind, start in BODIES[:2]:
            post_body(port, path, size, kind, start)  # the first refusal imports modules
        before, statuses, done = get_memory(process), [], threading.Event()

        def poll() -> None:
            statuses.append(get_status(port, timeout=20))
            while not done.wait(0.05):
                statuses.append(get_status(port, timeout=20))

        poller = threading.Thread(target=poll)
        poller.start()
        try:
            for name, path, size, kind, start in BODIES * choose_count(1, 4):
                assert post_body(port, path, size, kind, start) in (0, 400, 403, 413, 422), name
        finally:
            done.set()
            poller.join()
        assert get_memory(process) - before < MAX_GROWTH
    assert statuses and set(statuses) == {404}


# Secrets


def collect_secrets(visitor: HttpClient) -> dict[str, str]:
    """Return every secret that a phone receives."""
    table = visitor.open_table()
    visitor.post(f"{table}door/", role="scorer")
    invite_page = visitor.post("/circle/invite/")[1]
    keys_page = visitor.post("/keys/", action="make", label="A program")[1]
    return {
        "device": visitor.cookies["device"][0],
        "link to the circle": re.findall(r"/join/#([\w-]{27})", invite_page)[0],
        "key of a program": re.findall(r'<input[^>]* id="key"[^>]* value="([\w-]+)"', keys_page)[0],
    }


def test_secrets_appear_nowhere_but_with_their_owner(tmp_path: Path) -> None:
    """Neither in files and logs of the server, nor on other pages or in exports."""
    with start_server(tmp_path / "server") as (port, process):
        visitor = HttpClient(f"http://127.0.0.1:{port}")
        secrets = collect_secrets(visitor)
        pages = ["/", "/circle/", "/keys/", "/history/", "/history/export/json/", "/history/export/csv/", "/settings/"]
        key = {"Authorization": f"Bearer {secrets['key of a program']}"}
        pages_text = (
            "".join(visitor.request(page)[1] for page in pages) + visitor.request("/api/v1/tables/", headers=key)[1]
        )
        assert "Ann" in pages_text
        friend = HttpClient(visitor.url)
        assert friend.post("/join/", code=secrets["link to the circle"])[0].status == 302
        secrets["device of a friend"] = friend.cookies["device"][0]
    log, _ = process.communicate()
    for name in ("", "secret_key"):
        assert (tmp_path / "server" / name).stat().st_mode & 0o077 == 0, "readable by others"
    files = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file() and "static" not in path.parts}
    assert any(b"Ann" in content for content in files.values())
    for name, secret in secrets.items():
        assert len(secret) >= 27, name  # 160 bits
        assert secret not in pages_text and secret not in log, name
        assert [path for path, content in files.items() if secret.encode() in content] == [], name
