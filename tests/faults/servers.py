"""Servers of the app that start in a second, and are killed with all that they have forked; folders ready for them."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from django.conf import settings

from tests.ops.test_serve import ROOT, free_port, wait_until_it_answers

_QUICKLY = ("-m", "tests.faults.served")
AS_EVER = ("manage.py", "serve")
"""Two ways to start; the quick one finds all made ready."""
KEY = "a key that all machines of one test share, and nobody else 0123456789"


def made_ready(data: Path, url: str = "") -> Path:
    """The folder with a migrated database, its own or the one at the URL, and the files that pages ask for."""
    data.mkdir(exist_ok=True)
    (data / "static").symlink_to(settings.STATIC_ROOT)
    migrate = [sys.executable, "manage.py", "migrate", "--verbosity", "0"]
    subprocess.run(migrate, cwd=ROOT, env=_environment(data, url), check=True, capture_output=True)
    return data


def copied(ready: Path, data: Path) -> Path:
    """Another folder made ready, from one that has not been served from."""
    return Path(shutil.copytree(ready, data, symlinks=True))


def _environment(data: Path, url: str, **more: str) -> dict[str, str]:
    own = {"COMPANION_DATA": str(data), "DATABASE_URL": url, "SECRET_KEY": KEY, "PUBLIC_URL": "", "TZ": "UTC"}
    return {**os.environ, **own, **more}


class AppServer:
    """One server on a port of its own, started as often as it is asked for."""

    def __init__(
        self,
        data: Path,
        url: str = "",
        *,
        under: Sequence[str] = (),
        way: Sequence[str] = _QUICKLY,
        **environment: str,
    ) -> None:
        self.data, self.port = data, free_port()
        self._command = [*under, sys.executable, *way]
        self._environment = _environment(data, url, PORT=str(self.port), **environment)
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> AppServer:
        self.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self.kill()

    def start(self) -> None:
        """A process group of its own, which answers."""
        with open(self.data / "log", "ab") as log:
            self._process = subprocess.Popen(
                self._command, cwd=ROOT, env=self._environment, stdout=log, stderr=log, start_new_session=True
            )
        wait_until_it_answers(self.port, 120)

    def send(self, number: signal.Signals) -> None:
        """To all processes of the group."""
        assert self._process is not None
        os.killpg(self._process.pid, number)

    def kill(self) -> None:
        """As a power cut does; nothing where it does not run."""
        if self._process is not None and self._process.poll() is None:
            self.send(signal.SIGKILL)
            self._process.wait(30)

    def stop(self) -> int:
        """As a service does; the exit code."""
        assert self._process is not None
        self._process.terminate()
        return self._process.wait(30)

    @property
    def words(self) -> str:
        """What it has said so far."""
        return (self.data / "log").read_text(errors="replace")
