"""`manage.py backup`: back up the running database to the backup folder or a file."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from companion.ops.backup import create, retention


class Command(BaseCommand):
    help = (
        "Write a backup of the database while it is in use: one SQLite file, whichever database it is, for `restore`. "
        "Without FILE it goes into the folder backups in the data folder, and old backups there are deleted: the last "
        f"one of each of {retention.DAYS_KEPT} days and {retention.WEEKS_KEPT} weeks is kept, none longer than "
        f"{retention.MAX_AGE.days} days. Run `backup` and then `purge` every night."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", nargs="?", type=Path, help="must not exist yet")

    def handle(self, *args: Any, file: Path | None, verbosity: int, **options: Any) -> None:
        path = (file or retention.get_free_path()).absolute()
        info = create.create_backup(path)
        deleted = [] if file else retention.rotate_backups(path, timezone.localtime().replace(tzinfo=None))
        if verbosity:
            self.stdout.write(f"{path}: {sum(info.counts.values()):,} rows, {path.stat().st_size:,} bytes.")
            for old in deleted:
                self.stdout.write(f"Deleted: {old}")
