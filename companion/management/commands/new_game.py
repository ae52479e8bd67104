"""`manage.py new_game SLUG`: the folder and the tests of a new game."""

import re
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

SKELETONS = Path(__file__).parent.parent / "skeletons"
"""A folder for each kind of game, with what it adds to the project; names and texts have placeholders."""
SLUG = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
NEXT_STEPS = """
Next: {test} passes already (pytest {test}). Change the game, keep it passing, and read docs/adding-a-game.md.
manage.py check names what is missing or broken."""


class Command(BaseCommand):
    help = "Start a game: a folder that plays at once, its tests, and a match in notation."
    requires_system_checks = []
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", help="such as take-that")
        kind = parser.add_mutually_exclusive_group(required=True)
        kind.add_argument("--pad", dest="kind", action="store_const", const="pad", help="it is only counted")
        kind.add_argument(
            "--referee", dest="kind", action="store_const", const="referee", help="plays are refereed, too"
        )

    def handle(self, *args: Any, slug: str, kind: str, **options: Any) -> None:
        if not SLUG.fullmatch(slug):
            raise CommandError(f"{slug!r} cannot be a slug: lower-case letters and digits, joined by single hyphens.")
        files = _list_files(slug, kind)
        for file in files:
            if file.exists() or (file.name == "__init__.py" and file.parent.exists()):
                raise CommandError(f"{file} exists already.")
        for file, text in files.items():
            file.parent.mkdir(exist_ok=True)
            file.write_text(text, encoding="utf-8")
            self.stdout.write(str(file.relative_to(settings.ROOT)))
        self.stdout.write(NEXT_STEPS.format(test=f"tests/games/test_{_get_folder(slug)}.py"))


def _list_files(slug: str, kind: str) -> dict[Path, str]:
    """Return the files to write, and their texts."""
    files = {}
    for skeleton in sorted((SKELETONS / kind).rglob("*-tpl")):
        path = _fill_in(str(skeleton.relative_to(SKELETONS / kind)), slug).removesuffix("-tpl")
        files[settings.ROOT / path] = _fill_in(skeleton.read_text("utf-8"), slug)
    return files


def _fill_in(text: str, slug: str) -> str:
    words = {"SLUG": slug, "FOLDER": _get_folder(slug), "TITLE": slug.replace("-", " ").title()}
    return re.sub("|".join(words), lambda match: words[match[0]], text)


def _get_folder(slug: str) -> str:
    return slug.replace("-", "_")
