"""`manage.py notation SLUG`: the kinds and fields in which a game is written down."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from companion.core.notation import manual
from companion.games import games


class Command(BaseCommand):
    help = "Print the notation of a game: its options, and the fields of every kind of entry."
    requires_system_checks = []
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", help=", ".join(games()))

    def handle(self, *args: Any, slug: str, **options: Any) -> None:
        if slug not in games():
            raise CommandError(f"There is no game {slug!r}; there are {', '.join(games())}.")
        self.stdout.write(manual(games()[slug]))
