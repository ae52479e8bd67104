"""`manage.py restore FILE`: replace the database, SQLite or PostgreSQL, with a backup."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from companion.ops.backup import restore
from companion.ops.prompts import require_confirmation


class Command(BaseCommand):
    help = (
        "Replace the database with a backup; it may be empty, or of another kind than the one backed up. The current "
        "data is saved to the backup folder first. Stop the companion before."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--yes", action="store_true", help="do not ask for confirmation")

    def handle(self, *args: Any, file: Path, yes: bool, **options: Any) -> None:
        info = restore.check_restorable(file)
        made = f"{timezone.localtime(info.made_at):%Y-%m-%d %H:%M}"
        tables = info.counts.get("tables_table", 0)
        self.stdout.write(f"A backup of {made} with {tables:,} tables.")
        if not yes:
            require_confirmation("Replace all current data with it?")
        if previous := restore.restore_backup(file):
            self.stdout.write(f"The previous data: {previous}")
        self.stdout.write("Done. Start the companion.")
