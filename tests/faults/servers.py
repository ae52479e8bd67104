"""App servers that can be killed with their workers, and their data folders."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from django.conf import settings

from tests.servers import ROOT, get_free_port, wait_until_serving

_PREPARED_COMMAND = ("-m", "tests.faults.serve_prepared")
SERVE_COMMAND = ("manage.py", "serve")
"""Slower to start, but needs no prepared folder."""
SECRET_KEY = "a key that all servers of one test share 0123456789-0123456789"


def prepare_data_folder(data: Path, url: str = "") -> Path:
    """Create a folder with static files; migrate its database or the one at the URL."""
    data.mkdir(exist_ok=True)
    (data / "static").symlink_to(settings.STATIC_ROOT)
    migrate = [sys.executable, "manage.py", "migrate", "--verbosity", "0"]
    subprocess.run(migrate, cwd=ROOT, env=_build_environment(data, url), check=True, capture_output=True)
    return data


def copy_data_folder(prepared: Path, data: Path) -> Path:
    """Copy a prepared, unused folder."""
    return Path(shutil.copytree(prepared, data, symlinks=True))


def _build_environment(data: Path, url: str, **more: str) -> dict[str, str]:
    env = {"COMPANION_DATA": str(data), "DATABASE_URL": url, "SECRET_KEY": SECRET_KEY, "PUBLIC_URL": "", "TZ": "UTC"}
    return {**os.environ, **env, **more}


class AppServer:
    """A server on a free port that can be restarted."""

    def __init__(
        self,
        data: Path,
        url: str = "",
        *,
        wrapper: Sequence[str] = (),
        command: Sequence[str] = _PREPARED_COMMAND,
        **environment: str,
    ) -> None:
        self.data, self.port = data, get_free_port()
        self._command = [*wrapper, sys.executable, *command]
        self._environment = _build_environment(data, url, PORT=str(self.port), **environment)
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
        wait_until_serving(self.port, 120)

    def send_signal(self, number: signal.Signals) -> None:
        """Send a signal to all processes of the group."""
        assert self._process is not None
        os.killpg(self._process.pid, number)

    def kill(self) -> None:
        """Kill the server, if it runs, without any cleanup."""
        if self._process is not None and self._process.poll() is None:
            self.send_signal(signal.SIGKILL)
            self._process.wait(30)

    def stop(self) -> int:
        """Terminate the server; return its exit code."""
        assert self._process is not None
        self._process.terminate()
        return self._process.wait(30)

    @property
    def log(self) -> str:
        """The output so far."""
        return (self.data / "log").read_text(errors="replace")
