"""A PostgreSQL of a run's own under /tmp; as a command, it runs on one what tests touch a database and no browser."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import psycopg

PATHS = (
    "tests/api",
    "tests/db/test_settings.py",
    "tests/exchange",
    "tests/faults",
    "tests/history",
    "tests/middleware",
    "tests/ops/backup",
    "tests/people",
    "tests/releases",
    "tests/tables",
    "tests/web",
    "tests/test_app.py",
)
"""What touches a database and no browser: what runs when nothing else is asked for."""
PROCESSES = ("-n", "3", "--dist", "worksteal")
NAME = "companion"
"""Of the user, who may do everything, and of the database."""
HASTE = ("fsync=off", "synchronous_commit=off", "full_page_writes=off")
"""For tests that do not ask what survives a crash."""
AFTER_KILLS = ("recovery_init_sync_method=syncfs",)
"""Else each of a thousand files is synced by itself after a kill: for minutes, where the disk is slow."""


class Server:
    """A cluster in a folder of its own, which is on a unix socket there only; the same again after `kill`."""

    def __init__(self, folder: Path, *, haste: bool) -> None:
        self.folder = folder
        self._settings = (
            "listen_addresses=",
            f"unix_socket_directories={folder}",
            "max_connections=200",
            *(AFTER_KILLS if sys.platform == "linux" else ()),
            *(HASTE if haste else ()),
        )
        self._process: subprocess.Popen[bytes] | None = None
        self._run("initdb", "-D", self._cluster, "-U", NAME, "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")

    @property
    def _cluster(self) -> str:
        return str(self.folder / "cluster")

    def url(self, name: str = NAME) -> str:
        """For DATABASE_URL."""
        return f"postgres://{NAME}@{str(self.folder).replace('/', '%2f')}/{name}"

    def rows(self, query: str, name: str = "postgres") -> list[tuple[Any, ...]]:
        """What a query of plain SQL answers."""
        with psycopg.connect(host=str(self.folder), user=NAME, dbname=name, autocommit=True) as connection:
            found = connection.execute(query.encode())
            return found.fetchall() if found.description else []

    def new_database(self, name: str = NAME, *, like: str = "template1") -> str:
        """A copy of an empty database, or of another that nobody is connected to; its URL."""
        self.rows(f"CREATE DATABASE {name} TEMPLATE {like}")
        return self.url(name)

    def start(self) -> None:
        settings = [word for setting in self._settings for word in ("-c", setting)]
        deadline = time.monotonic() + 120
        while True:
            with open(self.folder / "log", "ab") as log:
                command = [_tool("postgres"), "-D", self._cluster, *settings]
                self._process = subprocess.Popen(command, stdout=log, stderr=log, **_as_whom())
            if self._answers(deadline):
                return
            if time.monotonic() > deadline:  # until then the shared memory of a killed one may be in use
                raise RuntimeError((self.folder / "log").read_text(errors="replace")[-2_000:])
            time.sleep(0.05)

    def _answers(self, deadline: float) -> bool:
        """Whether it serves, once it does or has given up."""
        assert self._process is not None
        while self._process.poll() is None and time.monotonic() < deadline:
            try:
                self.rows("SELECT 1")
                return True
            except psycopg.OperationalError:
                time.sleep(0.02)
        return False

    def stop(self) -> None:
        """At once but in order; nothing where it does not run."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
            self._process.wait(60)

    def kill(self) -> None:
        """All of its processes, in the middle of whatever they do: each of its children has a group of its own."""
        assert self._process is not None
        pid = self._process.pid
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        for number in [pid, *map(int, children)]:
            try:
                os.kill(number, signal.SIGKILL)
            except ProcessLookupError:
                continue  # one of those that come and go
        self._process.wait(60)

    def _run(self, tool: str, *arguments: str) -> None:
        done = subprocess.run([_tool(tool), *arguments], capture_output=True, text=True, check=False, **_as_whom())
        if done.returncode:
            raise RuntimeError(done.stderr)


def is_here() -> bool:
    """Whether the machine has what it takes."""
    return bool(_folders())


@contextmanager
def running(*, haste: bool = True) -> Iterator[Server]:
    """A server with an empty database, which is gone afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="pg-", dir="/tmp"))  # short: the address of a socket has 107 letters at most
    try:
        if os.geteuid() == 0:
            os.chown(folder, _nobody().pw_uid, _nobody().pw_gid)
        server = Server(folder, haste=haste)
        try:
            server.start()
            server.new_database()
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _folders() -> list[str]:
    """Where its programs lie, the newest first; Debian has them on no path."""
    newest = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: -int(path.parts[-3]))
    on_path = shutil.which("initdb")
    return [str(path.parent) for path in newest] or ([str(Path(on_path).parent)] if on_path else [])


def _tool(name: str) -> str:
    if not is_here():
        raise FileNotFoundError("PostgreSQL's initdb is not on this machine. On Debian: apt-get install postgresql")
    return f"{_folders()[0]}/{name}"


def _as_whom() -> dict[str, Any]:
    """It refuses to be run by root."""
    own: dict[str, Any] = {"cwd": "/", "env": {**os.environ, "LC_ALL": "C"}, "start_new_session": True}
    if os.geteuid() != 0:
        return own
    return {**own, "user": _nobody().pw_uid, "group": _nobody().pw_gid, "extra_groups": []}


def _nobody() -> pwd.struct_passwd:
    return pwd.getpwnam("nobody")


def _leave(number: int, _frame: FrameType | None) -> None:
    raise SystemExit(128 + number)


def main(arguments: Sequence[str]) -> int:
    """Runs pytest with the arguments, by default on all of `PATHS`; its exit code."""
    signal.signal(signal.SIGTERM, _leave)  # so that the server is stopped then, too
    with running() as server:
        command = [sys.executable, "-m", "pytest", *(arguments or [*PROCESSES, *PATHS])]
        tests = subprocess.Popen(command, env={**os.environ, "DATABASE_URL": server.url()})
        try:
            return tests.wait()
        finally:
            if tests.poll() is None:  # gently: it has servers of its own to stop
                tests.send_signal(signal.SIGINT)
                tests.wait(60)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
