"""Management command `statistics`: updates, rebuilds or verifies the statistics."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from companion.history.statistics import aggregation
from companion.people.models import Circle


class Command(BaseCommand):
    help = "Read finished tables for the statistics. They are copies of the logs, and can be made again at any time."

    def add_arguments(self, parser: ArgumentParser) -> None:
        choice = parser.add_mutually_exclusive_group()
        choice.add_argument("--rebuild", action="store_true", help="make all of them anew from the logs")
        choice.add_argument("--verify", action="store_true", help="compare them with the logs; exit 1 if they differ")

    def handle(self, *args: Any, rebuild: bool, verify: bool, verbosity: int, **options: Any) -> None:
        circles = Circle.objects.order_by("pk")
        if verify:
            wrong = [public_id for circle in circles for public_id in aggregation.find_differing_tables(circle)]
            if wrong:
                raise CommandError("These tables have other statistics than their logs say: " + ", ".join(wrong))
            said = "The statistics are what the logs say."
        elif rebuild:
            said = f"Tables read: {aggregation.rebuild(circles)}."
        else:
            said = f"Tables read: {sum(aggregation.catch_up_fully(circle) for circle in circles)}."
        if verbosity:
            self.stdout.write(said)
