"""Proxy between browser and server: LAN address, TLS certificate, unreliable connection."""

from __future__ import annotations

import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from random import Random
from urllib.parse import urlsplit

_HOP_BY_HOP = {"connection", "keep-alive", "transfer-encoding"}


@dataclass(frozen=True)
class Faults:
    """How often of a hundred times something happens to what is posted, and how many seconds it may take at most."""

    lost: int = 0
    """The answer is lost after the server has done its work."""
    dropped: int = 0
    """The request is lost on its way to the server."""
    doubled: int = 0
    """The request arrives twice."""
    delay: float = 0


class _Quiet(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_args: object) -> None:
        """Phones hang up, and ask what this certificate is, all the time."""


class Proxy:
    """Listens on an address of its own and hands on to `target`; closed with `stop`."""

    def __init__(self, target: str, host: str, *, certificate: Path | None = None, seed: int = 7) -> None:
        self.faults = Faults()
        self.posts: list[str] = []
        """What has become of everything that was posted."""
        self._target = urlsplit(target)
        self._scheme = "https" if certificate else "http"
        self._random = Random(seed)
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                proxy._hand_on(self)

            def do_POST(self) -> None:
                proxy._hand_on(self)

            def log_message(self, *_args: object) -> None:
                pass

        self._server = _Quiet((host, 0), Handler)
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self._server.socket = context.wrap_socket(
                self._server.socket, server_side=True, do_handshake_on_connect=False
            )
        self.url = f"{self._scheme}://{host}:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _hand_on(self, handler: BaseHTTPRequestHandler) -> None:
        body = handler.rfile.read(int(handler.headers.get("Content-Length", 0)))
        fate = self._fate() if handler.command == "POST" else ""
        try:
            if fate == "dropped":
                return
            for _time in range(2 if fate == "doubled" else 1):
                status, headers, answer = self._ask(handler, body)
        except (OSError, HTTPException):
            return
        if fate != "lost":
            handler.send_response_only(status)
            for name, value in headers:
                handler.send_header(name, value)
            handler.end_headers()
            handler.wfile.write(answer)

    def _fate(self) -> str:
        faults = self.faults
        time.sleep(self._random.uniform(0, faults.delay))
        number = self._random.randrange(100)
        fates: Mapping[str, int] = {"lost": faults.lost, "dropped": faults.dropped, "doubled": faults.doubled}
        for fate, percent in fates.items():
            if number < percent:
                self.posts.append(fate)
                return fate
            number -= percent
        self.posts.append("")
        return ""

    def _ask(self, handler: BaseHTTPRequestHandler, body: bytes) -> tuple[int, list[tuple[str, str]], bytes]:
        server = HTTPConnection(self._target.hostname or "", self._target.port, timeout=30)
        headers = {name: value for name, value in handler.headers.items() if name.lower() not in _HOP_BY_HOP}
        server.request(handler.command, handler.path, body, {**headers, "X-Forwarded-Proto": self._scheme})
        response = server.getresponse()
        answer = response.read()
        server.close()
        return response.status, [pair for pair in response.getheaders() if pair[0].lower() not in _HOP_BY_HOP], answer


def home_address() -> str:
    """The address of this machine in its network, where a browser takes nothing for secure."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))  # sends nothing
        return str(probe.getsockname()[0])


def certificate_in(folder: Path) -> Path:
    """A certificate that it has signed itself, with its key."""
    path = folder / "certificate.pem"
    make = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    subprocess.run([*make, "-keyout", path, "-out", folder / "only.pem"], check=True, capture_output=True)
    path.write_text(path.read_text() + (folder / "only.pem").read_text())
    return path
