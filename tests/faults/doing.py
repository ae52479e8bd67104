"""One thing that a test kills at some moment: `python -m tests.faults.doing WHAT ARGUMENT...`. No tests."""

from __future__ import annotations

import sys
from pathlib import Path


def do(what: str, *arguments: str) -> None:
    from django.core.management import call_command

    if what == "take_in":
        take_in(*arguments)
    else:
        call_command(what, *arguments, verbosity=0)


def take_in(circle: str, path: str) -> None:
    from companion.history.exchange import choosing, matching, reading, taking
    from companion.people.models import Circle

    own, file = Circle.objects.get(pk=int(circle)), Path(path)
    parcel = reading.read(file.read_bytes(), file.name)
    taking.take_in(own, parcel, choosing.usual(matching.matched(own, parcel)))


def main() -> None:
    import django

    django.setup()
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.readline()
    do(*sys.argv[1:])
    sys.stdout.write("done\n")


if __name__ == "__main__":
    main()
