"""Processes that work on the database of the tests, and are killed at some moment. No tests."""

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

from tests.ops.test_serve import ROOT


def address() -> str:
    """DATABASE_URL of the database of the tests."""
    own = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{own['NAME']}"
    user = f"{quote(own['USER'])}:{quote(own['PASSWORD'])}"
    return f"postgres://{user}@{quote(own['HOST'], safe='')}:{own['PORT'] or 5432}/{own['NAME']}"


@dataclass
class Killer:
    """Kills what it starts, by chance: within the time that it took the first time, or between two of its writes."""

    data: Path
    chance: random.Random = field(default_factory=lambda: random.Random(20161015))
    seconds: float = 0
    writes: int = 0
    """Statements that change rows, the first time."""

    def first(self, *what: str) -> None:
        """Does it once, to the end."""
        process = self._started("0", *what)
        began = time.monotonic()
        words, _ = process.communicate("go\n", timeout=300)
        self.seconds = time.monotonic() - began
        assert process.returncode == 0 and "done " in words, words
        self.writes = int(words.rpartition("done ")[2])

    def kill(self, *what: str) -> bool:
        """Whether it was killed before it was done."""
        process = self._started("0", *what)
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
        time.sleep(self.chance.uniform(0, self.seconds))
        process.kill()
        words, _ = process.communicate(timeout=300)
        return "done" not in words

    def kill_between_writes(self, *what: str) -> None:
        process = self._started(str(self.chance.randint(2, self.writes)), *what)
        words, _ = process.communicate("go\n", timeout=300)
        assert process.returncode < 0, words

    def _started(self, *what: str) -> subprocess.Popen[str]:
        environment = {"COMPANION_DATA": str(self.data), "DATABASE_URL": address(), "LOG_LEVEL": "ERROR"}
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.faults.doing", *what],
            cwd=ROOT,
            env={**os.environ, "DJANGO_SETTINGS_MODULE": "companion.settings", **environment},
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line == "ready\n", line + process.stdout.read()
        return process
