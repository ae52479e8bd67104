"""Management command `verify`: compares every log with the data derived from it."""

import time
from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from companion.games import get_broken_games
from companion.history.statistics import aggregation
from companion.tables.models import Table
from companion.tables.services.integrity import Difference, TableCheck, check_sample, check_tables

PROGRESS_EVERY = 5
"""Seconds between progress lines."""


class Command(BaseCommand):
    help = "Replay every log, compare it with the stored results and statistics, and exit 1 if they differ."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--sample", type=int, metavar="N", help="check only N tables: the newest, and a random sample"
        )

    def handle(self, *args: Any, sample: int | None, verbosity: int, **options: Any) -> None:
        count = 0
        for found in self.check_all(verbosity) if sample is None else check_sample(max(sample, 1)):
            count += 1
            self.stdout.write(
                f"{found.table}  {found.column}: stored {found.stored!r}, but the log says {found.expected!r}"
            )
        if count:
            raise CommandError(f"{count} differences.")
        if skipped := Table.objects.filter(game__in=get_broken_games()).count():
            self.stderr.write(f"Skipped tables of games that cannot be loaded: {skipped}. Run `doctor`.")
        if verbosity:
            self.stdout.write("Everything agrees with the logs.")

    def check_all(self, verbosity: int) -> Iterator[Difference]:
        count, printed_at = Table.objects.count(), time.monotonic()
        for number, check in enumerate(check_tables(Table.objects.all()), 1):
            yield from check.differences
            yield from find_statistics_differences(check)
            if verbosity and time.monotonic() > printed_at + PROGRESS_EVERY:
                printed_at = time.monotonic()
                self.stderr.write(f"{number:,} of {count:,} tables")


def find_statistics_differences(check: TableCheck) -> Iterator[Difference]:
    """Yield where the statistics of a table differ from its log, unless they are still to be updated."""
    table, cached = check.table, check.cached_log
    if cached is not None and not table.has_stale_stats:
        differences = list(aggregation.find_differences(table, check.seats, cached.log))
        unchanged = Table.objects.filter(pk=table.pk, version=table.version, has_stale_stats=False)
        if differences and unchanged.exists():
            yield from (Difference(table.public_id, *values) for values in differences)
