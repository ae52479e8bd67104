"""Management command `statistics`: updates, rebuilds or verifies the statistics."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from companion.history.statistics import aggregation
from companion.people.models import Circle


class Command(BaseCommand):
    help = "Update the statistics from finished tables. They are derived from the logs and can be rebuilt at any time."

    def add_arguments(self, parser: ArgumentParser) -> None:
        choice = parser.add_mutually_exclusive_group()
        choice.add_argument("--rebuild", action="store_true", help="recompute all of them from the logs")
        choice.add_argument(
            "--verify", action="store_true", help="compare them with the logs, and exit 1 if they differ"
        )

    def handle(self, *args: Any, rebuild: bool, verify: bool, verbosity: int, **options: Any) -> None:
        circles = Circle.objects.order_by("pk")
        if verify:
            differing = [public_id for circle in circles for public_id in aggregation.find_differing_tables(circle)]
            if differing:
                raise CommandError("The statistics of these tables differ from their logs: " + ", ".join(differing))
            message = "The statistics agree with the logs."
        elif rebuild:
            message = f"Tables read: {aggregation.rebuild(circles)}."
        else:
            message = f"Tables read: {sum(aggregation.catch_up_fully(circle) for circle in circles)}."
        if verbosity:
            self.stdout.write(message)
