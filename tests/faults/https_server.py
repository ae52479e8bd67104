"""The app behind a proxy that accepts both TLS and plain http on one port."""

from __future__ import annotations

import shutil
import socket
import ssl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

from django.conf import settings

from tests.ops.test_serve import free_port, serving

TLS_HANDSHAKE = b"\x16"
"""First byte of a TLS handshake; a plain http request begins with a letter."""


def copy_static_files(data: Path) -> None:
    """Create a data folder with collected static files, which saves the server most of its start."""
    data.mkdir(mode=0o700, parents=True, exist_ok=True)
    shutil.copytree(settings.STATIC_ROOT, data / settings.STATIC_ROOT.name)
    built = settings.STATIC_ROOT.with_name("static.fingerprint")
    shutil.copy(built, data / built.name)


@contextmanager
def serve_https(data: Path, certificate: Path) -> Iterator[str]:
    """Yield https://localhost:PORT; plain http to that port is forwarded as plain http."""
    port, backend = free_port(), free_port()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    url = f"https://localhost:{port}"
    copy_static_files(data)
    with serving(data, backend, PUBLIC_URL=url), _Proxy(("127.0.0.1", port), _handler(backend), context) as proxy:
        _wait(backend)
        Thread(target=proxy.serve_forever, args=(0.05,), daemon=True).start()
        yield url
        proxy.shutdown()


def _wait(backend: int, seconds: float = 120) -> None:
    """Wait until the app answers, which to plain http is a redirect."""
    deadline = time.monotonic() + seconds
    while True:
        link = HTTPConnection("127.0.0.1", backend, timeout=30)
        try:
            link.request("GET", "/", headers={"Host": "localhost"})
            assert link.getresponse().status == 301
            return
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)
        finally:
            link.close()


class _Proxy(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, where: tuple[str, int], handler: type[BaseHTTPRequestHandler], context: ssl.SSLContext) -> None:
        super().__init__(where, handler)
        self.context = context

    def finish_request(self, request: Any, client_address: Any) -> None:
        if request.recv(1, socket.MSG_PEEK) != TLS_HANDSHAKE:
            super().finish_request(request, client_address)
            return
        with self.context.wrap_socket(request, server_side=True) as tls_request:
            super().finish_request(tls_request, client_address)

    def handle_error(self, *_args: object) -> None:
        """Ignore clients that reject the certificate."""


def _handler(backend: int) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def __getattr__(self, name: str) -> Any:
            if name.startswith("do_"):
                return self.forward
            raise AttributeError(name)

        def forward(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            scheme = "https" if isinstance(self.connection, ssl.SSLSocket) else "http"
            server = HTTPConnection("127.0.0.1", backend, timeout=30)
            headers = {name: value for name, value in self.headers.items() if name.lower() != "connection"}
            server.request(self.command, self.path, body, {**headers, "X-Forwarded-Proto": scheme})
            answer = server.getresponse()
            self.send_response_only(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in ("connection", "transfer-encoding"):
                    self.send_header(name, value)
            self.end_headers()
            self.wfile.write(answer.read())
            server.close()

        def log_message(self, *_args: object) -> None:
            pass

    return Handler
