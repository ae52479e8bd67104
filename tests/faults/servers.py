"""App servers that start within a second and can be killed with their workers, and their data folders."""

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

_PREPARED_COMMAND = ("-m", "tests.faults.serve_prepared")
SERVE_COMMAND = ("manage.py", "serve")
"""Two ways to start; the first one needs a prepared folder."""
KEY = "a key that all machines of one test share, and nobody else 0123456789"


def prepare_data_folder(data: Path, url: str = "") -> Path:
    """Create a folder with static files, and migrate its database or that at the URL."""
    data.mkdir(exist_ok=True)
    (data / "static").symlink_to(settings.STATIC_ROOT)
    migrate = [sys.executable, "manage.py", "migrate", "--verbosity", "0"]
    subprocess.run(migrate, cwd=ROOT, env=_environment(data, url), check=True, capture_output=True)
    return data


def copy_data_folder(ready: Path, data: Path) -> Path:
    """Copy a prepared, unused folder."""
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
        way: Sequence[str] = _PREPARED_COMMAND,
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
        """Start a new process group, and wait until it answers."""
        with open(self.data / "log", "ab") as log:
            self._process = subprocess.Popen(
                self._command, cwd=ROOT, env=self._environment, stdout=log, stderr=log, start_new_session=True
            )
        wait_until_it_answers(self.port, 120)

    def send(self, number: signal.Signals) -> None:
        """Send a signal to all processes of the group."""
        assert self._process is not None
        os.killpg(self._process.pid, number)

    def kill(self) -> None:
        """Kill the server if it runs, as a power cut would."""
        if self._process is not None and self._process.poll() is None:
            self.send(signal.SIGKILL)
            self._process.wait(30)

    def stop(self) -> int:
        """Stop the server as a service manager does; return the exit code."""
        assert self._process is not None
        self._process.terminate()
        return self._process.wait(30)

    @property
    def words(self) -> str:
        """The log so far."""
        return (self.data / "log").read_text(errors="replace")
