"""Supervisor that starts worker processes and replaces those that die."""

import logging
import mmap
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from types import FrameType

from companion.web.logging import log_unredacted

MIN_LIFETIME, RESTART_DELAY = 2.0, 1.0
"""A worker that dies sooner than MIN_LIFETIME seconds is replaced after RESTART_DELAY seconds."""
SHUTDOWN_TIMEOUT = 10.0
"""Seconds for workers to finish their requests when the server stops."""

logger = logging.getLogger(__name__)
_shared_counts = memoryview(mmap.mmap(-1, 8)).cast("i")
"""Serving and wanted workers: written by the supervisor, read by the workers."""


@dataclass(frozen=True)
class WorkerCount:
    serving: int
    wanted: int


def get_worker_count() -> WorkerCount | None:
    """Return the worker count; None in a process without a supervisor."""
    serving, wanted = _shared_counts
    return WorkerCount(serving, wanted) if wanted else None


class Supervisor:
    """Runs `serve` in several worker processes. Create and run it before any thread is started."""

    def __init__(self, serve: Callable[[], None], wanted: int) -> None:
        self._serve, self._wanted = serve, wanted
        self._started: dict[int, float] = {}
        """Start time by process id."""
        self._orphan_signal, self._lifeline = os.pipe()  # only the supervisor holds the lifeline, as long as it lives

    def run(self) -> None:
        """Serve until SIGTERM or Ctrl-C."""
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
        self._publish_counts()

    def _work(self) -> None:
        """Serve, and exit without returning into the supervisor's code."""
        status = 0
        try:
            os.close(self._lifeline)
            threading.Thread(target=_exit_when_orphaned, args=(self._orphan_signal,), daemon=True).start()
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
        started = self._started.pop(pid, None)
        if started is None:
            return  # not one of our workers
        self._publish_counts()
        if time.monotonic() - started < MIN_LIFETIME:
            time.sleep(RESTART_DELAY)
        self._start()
        code = os.waitstatus_to_exitcode(status)
        reason = f"signal {-code}" if code < 0 else f"exit code {code}"
        serving = f"{len(self._started)} of {self._wanted} serve"
        log_unredacted(logger, logging.WARNING, f"Worker process {pid} died ({reason}) and was replaced: {serving}.")

    def _publish_counts(self) -> None:
        _shared_counts[0], _shared_counts[1] = len(self._started), self._wanted

    def _stop(self) -> None:
        """Let the workers finish, and kill those that do not."""
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        self._send(signal.SIGTERM)
        deadline = time.monotonic() + SHUTDOWN_TIMEOUT
        while self._started and time.monotonic() < deadline:
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


def _exit_when_orphaned(orphan_signal: int) -> None:
    """Stop this worker once the supervisor is gone, as it would hold the port."""
    os.read(orphan_signal, 1)
    os.kill(os.getpid(), signal.SIGTERM)


def _exit(_signal: int, _frame: FrameType | None) -> None:
    raise SystemExit
