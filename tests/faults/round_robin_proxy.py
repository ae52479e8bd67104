"""Round-robin load balancer that sets X-Forwarded-For."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Sequence
from http.client import HTTPConnection, HTTPException
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

_HOP_BY_HOP = {"connection", "keep-alive", "transfer-encoding", "content-length"}


class RoundRobinProxy(ThreadingHTTPServer):
    """Forwards each request on loopback to the next port; a context manager."""

    daemon_threads = True
    request_queue_size = 512

    def __init__(self, ports: Sequence[int]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self._ports = itertools.cycle(ports)
        self._lock = threading.Lock()
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    def __exit__(self, *error: object) -> None:
        self.shutdown()
        super().__exit__(*error)

    def next_port(self) -> int:
        with self._lock:
            return next(self._ports)


class _Handler(BaseHTTPRequestHandler):
    server: RoundRobinProxy

    def do_GET(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        headers = {name: value for name, value in self.headers.items() if name.lower() not in _HOP_BY_HOP}
        upstream = HTTPConnection("127.0.0.1", self.server.next_port(), timeout=60)
        try:
            upstream.request(self.command, self.path, body, {**headers, "X-Forwarded-For": self.client_address[0]})
            response = upstream.getresponse()
            answer = response.read()
        except (OSError, HTTPException):
            self.send_error(502)
            return
        finally:
            upstream.close()
        self.send_response_only(response.status)
        for name, value in response.getheaders():
            if name.lower() not in _HOP_BY_HOP:
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def do_POST(self) -> None:
        self.do_GET()

    def log_message(self, *_args: object) -> None:
        pass
