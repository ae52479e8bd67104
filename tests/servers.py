"""Servers in processes of their own, and waiting for them."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]


def get_free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


def restore_sigint() -> None:
    """Handle SIGINT even if the tests run in the background, where a shell has it ignored by all children."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class LoggedProcess(subprocess.Popen[str]):
    """A process whose output is read continuously, so that it never blocks on a full pipe."""

    def __init__(self, command: list[str], **options: Any) -> None:
        super().__init__(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)
        self._lines: list[str] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.stdout
        with self.stdout:
            self._lines.extend(self.stdout)

    def communicate(self, input: str | None = None, timeout: float | None = None) -> tuple[str, str]:
        """Return the output once the process and its children have ended. Raises TimeoutExpired."""
        self.wait(timeout)
        self._reader.join(timeout)
        if self._reader.is_alive():
            raise subprocess.TimeoutExpired(self.args, timeout or 0)
        return "".join(self._lines), ""


@contextmanager
def run_server(data: Path, port: int, **environment: str) -> Iterator[subprocess.Popen[str]]:
    """Run `manage.py serve`; kill it on exit if it still runs."""
    defaults = {"DATABASE_URL": "", "PUBLIC_URL": ""}
    env = {**os.environ, **defaults, "COMPANION_DATA": str(data), "PORT": str(port), **environment}
    command = [sys.executable, "manage.py", "serve"]
    process = LoggedProcess(command, cwd=ROOT, env=env, text=True, encoding="utf-8", preexec_fn=restore_sigint)
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate(timeout=30)


@contextmanager
def serve(data: Path, **environment: str) -> Iterator[tuple[int, subprocess.Popen[str]]]:
    """Run `manage.py serve` until the end; yield the port on which it answers, and the process."""
    port = get_free_port()
    with run_server(data, port, **environment) as process:
        wait_until_serving(port, 120)
        yield port, process
        process.terminate()
        process.communicate(timeout=20)


def get_status(port: int, timeout: float = 30) -> int:
    """Return the status of a page that does not exist."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/no-such-page", timeout=timeout) as response:
            return int(response.status)
    except urllib.error.HTTPError as error:
        with error:
            return error.code


def wait_until_serving(port: int, seconds: float = 30) -> None:
    deadline = time.monotonic() + seconds
    while True:
        try:
            assert get_status(port) == 404
            return
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)


def wait_until(condition: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"not true within {seconds} s"
        time.sleep(0.002)


def get_readiness(port: int) -> dict[str, Any]:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=20) as response:
        return dict(json.loads(response.read()))
