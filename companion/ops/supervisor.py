"""The supervisor of the worker processes: starts them, and replaces those that die."""

from __future__ import annotations

import logging
import mmap
import os
import signal
import struct
import sys
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from types import FrameType

from companion.web.logging import unredacted

MIN_LIFETIME, RESTART_DELAY = 2.0, 1.0
"""A worker that lived for less than that is replaced only after a pause."""
SHUTDOWN_TIMEOUT = 10.0
"""Seconds that workers have to finish what they do when the server is stopped."""

logger = logging.getLogger(__name__)
_COUNTS = struct.Struct("ii")
_shared = mmap.mmap(-1, _COUNTS.size)
"""How many workers serve, and how many should: written by the supervisor, read by the workers."""


@dataclass(frozen=True)
class WorkerCount:
    serving: int
    wanted: int


def get_worker_count() -> WorkerCount | None:
    """Return how many workers serve; None in a process that no supervisor started."""
    serving, wanted = _COUNTS.unpack_from(_shared)
    return WorkerCount(serving, wanted) if wanted else None


def supervise(serve: Callable[[], None], workers: int) -> None:
    """Run `serve` in so many worker processes until SIGTERM or Ctrl-C. To be called before any thread is started."""
    Supervisor(serve, workers).run()


class Supervisor:
    def __init__(self, serve: Callable[[], None], wanted: int) -> None:
        self._serve, self._wanted = serve, wanted
        self._started: dict[int, float] = {}
        """When each worker was started, by its process id."""
        self._alive, self._held = os.pipe()  # whose other end only the supervisor holds, for as long as it lives

    def run(self) -> None:
        signal.signal(signal.SIGTERM, _exit)
        try:
            for _worker in range(self._wanted):
                self._start()
            while True:
                self._replace(*os.wait())
        except (KeyboardInterrupt, SystemExit):
            pass
        finally:
            self._stop()

    def _start(self) -> None:
        pid = os.fork()
        if pid == 0:
            self._work()
        self._started[pid] = time.monotonic()
        self._share_counts()

    def _work(self) -> None:
        """Serve, as a worker, and end without going back to what the supervisor was doing."""
        status = 0
        try:
            os.close(self._held)
            threading.Thread(target=_exit_when_orphaned, args=(self._alive,), daemon=True).start()
            self._serve()
        except (KeyboardInterrupt, SystemExit):
            pass
        except BaseException:
            traceback.print_exc()
            status = 1
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)

    def _replace(self, pid: int, status: int) -> None:
        began = self._started.pop(pid, None)
        if began is None:
            return  # a process that somebody else has started
        self._share_counts()
        if time.monotonic() - began < MIN_LIFETIME:
            time.sleep(RESTART_DELAY)
        self._start()
        text = (
            f"Worker process {pid} died ({_cause(status)}) and was replaced: "
            f"{len(self._started)} of {self._wanted} serve."
        )
        logger.warning(text, extra=unredacted(text))

    def _share_counts(self) -> None:
        _COUNTS.pack_into(_shared, 0, len(self._started), self._wanted)

    def _stop(self) -> None:
        """Let the workers finish; end those that do not."""
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        self._send(signal.SIGTERM)
        until = time.monotonic() + SHUTDOWN_TIMEOUT
        while self._started and time.monotonic() < until:
            for pid in list(self._started):
                with suppress(ChildProcessError):
                    if os.waitpid(pid, os.WNOHANG)[0]:
                        del self._started[pid]
            time.sleep(0.02)
        self._send(signal.SIGKILL)

    def _send(self, number: signal.Signals) -> None:
        for pid in self._started:
            with suppress(ProcessLookupError):
                os.kill(pid, number)


def _cause(status: int) -> str:
    code = os.waitstatus_to_exitcode(status)
    return f"signal {-code}" if code < 0 else f"exit code {code}"


def _exit_when_orphaned(alive: int) -> None:
    """However the supervisor ended: a worker that lived on would hold the port."""
    os.read(alive, 1)
    os.kill(os.getpid(), signal.SIGTERM)


def _exit(_signal: int, _frame: FrameType | None) -> None:
    raise SystemExit
