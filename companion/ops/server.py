"""Runs the application under waitress, which reads slow phones itself and gives Django whole requests only.

Other servers were tried: under WSGI they hand over a request as soon as its head is there, and two phones that send
their body slowly then hold all threads.
"""

import gc
import ipaddress
import socket
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any
from wsgiref.types import WSGIApplication

import waitress
from waitress.channel import HTTPChannel
from waitress.server import BaseWSGIServer
from waitress.task import WSGITask

from companion import limits
from companion.ops.supervisor import supervise

THREADS = 6
"""Of each process. Costly requests hold two of them at most, and others may wait for the lock of the database."""
SWITCH_INTERVAL = 0.001
"""Seconds after which a thread that computes gives way: one that answers a phone gives way at each query."""
MAX_CONNECTIONS_PER_ADDRESS = 100
"""To one process, of one address that is no trusted proxy."""

WAITRESS_OPTIONS = {
    "threads": THREADS,
    "connection_limit": 800,  # below the usual 1,024 open files
    "channel_timeout": 60,
    "cleanup_interval": 10,
    "asyncore_use_poll": True,
    "max_request_body_size": limits.MAX_REQUEST_BYTES
    + 1,  # of a file of tables; Django's own limits for forms are lower
}


class KeepAliveTask(WSGITask):  # type: ignore[misc]  # waitress has no types
    """Keeps the connection after an answer that has no body by its nature (RFC 9112, 6.3), such as the 304 by which a
    phone is told that nothing is new. waitress closes it: each phone would come anew every two seconds."""

    def set_close_on_finish(self) -> None:
        asked = self.request.headers.get("CONNECTION", "").lower()
        if self.has_body or self.version == "1.0" or asked == "close":
            super().set_close_on_finish()

    def finish(self) -> None:
        if not self.wrote_header:
            self.write(b"")
        if self.request.command != "HEAD":  # to that not even the last chunk, which is empty, is an answer
            super().finish()


class LimitedChannel(HTTPChannel):  # type: ignore[misc]
    """A connection; of those from one address the one that has been idle for longest makes room for one too many."""

    task_class = KeepAliveTask

    def __init__(self, server: Any, sock: socket.socket, addr: Any, adj: Any, map: Any = None) -> None:
        super().__init__(server, sock, addr, adj, map=map)
        if adj.trusted_proxy in ("*", addr[0]):
            return  # everybody's connections come from there
        network, channels = get_client_network(addr[0]), server.active_channels.values()
        others = [own for own in channels if own is not self and get_client_network(own.addr[0]) == network]
        if len(others) >= MAX_CONNECTIONS_PER_ADDRESS:
            idle = [own for own in others if not own.requests and not own.will_close]
            oldest = min(idle, key=lambda own: own.last_activity, default=self)
            oldest.will_close = True


@lru_cache(maxsize=10_000)
def get_client_network(address: str) -> str:
    """Return the address, and of IPv6 the network that one household has."""
    found = ipaddress.ip_address(address.partition("%")[0])
    return str(ipaddress.ip_network((found, 64), strict=False)) if found.version == 6 else address


def open_sockets(port: int) -> list[socket.socket]:
    """Sockets on all addresses of the machine, IPv6 where it has it. Raises OSError where the port is taken."""
    sockets = [socket.create_server(("0.0.0.0", port), backlog=1024)]
    with suppress(OSError):  # a machine without IPv6 is served all the same
        sockets.append(socket.create_server(("::", port), family=socket.AF_INET6, backlog=1024))
    return sockets


def tune_garbage_collector() -> None:
    """What has been loaded stays, and requests leave few cycles: the collector need not look through all of it at every
    page. It took a tenth of the time of an entry."""
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


def run_server(application: WSGIApplication, sockets: Sequence[socket.socket], *, workers: int, proxy: str) -> None:
    """Serve until SIGTERM or Ctrl-C, in so many processes."""
    tune_garbage_collector()
    sys.setswitchinterval(SWITCH_INTERVAL)
    BaseWSGIServer.channel_class = LimitedChannel

    def serve() -> None:
        waitress.serve(application, sockets=list(sockets), ident=None, _quiet=True, **WAITRESS_OPTIONS, **_trust(proxy))

    supervise(serve, workers)


def _trust(proxy: str) -> dict[str, Any]:
    """Who stands in front and may say for whom; from anybody else such headers are dropped."""
    if not proxy:
        return {}
    return {
        "trusted_proxy": proxy,
        "trusted_proxy_count": 1,
        "trusted_proxy_headers": {"x-forwarded-for", "x-forwarded-proto"},
    }
