"""`manage.py service`: systemd units for this installation."""

import getpass
import sys
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from companion import env
from companion.ops.systemd import Installation, render_units


class Command(BaseCommand):
    help = "Print systemd units for this installation, or write them to a folder; `make service` installs them."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", nargs="?", type=Path, help="where to write them")

    def handle(self, *args: Any, folder: Path | None = None, **options: Any) -> None:
        units = render_units(_describe_installation())
        if folder is None:
            self.stdout.write("\n".join(f"# {name}\n{content}" for name, content in units.items()))
            return
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in units.items():
            (folder / name).write_text(content, encoding="utf-8")
        env_file = settings.DATA / env.ENV_FILE
        env.save_env_file(env_file, exclude="COMPANION_DATA")
        self.stdout.write(f"The current settings are saved in {env_file}; change them there.")


def _describe_installation() -> Installation:
    return Installation(
        user=getpass.getuser(),
        root=settings.ROOT,
        data=settings.DATA,
        python=Path(sys.executable),
        prefix=Path(sys.base_prefix),
        port=settings.PORT,
    )
