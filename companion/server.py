"""Runs the application under waitress, which reads slow phones itself and gives Django whole requests only.

Other servers were tried: under WSGI they hand over a request as soon as its head is there, and two phones that send
their body slowly then hold both threads.
"""

import gc
import os
import signal
import socket
import threading
from collections.abc import Sequence
from contextlib import suppress
from types import FrameType
from typing import Any
from wsgiref.types import WSGIApplication

import waitress
from waitress.channel import HTTPChannel
from waitress.server import BaseWSGIServer
from waitress.task import WSGITask

from companion import bounds

THREADS = 2
"""Of each process. More are slower: the interpreter runs one at a time."""

LIMITS = {
    "threads": THREADS,
    "connection_limit": 800,  # below the usual 1,024 open files
    "channel_timeout": 60,
    "cleanup_interval": 10,
    "asyncore_use_poll": True,
    "max_request_body_size": bounds.LARGEST_REQUEST + 1,  # of a file of tables; Django's own limits for forms are lower
}


class KeepingTask(WSGITask):  # type: ignore[misc]  # waitress has no types
    """Keeps the connection after an answer that has no body by its nature (RFC 9112, 6.3), such as the 304 by which a
    phone is told that nothing is new. waitress closes it: each phone would come anew every two seconds."""

    def set_close_on_finish(self) -> None:
        asked = self.request.headers.get("CONNECTION", "").lower()
        if self.has_body or self.version == "1.0" or asked == "close":
            super().set_close_on_finish()


class KeepingChannel(HTTPChannel):  # type: ignore[misc]
    task_class = KeepingTask


def listening(port: int) -> list[socket.socket]:
    """Sockets on all addresses of the machine, IPv6 where it has it. Raises OSError where the port is taken."""
    sockets = [socket.create_server(("0.0.0.0", port), backlog=1024)]
    with suppress(OSError):  # a machine without IPv6 is served all the same
        sockets.append(socket.create_server(("::", port), family=socket.AF_INET6, backlog=1024))
    return sockets


def calm_the_collector() -> None:
    """What has been loaded stays, and requests leave few cycles: the collector need not look through all of it at every
    page. It took a tenth of the time of an entry."""
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


def run(application: WSGIApplication, sockets: Sequence[socket.socket], *, workers: int, proxy: str) -> None:
    """Serve until SIGTERM or Ctrl-C, in this process and `workers - 1` copies of it."""
    calm_the_collector()
    BaseWSGIServer.channel_class = KeepingChannel
    copies = _copies(workers - 1)
    signal.signal(signal.SIGTERM, _leave)
    try:
        waitress.serve(application, sockets=list(sockets), ident=None, _quiet=True, **LIMITS, **_trust(proxy))
    except KeyboardInterrupt:
        pass  # before waitress itself listens to it
    finally:
        for pid in copies:
            os.kill(pid, signal.SIGTERM)
        for pid in copies:
            os.waitpid(pid, 0)


def _copies(count: int) -> list[int]:
    """Process ids of the copies; the copies themselves see none, and leave when the first process is gone."""
    pids: list[int] = []
    alive, held = os.pipe()  # whose other end only the first process holds, for as long as it lives
    for _ in range(count):
        pid = os.fork()
        if pid == 0:
            os.close(held)
            threading.Thread(target=_leave_when_alone, args=(alive,), daemon=True).start()
            return []
        pids.append(pid)
    os.close(alive)
    return pids


def _leave_when_alone(alive: int) -> None:
    """However the first process ended: a copy that lived on would hold the port."""
    os.read(alive, 1)
    os.kill(os.getpid(), signal.SIGTERM)


def _leave(_signal: int, _frame: FrameType | None) -> None:
    raise SystemExit


def _trust(proxy: str) -> dict[str, Any]:
    """Who stands in front and may say for whom; from anybody else such headers are dropped."""
    if not proxy:
        return {}
    return {
        "trusted_proxy": proxy,
        "trusted_proxy_count": 1,
        "trusted_proxy_headers": {"x-forwarded-for", "x-forwarded-proto"},
    }
