"""Child process for costly tasks, so that they use neither the interpreter nor the memory of the server."""

from __future__ import annotations

import contextlib
import logging
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import IO

from companion.web.concurrency import ServerBusy

ROOT = Path(__file__).resolve().parents[2]
NICENESS = 5
"""Requests take precedence."""
MAX_TASK_SECONDS = 60.0
"""Time limit of one task; the process is killed after it."""
MAX_REUSE_BYTES = 200_000
"""Input size after which the process is ended, as it would keep the memory it needed."""
DONE, FAILED = b"D", b"F"
logger = logging.getLogger(__name__)


class TaskFailed(Exception):
    """The task raised an exception, which the child has logged."""


class ChildProcess:
    """A process that is started on first use and runs one task at a time."""

    def __init__(self) -> None:
        self._child: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    def run(self, task: Callable[[bytes], bytes], content: bytes) -> bytes:
        """Return the result of the task, a module-level function, for the content.

        Raises TaskFailed, and ServerBusy if it took too long or the process was killed.
        """
        name = f"{task.__module__}.{task.__qualname__}"
        with self._lock:
            status, result = self._send_task(name.encode(), content)
            if status is None or len(content) > MAX_REUSE_BYTES:
                self._end()
        if status is None:
            raise ServerBusy
        if status != DONE:
            raise TaskFailed(name)
        return result

    def _send_task(self, name: bytes, content: bytes) -> tuple[bytes | None, bytes]:
        """Return status and result; the status is None if the process ended or was killed."""
        child = self._start()
        assert child.stdin is not None and child.stdout is not None
        timer = threading.Timer(MAX_TASK_SECONDS, child.kill)
        timer.start()
        try:
            write_message(child.stdin, name)
            write_message(child.stdin, content)
            return child.stdout.read(1) or None, read_message(child.stdout)
        except (OSError, EOFError):
            return None, b""
        finally:
            timer.cancel()

    def _start(self) -> subprocess.Popen[bytes]:
        if self._child is None or self._child.poll() is not None:
            self._end()
            command = [sys.executable, "-m", "companion.web.child_process"]
            self._child = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        return self._child

    def _end(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.kill()
            with contextlib.suppress(OSError):
                child.communicate()


def write_message(pipe: IO[bytes], content: bytes) -> None:
    pipe.write(len(content).to_bytes(8) + content)
    pipe.flush()


def read_message(pipe: IO[bytes]) -> bytes:
    """Read one message. Raises EOFError if the other end is gone."""
    head = pipe.read(8)
    content = pipe.read(int.from_bytes(head)) if len(head) == 8 else b""
    if len(head) < 8 or len(content) < int.from_bytes(head):
        raise EOFError
    return content


def main() -> None:
    """Run tasks until the other end is gone, even in the middle of a task."""
    os.nice(NICENESS)
    tasks: queue.SimpleQueue[tuple[str, bytes]] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(tasks,), daemon=True).start()
    import django

    django.setup()
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # libraries that print must not write into the results
    while True:
        status, result = _run_task(*tasks.get())
        output.write(status)
        write_message(output, result)


def _listen(tasks: queue.SimpleQueue[tuple[str, bytes]]) -> None:
    with contextlib.suppress(EOFError):
        while True:
            tasks.put((read_message(sys.stdin.buffer).decode(), read_message(sys.stdin.buffer)))
    os._exit(0)


def _run_task(name: str, content: bytes) -> tuple[bytes, bytes]:
    from django.utils.module_loading import import_string

    try:
        return DONE, import_string(name)(content)
    except Exception:
        logger.exception("A costly task failed.")
        return FAILED, b""


CHILD = ChildProcess()

if __name__ == "__main__":
    main()
