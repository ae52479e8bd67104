"""`manage.py service`: the units with which systemd keeps the companion running on this machine, filled in for it."""

import getpass
import sys
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from companion import env
from companion.ops.systemd import Installation, render_units


class Command(BaseCommand):
    help = (
        "Print systemd's units for the companion as it lies here, or write them into a folder; `make service` does all."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", nargs="?", type=Path, help="where to write them; nothing else is changed")

    def handle(self, *args: Any, folder: Path | None = None, **options: Any) -> None:
        made = render_units(_here())
        if folder is None:
            self.stdout.write("\n".join(f"# {name}\n{content}" for name, content in made.items()))
            return
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in made.items():
            (folder / name).write_text(content, encoding="utf-8")
        kept = settings.DATA / env.ENV_FILE
        env.save_env_file(kept, but="COMPANION_DATA")
        self.stdout.write(f"The settings now in force are kept in {kept}; change them there.")


def _here() -> Installation:
    return Installation(
        user=getpass.getuser(),
        root=settings.ROOT,
        data=settings.DATA,
        python=Path(sys.executable),
        prefix=Path(sys.base_prefix),
        port=settings.PORT,
    )
