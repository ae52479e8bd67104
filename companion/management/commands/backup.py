"""`manage.py backup`: a backup of the running database, into the folder of backups or a file."""

from __future__ import annotations

from argparse import ArgumentParser
from datetime import datetime
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from companion.ops.backup import create, retention


class Command(BaseCommand):
    help = (
        "Write a backup of the database, while it is in use: one SQLite file, whatever the database is, to be put back "
        "with `restore`. Without FILE it goes into the folder backups among the data, and older ones there are "
        f"deleted: the last of each of {retention.DAILY} days and of {retention.WEEKLY} weeks are kept, none for "
        f"longer than {retention.LONGEST.days} days. A nightly job calls `backup` and then `purge`."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", nargs="?", type=Path, help="where to; must not be there yet")

    def handle(self, *args: Any, file: Path | None, verbosity: int, **options: Any) -> None:
        path = (file or retention.new_path()).absolute()
        try:
            described = create.make(path)
        except create.BackupFailed as error:
            raise CommandError(str(error)) from error
        gone = [] if file else retention.rotate(path, _now())
        if verbosity:
            self.stdout.write(f"{path}: {sum(described.counts.values()):,} rows, {path.stat().st_size:,} bytes.")
            for old in gone:
                self.stdout.write(f"Deleted: {old}")


def _now() -> datetime:
    """The machine's own time, as names of files have it."""
    return timezone.localtime().replace(tzinfo=None)
