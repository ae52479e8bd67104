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
from tests.ops.test_serve import free_port, serving, status, wait_until_it_answers
from tests.scale import choose_count

MEGABYTE = 1_000_000
GROWTH = 20_000
"""Kilobytes that a server may hold on to after large bodies."""


@contextmanager
def server(data: Path, **environment: str) -> Iterator[tuple[int, Any]]:
    port = free_port()
    copy_static_files(data)
    with serving(data, port, **environment) as process:
        wait_until_it_answers(port, 120)
        yield port, process


# What comes from one machine counts as one, whatever it says of itself


@pytest.mark.parametrize(("proxy", "refused"), [("", 15), ("127.0.0.1", 0)], ids=["nobody is believed", "the proxy is"])
def test_forwarded_addresses_count_only_from_the_trusted_proxy(tmp_path: Path, proxy: str, refused: int) -> None:
    """Wrong keys of programs: thirty from an address, and then no more for a while."""
    answers = []
    with server(tmp_path, TRUSTED_PROXY=proxy) as (port, _process):
        visitor = HttpClient(f"http://127.0.0.1:{port}")
        for number in range(45):
            said = dict.fromkeys(("X-Forwarded-For", "X-Real-IP", "Client-IP"), f"198.51.100.{number}")
            answers.append(visitor.ask("/api/v1/", headers={"Authorization": "Bearer x", **said})[0].status)
    assert (answers.count(401), answers.count(429)) == (45 - refused, refused)


# Bodies


def sent(port: int, path: str, size: int, kind: str, start: bytes = b"", piece: bytes = b"x" * 65_536) -> int:
    """The status that a body of so many bytes gets, which is sent on and on until the server answers or hangs up."""
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\nContent-Length: {size}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", port), timeout=60) as link:
        try:
            link.sendall(head.encode() + start)
            left = size - len(start)
            while left > 0:
                link.sendall(piece[:left])
                left -= len(piece)
        except OSError:
            pass  # it has heard enough
        try:
            return int(link.recv(4_096).split(b" ")[1])
        except (OSError, IndexError):
            return 0


def memory(process: Any) -> int:
    """Kilobytes of all workers."""
    pids = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    found = [re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text()) for pid in pids]
    assert found and all(found)
    return sum(int(own[1]) for own in found if own)


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


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="Memory is read where Linux tells it.")
def test_large_bodies_are_refused_without_delaying_others(tmp_path: Path) -> None:
    with server(tmp_path) as (port, process):
        for _name, path, size, kind, start in BODIES[:2]:
            sent(port, path, size, kind, start)  # what is loaded by the first refusal stays
        before, others, done = memory(process), [], threading.Event()

        def look() -> None:
            while not done.wait(0.05):
                others.append(status(port, timeout=20))

        looking = threading.Thread(target=look)
        looking.start()
        try:
            for name, path, size, kind, start in BODIES * choose_count(1, 4):
                assert sent(port, path, size, kind, start) in (0, 400, 403, 413, 422), name
        finally:
            done.set()
            looking.join()
        assert memory(process) - before < GROWTH
    assert others and set(others) == {404}


# What is secret


def secrets_of(visitor: HttpClient) -> dict[str, str]:
    """All that a phone is given which must be known to nobody else."""
    table = visitor.open()
    visitor.post(f"{table}door/", role="scorer")
    invited = visitor.post("/circle/invite/")[1]
    made = visitor.post("/keys/", action="make", label="A program")[1]
    return {
        "device": visitor.cookies["device"][0],
        "link to the circle": re.findall(r"/join/#([\w-]{27})", invited)[0],
        "key of a program": re.findall(r'id="key" readonly[^>]*value="([\w-]+)"', made)[0],
    }


def test_secrets_appear_nowhere_but_with_their_owner(tmp_path: Path) -> None:
    """Not in any file of the server, its log included, not on another page, and in nothing that is exported."""
    with server(tmp_path / "own") as (port, process):
        visitor = HttpClient(f"http://127.0.0.1:{port}")
        known = secrets_of(visitor)
        pages = ["/", "/circle/", "/keys/", "/history/", "/history/export/json/", "/history/export/csv/", "/settings/"]
        key = {"Authorization": f"Bearer {known['key of a program']}"}
        said = "".join(visitor.ask(page)[1] for page in pages) + visitor.ask("/api/v1/tables/", headers=key)[1]
        assert "Ann" in said
        friend = HttpClient(visitor.url)
        assert friend.post("/join/", code=known["link to the circle"])[0].status == 302
        known["device of a friend"] = friend.cookies["device"][0]
        process.terminate()
        log, _none = process.communicate(timeout=30)
    for name in ("", "secret_key"):
        assert (tmp_path / "own" / name).stat().st_mode & 0o077 == 0, "it is for its owner's eyes"
    kept = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file() and "static" not in path.parts}
    assert any(b"Ann" in content for content in kept.values())
    for name, secret in known.items():
        assert len(secret) >= 27, name  # 160 bits
        assert secret not in said and secret not in log, name
        assert [path for path, content in kept.items() if secret.encode() in content] == [], name
