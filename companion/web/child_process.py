"""Child process for costly tasks, so that they use neither the interpreter nor the memory of the server."""

import contextlib
import logging
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable
from multiprocessing.connection import Connection, Pipe
from pathlib import Path

from django.utils.module_loading import import_string

from companion.web.concurrency import ServerBusy

ROOT = Path(__file__).resolve().parents[2]
NICENESS = 5
"""Requests take precedence."""
MAX_TASK_SECONDS = 60.0
"""Time limit of one task; the process is killed after it."""
MAX_REUSE_BYTES = 200_000
"""Input size after which the process is ended, as it would keep the memory it needed."""
Task = Callable[[bytes], bytes]
"""A module-level function."""
DONE, FAILED = b"D", b"F"
"""First byte of an answer."""
logger = logging.getLogger(__name__)


class TaskFailed(Exception):
    """The task raised an exception, which the child has logged."""


class ChildProcess:
    """A process that is started on first use and runs one task at a time."""

    def __init__(self) -> None:
        self._child: subprocess.Popen[bytes] | None = None
        self._pipe: Connection | None = None
        self._lock = threading.Lock()

    def run(self, task: Task, content: bytes) -> bytes:
        """Return the result of the task for the content.

        Raises TaskFailed, and ServerBusy if it took too long or the process was killed.
        """
        with self._lock:
            try:
                answer = self._send_task(task, content)
            except (OSError, EOFError) as error:
                self._end()
                raise ServerBusy from error
            if len(content) > MAX_REUSE_BYTES:
                self._end()
        if not answer.startswith(DONE):
            raise TaskFailed(task.__qualname__)
        return answer.removeprefix(DONE)

    def _send_task(self, task: Task, content: bytes) -> bytes:
        """Return the child's answer. Raises OSError or EOFError if the process ended, or took too long."""
        pipe = self._start()
        pipe.send_bytes(f"{task.__module__}.{task.__qualname__}\n".encode() + content)
        if not pipe.poll(MAX_TASK_SECONDS):
            raise TimeoutError
        return pipe.recv_bytes()

    def _start(self) -> Connection:
        """Return the pipe to the child, which is started unless it runs."""
        if self._child is None or self._pipe is None or self._child.poll() is not None:
            self._end()
            self._pipe, other_end = Pipe()
            command = [sys.executable, "-m", "companion.web.child_process", str(other_end.fileno())]
            with other_end:
                self._child = subprocess.Popen(command, cwd=ROOT, pass_fds=[other_end.fileno()])
        return self._pipe

    def _end(self) -> None:
        if self._child is not None and self._pipe is not None:
            self._child.kill()
            self._child.wait()
            self._pipe.close()
        self._child = self._pipe = None


def main() -> None:
    """Run tasks until the other end is gone, even in the middle of a task."""
    os.nice(NICENESS)
    import django

    django.setup()
    pipe = Connection(int(sys.argv[1]))
    tasks: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(pipe, tasks), daemon=True).start()
    while True:
        pipe.send_bytes(_run_task(tasks.get()))


def _listen(pipe: Connection, tasks: queue.SimpleQueue[bytes]) -> None:
    with contextlib.suppress(OSError, EOFError):
        while True:
            tasks.put(pipe.recv_bytes())
    os._exit(0)


def _run_task(message: bytes) -> bytes:
    try:
        name, _newline, content = message.partition(b"\n")
        task: Task = import_string(name.decode())
        return DONE + task(content)
    except Exception:
        logger.exception("A costly task failed.")
        return FAILED


CHILD = ChildProcess()

if __name__ == "__main__":
    main()
