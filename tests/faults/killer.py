"""Commands on the test database that are killed at random."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from django.db import connection

from tests.servers import ROOT


def get_database_url() -> str:
    """Return the DATABASE_URL of the test database."""
    config = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{config['NAME']}"
    user = f"{quote(config['USER'])}:{quote(config['PASSWORD'])}"
    return f"postgres://{user}@{quote(config['HOST'], safe='')}:{config['PORT'] or 5432}/{config['NAME']}"


@dataclass
class Killer:
    """Run commands and kill them at a random time or between two random writes, based on one complete run."""

    data: Path
    rng: random.Random = field(default_factory=lambda: random.Random(20161015))
    seconds: float = 0
    writes: int = 0
    """Row-changing statements of the complete run."""

    def run(self, *command: str) -> None:
        """Run the command once to completion."""
        process = self._start("0", *command)
        started = time.monotonic()
        output, _ = process.communicate("go\n", timeout=300)
        self.seconds = time.monotonic() - started
        assert process.returncode == 0 and "done " in output, output
        self.writes = int(output.rpartition("done ")[2])

    def kill(self, *command: str) -> bool:
        """Kill the command at a random time; return whether it was still running."""
        process = self._start("0", *command)
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
        time.sleep(self.rng.uniform(0, self.seconds))
        process.kill()
        output, _ = process.communicate(timeout=300)
        return "done" not in output

    def kill_between_writes(self, *command: str) -> None:
        process = self._start(str(self.rng.randint(2, self.writes)), *command)
        output, _ = process.communicate("go\n", timeout=300)
        assert process.returncode < 0, output

    def _start(self, *command: str) -> subprocess.Popen[str]:
        environment = {"COMPANION_DATA": str(self.data), "DATABASE_URL": get_database_url(), "LOG_LEVEL": "ERROR"}
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.faults.child_task", *command],
            cwd=ROOT,
            env={**os.environ, "DJANGO_SETTINGS_MODULE": "companion.settings", **environment},
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        assert process.stdout is not None
        output = process.stdout.readline()
        assert output == "ready\n", output + process.stdout.read()
        return process
