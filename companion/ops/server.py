"""Waitress server, which buffers slow clients and hands Django complete requests only.

Other WSGI servers hand over a request as soon as its head has arrived; a few phones that send their body slowly then
hold all threads.
"""

import gc
import socket
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any
from wsgiref.types import WSGIApplication

import waitress
from waitress.channel import HTTPChannel
from waitress.server import BaseWSGIServer
from waitress.task import WSGITask

from companion import limits
from companion.ops.supervisor import Supervisor
from companion.web.networks import get_network

THREADS = 6
"""Threads per process. Costly requests hold at most two of them; others may wait for the database lock."""
SWITCH_INTERVAL = 0.001
"""Seconds after which a computing thread yields; threads that answer phones yield at each query anyway."""
MAX_CONNECTIONS_PER_ADDRESS = 100
"""Per process; does not apply to the trusted proxy."""

TRUSTED_HEADERS = ("x-forwarded-for", "x-forwarded-proto")
"""Believed if they come from the proxy; waitress strips them from all other requests."""
WAITRESS_OPTIONS = {
    "threads": THREADS,
    "connection_limit": 800,  # below the usual 1,024 open files
    "channel_timeout": 60,
    "cleanup_interval": 10,
    "asyncore_use_poll": True,
    "max_request_body_size": limits.MAX_REQUEST_BYTES + 1,  # for uploads; Django limits forms further
}


class KeepAliveTask(WSGITask):  # type: ignore[misc]  # waitress has no types
    """Keep the connection open after a response without a body (RFC 9112, 6.3), such as the 304 to a poll.

    Waitress closes it, so that each phone would reconnect every two seconds.
    """

    def set_close_on_finish(self) -> None:
        connection = self.request.headers.get("CONNECTION", "").lower()
        if self.has_body or self.version == "1.0" or connection == "close":
            super().set_close_on_finish()

    def finish(self) -> None:
        if not self.wrote_header:
            self.write(b"")
        if self.request.command != "HEAD":  # a response to HEAD has not even an empty last chunk
            super().finish()


class LimitedChannel(HTTPChannel):  # type: ignore[misc]
    """A connection that closes the longest idle one from its address if there are too many."""

    task_class = KeepAliveTask

    def __init__(self, server: Any, sock: socket.socket, addr: Any, adj: Any, map: Any = None) -> None:
        super().__init__(server, sock, addr, adj, map=map)
        if adj.trusted_proxy in ("*", addr[0]):
            return  # all clients connect through it
        network, channels = get_network(addr[0]), server.active_channels.values()
        others = [channel for channel in channels if channel is not self and get_network(channel.addr[0]) == network]
        if len(others) >= MAX_CONNECTIONS_PER_ADDRESS:
            idle = [channel for channel in others if not channel.requests and not channel.will_close]
            oldest = min(idle, key=lambda channel: channel.last_activity, default=self)
            oldest.will_close = True


def open_sockets(port: int) -> list[socket.socket]:
    """Listen on all addresses of the machine. Raises OSError if the port is taken."""
    sockets = [socket.create_server(("0.0.0.0", port), backlog=1024)]
    with suppress(OSError):  # no IPv6 here
        sockets.append(socket.create_server(("::", port), family=socket.AF_INET6, backlog=1024))
    return sockets


def tune_garbage_collector() -> None:
    """Exempt loaded objects from garbage collection, and collect less often: it took a tenth of an entry's time."""
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


def run_server(application: WSGIApplication, sockets: Sequence[socket.socket], *, workers: int, proxy: str) -> None:
    """Serve in that many worker processes until SIGTERM or Ctrl-C."""
    tune_garbage_collector()
    sys.setswitchinterval(SWITCH_INTERVAL)
    BaseWSGIServer.channel_class = LimitedChannel

    def serve() -> None:
        waitress.serve(
            application,
            sockets=list(sockets),
            ident=None,
            trusted_proxy=proxy,
            trusted_proxy_headers=TRUSTED_HEADERS if proxy else (),
            _quiet=True,
            **WAITRESS_OPTIONS,
        )

    Supervisor(serve, workers).run()
