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
    """Fault rates for POST requests in percent, and the maximum delay in seconds."""

    lost: int = 0
    """The response is lost after the server has handled the request."""
    dropped: int = 0
    """The request never reaches the server."""
    doubled: int = 0
    """The request reaches the server twice."""
    delay: float = 0


class _QuietServer(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_args: object) -> None:
        """Ignore dropped connections and failed TLS handshakes."""


class Proxy:
    """Forwards requests from its own address to `target` until `stop` is called."""

    def __init__(self, target: str, host: str, *, certificate: Path | None = None, seed: int = 7) -> None:
        self.faults = Faults()
        self.posts: list[str] = []
        """Fault applied to each POST request, or an empty string."""
        self._target = urlsplit(target)
        self._scheme = "https" if certificate else "http"
        self._random = Random(seed)
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                proxy._forward(self)

            def do_POST(self) -> None:
                proxy._forward(self)

            def log_message(self, *_args: object) -> None:
                pass

        self._server = _QuietServer((host, 0), Handler)
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

    def _forward(self, handler: BaseHTTPRequestHandler) -> None:
        body = handler.rfile.read(int(handler.headers.get("Content-Length", 0)))
        fault = self._pick_fault() if handler.command == "POST" else ""
        try:
            if fault == "dropped":
                return
            for _attempt in range(2 if fault == "doubled" else 1):
                status, headers, content = self._send(handler, body)
        except (OSError, HTTPException):
            return
        if fault != "lost":
            handler.send_response_only(status)
            for name, value in headers:
                handler.send_header(name, value)
            handler.end_headers()
            handler.wfile.write(content)

    def _pick_fault(self) -> str:
        faults = self.faults
        time.sleep(self._random.uniform(0, faults.delay))
        number = self._random.randrange(100)
        rates: Mapping[str, int] = {"lost": faults.lost, "dropped": faults.dropped, "doubled": faults.doubled}
        for fault, percent in rates.items():
            if number < percent:
                self.posts.append(fault)
                return fault
            number -= percent
        self.posts.append("")
        return ""

    def _send(self, handler: BaseHTTPRequestHandler, body: bytes) -> tuple[int, list[tuple[str, str]], bytes]:
        server = HTTPConnection(self._target.hostname or "", self._target.port, timeout=30)
        headers = {name: value for name, value in handler.headers.items() if name.lower() not in _HOP_BY_HOP}
        server.request(handler.command, handler.path, body, {**headers, "X-Forwarded-Proto": self._scheme})
        response = server.getresponse()
        content = response.read()
        server.close()
        return response.status, [pair for pair in response.getheaders() if pair[0].lower() not in _HOP_BY_HOP], content


def get_lan_address() -> str:
    """Return the LAN address of this machine, which browsers do not treat as a secure origin."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))  # sends nothing
        return str(probe.getsockname()[0])


def create_certificate(folder: Path) -> Path:
    """Write a self-signed certificate with its key, and return its path."""
    path = folder / "certificate.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    subprocess.run([*command, "-keyout", path, "-out", folder / "only.pem"], check=True, capture_output=True)
    path.write_text(path.read_text() + (folder / "only.pem").read_text())
    return path
