"""Supervisor that starts worker processes and replaces those that die."""

import logging
import mmap
import os
import signal
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
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
        self._started: dict[BaseProcess, float] = {}
        """Start time by worker."""
        self._orphan_signal, self._lifeline = os.pipe()  # only the supervisor holds the lifeline, as long as it lives

    def run(self) -> None:
        """Serve until SIGTERM or Ctrl-C."""
        signal.signal(signal.SIGTERM, _exit)
        try:
            for _worker in range(self._wanted):
                self._start()
            while True:
                wait([worker.sentinel for worker in self._started])
                for worker in [worker for worker in self._started if not worker.is_alive()]:
                    self._replace(worker)
        except (KeyboardInterrupt, SystemExit):
            pass
        finally:
            self._stop()

    def _start(self) -> None:
        worker = get_context("fork").Process(target=self._work)
        worker.start()
        self._started[worker] = time.monotonic()
        self._publish_counts()

    def _work(self) -> None:
        os.close(self._lifeline)
        threading.Thread(target=_exit_when_orphaned, args=(self._orphan_signal,), daemon=True).start()
        with suppress(KeyboardInterrupt):
            self._serve()

    def _replace(self, worker: BaseProcess) -> None:
        started = self._started.pop(worker)
        self._publish_counts()
        if time.monotonic() - started < MIN_LIFETIME:
            time.sleep(RESTART_DELAY)
        self._start()
        code = worker.exitcode or 0
        reason = f"signal {-code}" if code < 0 else f"exit code {code}"
        serving = f"{len(self._started)} of {self._wanted} serve"
        text = f"Worker process {worker.pid} died ({reason}) and was replaced: {serving}."
        log_unredacted(logger, logging.WARNING, text)

    def _publish_counts(self) -> None:
        _shared_counts[0], _shared_counts[1] = len(self._started), self._wanted

    def _stop(self) -> None:
        """Let the workers finish, and kill those that do not."""
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        for worker in self._started:
            worker.terminate()
        deadline = time.monotonic() + SHUTDOWN_TIMEOUT
        for worker in self._started:
            worker.join(max(0, deadline - time.monotonic()))
            worker.kill()


def _exit_when_orphaned(orphan_signal: int) -> None:
    """Stop this worker once the supervisor is gone, as it would hold the port."""
    os.read(orphan_signal, 1)
    os.kill(os.getpid(), signal.SIGTERM)


def _exit(_signal: int, _frame: FrameType | None) -> None:
    raise SystemExit
