"""One thing that a test kills, or that kills itself: `python -m tests.faults.doing WRITE WHAT ARGUMENT...`. No tests.

WRITE is the number of the row-changing statement before which it ends at once, 0 for none.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any


def do(what: str, *arguments: str) -> None:
    from django.core.management import call_command

    if what == "take_in":
        take_in(*arguments)
    else:
        call_command(what, *arguments, verbosity=0)


def take_in(circle: str, path: str) -> None:
    from companion.exchange import detect, importer, match_choices, matching
    from companion.people.models import Circle

    own, file = Circle.objects.get(pk=int(circle)), Path(path)
    parcel = detect.parse_upload(file.read_bytes(), file.name)
    importer.import_tables(own, parcel, match_choices.get_default_choices(matching.match_file(own, parcel)))


class Writes:
    """Counts what changes rows, and ends the process before the one of that number."""

    def __init__(self, last: int) -> None:
        self.last = last
        self.count = 0

    def __call__(self, execute: Callable[..., Any], sql: Any, params: Any, many: bool, context: Any) -> Any:
        if str(sql).startswith(("INSERT", "UPDATE", "DELETE")):
            self.count += 1
            if self.count == self.last:
                os.kill(os.getpid(), signal.SIGKILL)
        return execute(sql, params, many, context)


def main() -> None:
    import django

    django.setup()
    from django.db import connection

    writes = Writes(int(sys.argv[1]))
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.readline()
    with connection.execute_wrapper(writes):
        do(*sys.argv[2:])
    sys.stdout.write(f"done {writes.count}\n")


if __name__ == "__main__":
    main()
