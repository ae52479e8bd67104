"""`manage.py verify`: folds every log anew and names all that is kept otherwise, beside it and in the statistics."""

from __future__ import annotations

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
"""Seconds between two lines that say how far it is."""


class Command(BaseCommand):
    help = (
        "Fold every log anew and compare it with what is kept beside it and in the statistics; exit 1 if they differ."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--sample", type=int, metavar="N", help="only N tables: the newest, and some by chance")

    def handle(self, *args: Any, sample: int | None, verbosity: int, **options: Any) -> None:
        wrong = 0
        for one in self.all_of_them(verbosity) if sample is None else check_sample(max(sample, 1)):
            wrong += 1
            self.stdout.write(f"{one.table}  {one.column}: kept {one.kept!r}, the log says {one.told!r}")
        if wrong:
            raise CommandError(f"{wrong} differences.")
        if unread := Table.objects.filter(game__in=get_broken_games()).count():
            self.stderr.write(f"Tables of games that cannot be loaded, which were left out: {unread}. Ask the doctor.")
        if verbosity:
            self.stdout.write("All is as the logs say.")

    def all_of_them(self, verbosity: int) -> Iterator[Difference]:
        count, told = Table.objects.count(), time.monotonic()
        for number, found in enumerate(check_tables(Table.objects.all()), 1):
            yield from found.differences
            yield from find_statistics_differences(found)
            if verbosity and time.monotonic() > told + PROGRESS_EVERY:
                told = time.monotonic()
                self.stderr.write(f"{number:,} of {count:,} tables")


def find_statistics_differences(found: TableCheck) -> Iterator[Difference]:
    """What they keep otherwise of a table; what they have not read yet waits for that, and is right."""
    if found.cached_log is None or found.table.has_stale_stats:
        return
    before = list(aggregation.find_differences(found.table, found.seats, found.cached_log.log))
    is_same = Table.objects.filter(pk=found.table.pk, version=found.table.version, has_stale_stats=False).exists()
    if before and is_same:  # nobody has played on meanwhile
        yield from (Difference(found.table.public_id, *words) for words in before)
