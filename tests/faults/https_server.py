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

from tests.servers import get_free_port, run_server

TLS_HANDSHAKE = b"\x16"
"""First byte of a TLS handshake; plain http begins with a letter."""


def copy_static_files(data: Path) -> None:
    """Create a data folder with the collected static files, so that the server starts faster."""
    data.mkdir(mode=0o700, parents=True, exist_ok=True)
    shutil.copytree(settings.STATIC_ROOT, data / settings.STATIC_ROOT.name)
    fingerprint = settings.STATIC_ROOT.with_name("static.fingerprint")
    shutil.copy(fingerprint, data / fingerprint.name)


@contextmanager
def serve_https(data: Path, certificate: Path) -> Iterator[str]:
    """Yield https://localhost:PORT; plain http to that port is forwarded as plain http."""
    port, backend = get_free_port(), get_free_port()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    url = f"https://localhost:{port}"
    copy_static_files(data)
    with (
        run_server(data, backend, PUBLIC_URL=url),
        _Proxy(("127.0.0.1", port), _create_handler(backend), context) as proxy,
    ):
        _wait_until_serving(backend)
        Thread(target=proxy.serve_forever, args=(0.05,), daemon=True).start()
        yield url
        proxy.shutdown()


def _wait_until_serving(backend: int, seconds: float = 120) -> None:
    """Wait until the app redirects plain http."""
    deadline = time.monotonic() + seconds
    while True:
        connection = HTTPConnection("127.0.0.1", backend, timeout=30)
        try:
            connection.request("GET", "/", headers={"Host": "localhost"})
            assert connection.getresponse().status == 301
            return
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)
        finally:
            connection.close()


class _Proxy(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(
        self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler], context: ssl.SSLContext
    ) -> None:
        super().__init__(address, handler)
        self.context = context

    def finish_request(self, request: Any, client_address: Any) -> None:
        if request.recv(1, socket.MSG_PEEK) != TLS_HANDSHAKE:
            super().finish_request(request, client_address)
            return
        with self.context.wrap_socket(request, server_side=True) as tls_request:
            super().finish_request(tls_request, client_address)

    def handle_error(self, *_args: object) -> None:
        """Ignore clients that reject the certificate."""


def _create_handler(backend: int) -> type[BaseHTTPRequestHandler]:
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
            response = server.getresponse()
            self.send_response_only(response.status)
            for name, value in response.getheaders():
                if name.lower() not in ("connection", "transfer-encoding"):
                    self.send_header(name, value)
            self.end_headers()
            self.wfile.write(response.read())
            server.close()

        def log_message(self, *_args: object) -> None:
            pass

    return Handler
