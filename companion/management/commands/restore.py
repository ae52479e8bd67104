"""`manage.py restore FILE`: puts a backup in the place of the running database, SQLite or PostgreSQL."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from companion.db.data_lock import DataFolderInUse
from companion.ops.backup import create, restore
from companion.ops.backup.checksum import BadBackup
from companion.ops.prompts import confirm


class Command(BaseCommand):
    help = (
        "Put a backup in the place of the database, which may be empty, or another kind than the one it was made of. "
        "What is there now is kept in the folder of backups. Stop the companion first."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--yes", action="store_true", help="do not ask")

    def handle(self, *args: Any, file: Path, yes: bool, **options: Any) -> None:
        try:
            described = restore.check_restorable(file)
            made = f"{timezone.localtime(described.made_at):%Y-%m-%d %H:%M}"
            tables = described.counts.get("tables_table", 0)
            self.stdout.write(f"A backup of {made} with {tables:,} tables.")
            if not (yes or confirm("Put it in the place of all that is there now?")):
                raise CommandError("Nothing has changed.")
            restored = restore.restore_backup(file)
        except (BadBackup, create.BackupFailed, DataFolderInUse) as error:
            raise CommandError(str(error)) from error
        if restored.former:
            self.stdout.write(f"What was there before: {restored.former}")
        self.stdout.write("Done. Start the companion.")
