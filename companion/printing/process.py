"""The process that draws PDFs, beside the one that serves: a long one takes neither its interpreter nor its memory."""

from __future__ import annotations

import contextlib
import os
import queue
import subprocess
import sys
import threading
from pathlib import Path
from typing import IO

from companion.web.concurrency import ServerBusy

ROOT = Path(__file__).resolve().parents[2]
NICENESS = 5
"""Phones at the tables go first."""
MOST_SECONDS = 60.0
"""For one PDF; the process is ended then."""
LARGEST_KEPT = 200_000
"""Characters of a page after which the process ends, for it would keep the memory that it needed."""
DRAWN, IMPOSSIBLE, FAILED = b"D", b"I", b"F"


class DrawingFailed(Exception):
    """The page cannot be drawn."""


class DrawingImpossible(Exception):
    """This machine lacks the libraries that draw a PDF."""


class PdfProcess:
    """A child process that is started when the first PDF is wanted; it draws one after the other."""

    def __init__(self) -> None:
        self._child: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    def draw(self, html: str) -> bytes:
        """Return the page as a PDF.

        Raises DrawingImpossible, DrawingFailed, and ServerBusy where it took too long or the process was killed.
        """
        with self._lock:
            verdict, content = self._ask(html.encode())
            if verdict is None or len(html) > LARGEST_KEPT:
                self._end()
        if verdict is None:
            raise ServerBusy
        if verdict == IMPOSSIBLE:
            raise DrawingImpossible
        if verdict != DRAWN:
            raise DrawingFailed
        return content

    def _ask(self, content: bytes) -> tuple[bytes | None, bytes]:
        """The verdict and the PDF; no verdict where the process ended, by itself or because it took too long."""
        child = self._start()
        assert child.stdin is not None and child.stdout is not None
        limit = threading.Timer(MOST_SECONDS, child.kill)
        limit.start()
        try:
            write_message(child.stdin, content)
            return child.stdout.read(1) or None, read_message(child.stdout)
        except (OSError, EOFError):
            return None, b""
        finally:
            limit.cancel()

    def _start(self) -> subprocess.Popen[bytes]:
        if self._child is None or self._child.poll() is not None:
            self._end()
            command = [sys.executable, "-m", "companion.printing.process"]
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
    """Draw what is asked for until the other end is gone, also in the midst of a page."""
    os.nice(NICENESS)
    pages: queue.SimpleQueue[str] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(pages,), daemon=True).start()
    import django

    django.setup()
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints is no answer
    while True:
        verdict, content = _drawn(pages.get())
        answers.write(verdict)
        write_message(answers, content)


def _listen(pages: queue.SimpleQueue[str]) -> None:
    with contextlib.suppress(EOFError):
        while True:
            pages.put(read_message(sys.stdin.buffer).decode())
    os._exit(0)


def _drawn(html: str) -> tuple[bytes, bytes]:
    from companion import papers

    try:
        return DRAWN, papers.pdf(html)
    except papers.NoPdf:
        return IMPOSSIBLE, b""
    except Exception:
        import logging

        logging.getLogger(__name__).exception("A PDF could not be drawn.")
        return FAILED, b""


PDF_PROCESS = PdfProcess()

if __name__ == "__main__":
    main()
