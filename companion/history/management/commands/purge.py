"""Management command `purge`: permanently deletes binned tables and expired data."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from companion.history import cleanup
from companion.tables.models import BIN_RETENTION


class Command(BaseCommand):
    help = (
        f"Permanently delete tables that have been in the bin for {BIN_RETENTION.days} days, expired invitations, "
        "links and files, and phones whose cookie has expired. Run it nightly after `backup`; `serve` also runs it "
        "when it starts. SQLite overwrites the deleted bytes; PostgreSQL reuses the space after a vacuum."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--dry-run", action="store_true", help="print what would be deleted, and delete nothing")

    def handle(self, *args: Any, dry_run: bool, verbosity: int, **options: Any) -> None:
        counts = cleanup.count_expired() if dry_run else cleanup.purge()
        if verbosity:
            summary = ", ".join(f"{count:,} {name}" for name, count in counts.items() if count) or "nothing"
            self.stdout.write(f"To be deleted: {summary}." if dry_run else f"Deleted: {summary}.")
