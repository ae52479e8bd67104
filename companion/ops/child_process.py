"""A child process for what is costly, beside the one that serves: it takes neither its interpreter nor its memory."""

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
"""Phones at the tables go first."""
MAX_TASK_SECONDS = 60.0
"""For one task; the process is ended then."""
MAX_REUSE_BYTES = 200_000
"""Bytes of a task after which the process ends, for it would keep the memory that it needed."""
DONE, FAILED = b"D", b"F"
logger = logging.getLogger(__name__)


class TaskFailed(Exception):
    """The task raised an exception, which the child has logged."""


class ChildProcess:
    """A process that is started when it is first needed, and does one task after the other."""

    def __init__(self) -> None:
        self._child: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    def run(self, task: Callable[[bytes], bytes], content: bytes) -> bytes:
        """Return what the task, a function of a module, makes of the content.

        Raises TaskFailed, and ServerBusy where it took too long or the process was killed.
        """
        name = f"{task.__module__}.{task.__qualname__}"
        with self._lock:
            verdict, answer = self._ask(name.encode(), content)
            if verdict is None or len(content) > MAX_REUSE_BYTES:
                self._end()
        if verdict is None:
            raise ServerBusy
        if verdict != DONE:
            raise TaskFailed(name)
        return answer

    def _ask(self, name: bytes, content: bytes) -> tuple[bytes | None, bytes]:
        """The verdict and the answer; no verdict where the process ended, by itself or because it took too long."""
        child = self._start()
        assert child.stdin is not None and child.stdout is not None
        limit = threading.Timer(MAX_TASK_SECONDS, child.kill)
        limit.start()
        try:
            write_message(child.stdin, name)
            write_message(child.stdin, content)
            return child.stdout.read(1) or None, read_message(child.stdout)
        except (OSError, EOFError):
            return None, b""
        finally:
            limit.cancel()

    def _start(self) -> subprocess.Popen[bytes]:
        if self._child is None or self._child.poll() is not None:
            self._end()
            command = [sys.executable, "-m", "companion.ops.child_process"]
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
    """Raises EOFError where the other end is gone."""
    head = pipe.read(8)
    content = pipe.read(int.from_bytes(head)) if len(head) == 8 else b""
    if len(head) < 8 or len(content) < int.from_bytes(head):
        raise EOFError
    return content


def main() -> None:
    """Do what is asked for until the other end is gone, also in the midst of a task."""
    os.nice(NICENESS)
    tasks: queue.SimpleQueue[tuple[str, bytes]] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(tasks,), daemon=True).start()
    import django

    django.setup()
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints is no answer
    while True:
        verdict, answer = _done(*tasks.get())
        answers.write(verdict)
        write_message(answers, answer)


def _listen(tasks: queue.SimpleQueue[tuple[str, bytes]]) -> None:
    with contextlib.suppress(EOFError):
        while True:
            tasks.put((read_message(sys.stdin.buffer).decode(), read_message(sys.stdin.buffer)))
    os._exit(0)


def _done(name: str, content: bytes) -> tuple[bytes, bytes]:
    from django.utils.module_loading import import_string

    try:
        return DONE, import_string(name)(content)
    except Exception:
        logger.exception("A costly task failed.")
        return FAILED, b""


CHILD = ChildProcess()

if __name__ == "__main__":
    main()
