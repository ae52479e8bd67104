"""Temporary PostgreSQL server; as a command, runs the database tests on one."""

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
"""Tests that use a database and no browser: the default of the command."""
PROCESSES = ("-n", "3", "--dist", "worksteal")
NAME = "companion"
"""Of the superuser and of the database."""
UNSAFE_SETTINGS = ("fsync=off", "synchronous_commit=off", "full_page_writes=off")
"""For tests that do not need durability."""
RECOVERY_SETTINGS = ("recovery_init_sync_method=syncfs",)
"""Recovery after a kill would otherwise sync every file, which takes minutes on a slow disk."""


class Server:
    """A cluster that listens on a unix socket in its folder only; can be started again after `kill`."""

    def __init__(self, folder: Path, *, is_durable: bool) -> None:
        self.folder = folder
        self._settings = (
            "listen_addresses=",
            f"unix_socket_directories={folder}",
            "max_connections=200",
            *(RECOVERY_SETTINGS if sys.platform == "linux" else ()),
            *(() if is_durable else UNSAFE_SETTINGS),
        )
        self._process: subprocess.Popen[bytes] | None = None
        self._run("initdb", "-D", self._cluster, "-U", NAME, "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")

    @property
    def _cluster(self) -> str:
        return str(self.folder / "cluster")

    def url(self, name: str = NAME) -> str:
        """Return the DATABASE_URL."""
        return f"postgres://{NAME}@{str(self.folder).replace('/', '%2f')}/{name}"

    def query(self, sql: str, name: str = "postgres") -> list[tuple[Any, ...]]:
        """Return the rows of an SQL query."""
        with psycopg.connect(host=str(self.folder), user=NAME, dbname=name, autocommit=True) as connection:
            cursor = connection.execute(sql.encode())
            return cursor.fetchall() if cursor.description else []

    def new_database(self, name: str = NAME, *, template: str = "template1") -> str:
        """Create an empty database, or a copy of one without connections; return its URL."""
        self.query(f"CREATE DATABASE {name} TEMPLATE {template}")
        return self.url(name)

    def start(self) -> None:
        settings = [word for setting in self._settings for word in ("-c", setting)]
        deadline = time.monotonic() + 120
        while True:
            with open(self.folder / "log", "ab") as log:
                command = [_find_tool("postgres"), "-D", self._cluster, *settings]
                self._process = subprocess.Popen(command, stdout=log, stderr=log, **_get_process_options())
            if self._answers(deadline):
                return
            if time.monotonic() > deadline:  # the shared memory of a killed server may be in use for a while
                raise RuntimeError((self.folder / "log").read_text(errors="replace")[-2_000:])
            time.sleep(0.05)

    def _answers(self, deadline: float) -> bool:
        """Wait until the server answers or exits; return whether it answers."""
        assert self._process is not None
        while self._process.poll() is None and time.monotonic() < deadline:
            try:
                self.query("SELECT 1")
                return True
            except psycopg.OperationalError:
                time.sleep(0.02)
        return False

    def stop(self) -> None:
        """Shut the server down fast but cleanly, if it runs."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
            self._process.wait(60)

    def kill(self) -> None:
        """Kill the server and its children, each of which has its own process group."""
        assert self._process is not None
        pid = self._process.pid
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        for number in [pid, *map(int, children)]:
            try:
                os.kill(number, signal.SIGKILL)
            except ProcessLookupError:
                continue  # a short-lived child
        self._process.wait(60)

    def _run(self, tool: str, *arguments: str) -> None:
        done = subprocess.run(
            [_find_tool(tool), *arguments], capture_output=True, text=True, check=False, **_get_process_options()
        )
        if done.returncode:
            raise RuntimeError(done.stderr)


def is_installed() -> bool:
    """Return whether PostgreSQL is installed."""
    return bool(_list_binary_folders())


@contextmanager
def run_postgresql(*, is_durable: bool = False) -> Iterator[Server]:
    """Run a temporary server with an empty database."""
    folder = Path(tempfile.mkdtemp(prefix="pg-", dir="/tmp"))  # short, as a socket path has at most 107 bytes
    try:
        if os.geteuid() == 0:
            os.chown(folder, _get_nobody().pw_uid, _get_nobody().pw_gid)
        server = Server(folder, is_durable=is_durable)
        try:
            server.start()
            server.new_database()
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _list_binary_folders() -> list[str]:
    """Return the folders of the programs, newest first; Debian does not have them on PATH."""
    newest = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: -int(path.parts[-3]))
    on_path = shutil.which("initdb")
    return [str(path.parent) for path in newest] or ([str(Path(on_path).parent)] if on_path else [])


def _find_tool(name: str) -> str:
    if not is_installed():
        raise FileNotFoundError("PostgreSQL's initdb is not on this machine. On Debian: apt-get install postgresql")
    return f"{_list_binary_folders()[0]}/{name}"


def _get_process_options() -> dict[str, Any]:
    """Run as nobody instead of root, which PostgreSQL refuses."""
    options: dict[str, Any] = {"cwd": "/", "env": {**os.environ, "LC_ALL": "C"}, "start_new_session": True}
    if os.geteuid() != 0:
        return options
    return {**options, "user": _get_nobody().pw_uid, "group": _get_nobody().pw_gid, "extra_groups": []}


def _get_nobody() -> pwd.struct_passwd:
    return pwd.getpwnam("nobody")


def _exit(number: int, _frame: FrameType | None) -> None:
    raise SystemExit(128 + number)


def main(arguments: Sequence[str]) -> int:
    """Run pytest with the arguments, by default on PATHS; return its exit code."""
    signal.signal(signal.SIGTERM, _exit)  # so that the server is stopped
    with run_postgresql() as server:
        command = [sys.executable, "-m", "pytest", *(arguments or [*PROCESSES, *PATHS])]
        tests = subprocess.Popen(command, env={**os.environ, "DATABASE_URL": server.url()})
        try:
            return tests.wait()
        finally:
            if tests.poll() is None:  # gently: the tests have servers to stop
                tests.send_signal(signal.SIGINT)
                tests.wait(60)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
