"""`manage.py purge`: deletes for good what has been in the bin for long, and what nobody can use any more."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from companion.db.data_lock import DataFolderInUse
from companion.history import cleanup
from companion.tables.services.entries import BIN_RETENTION


class Command(BaseCommand):
    help = (
        f"Delete for good the tables that have been in the bin for {BIN_RETENTION.days} days, expired invitations, "
        "links and files, and phones that have not been seen for so long that they have forgotten it. A nightly job "
        "calls it after `backup`, and `serve` does when it starts. In SQLite the bytes are overwritten; PostgreSQL "
        "uses the space again after it has vacuumed."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--dry-run", action="store_true", help="only say what would be deleted")

    def handle(self, *args: Any, dry_run: bool, verbosity: int, **options: Any) -> None:
        try:
            counts = cleanup.count_expired() if dry_run else cleanup.purge()
        except DataFolderInUse as error:
            raise CommandError(str(error)) from error
        if verbosity:
            said = ", ".join(f"{count:,} {name}" for name, count in counts.items() if count) or "nothing"
            self.stdout.write(f"To be deleted: {said}." if dry_run else f"Deleted: {said}.")
