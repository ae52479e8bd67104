"""`manage.py notation SLUG`: the notation of a game."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from companion.core.notation import describe_notation
from companion.games import get_games


class Command(BaseCommand):
    help = "Print the notation of a game: its options, and the fields of each kind of entry."
    requires_system_checks = []
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", help=", ".join(get_games()))

    def handle(self, *args: Any, slug: str, **options: Any) -> None:
        if slug not in get_games():
            raise CommandError(f"There is no game {slug!r}; there are {', '.join(get_games())}.")
        self.stdout.write(describe_notation(get_games()[slug]))
