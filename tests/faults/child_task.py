"""Management command that can kill itself: `python -m tests.faults.child_task WRITE COMMAND ARGUMENT...`.

The process kills itself before row-changing statement number WRITE; 0 for never.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any


def run_task(command: str, *arguments: str) -> None:
    from django.core.management import call_command

    if command == "import_file":
        import_file(*arguments)
    else:
        call_command(command, *arguments, verbosity=0)


def import_file(circle: str, path: str) -> None:
    from companion.exchange import detect, importer, name_matching
    from companion.people.models import Circle

    importing_circle, file = Circle.objects.get(pk=int(circle)), Path(path)
    upload = detect.parse_upload(file.read_bytes(), file.name)
    importer.import_tables(name_matching.match_file(importing_circle, upload))


class WriteCounter:
    """Count row-changing statements, and kill the process before number `last`."""

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

    writes = WriteCounter(int(sys.argv[1]))
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.readline()
    with connection.execute_wrapper(writes):
        run_task(*sys.argv[2:])
    sys.stdout.write(f"done {writes.count}\n")


if __name__ == "__main__":
    main()
