"""`manage.py service`: systemd units for this installation."""

import getpass
import sys
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from companion import env

TEMPLATES = Path(settings.ROOT, "deploy", "systemd")
"""Units with placeholders for what differs between installations, and the sandbox that both services include."""
HOME_FOLDERS = (Path("/home"), Path("/root"), Path("/run/user"))
"""Folders that services do not see, except for what is bound into them."""
PRIVILEGED_PORTS = 1024
"""Binding a port below this one takes a capability."""


class Command(BaseCommand):
    help = "Print systemd units for this installation, or write them to a folder; `make service` installs them."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", nargs="?", type=Path, help="where to write them")

    def handle(self, *args: Any, folder: Path | None = None, **options: Any) -> None:
        units = render_units(root=settings.ROOT, data=settings.DATA, port=settings.PORT)
        if folder is None:
            self.stdout.write("\n".join(f"# {name}\n{content}" for name, content in units.items()))
            return
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in units.items():
            (folder / name).write_text(content, encoding="utf-8")
        env_file = settings.DATA / env.ENV_FILE
        env.save_env_file(env_file, exclude="COMPANION_DATA")
        self.stdout.write(f"The current settings are saved in {env_file}; change them there.")


def render_units(*, root: Path, data: Path, port: int) -> dict[str, str]:
    """Return the units of an installation, run by this user with this Python, by file name."""
    base_python = Path(sys.base_prefix)
    home_paths = [path for path in (root, base_python) if any(map(path.is_relative_to, HOME_FOLDERS))]
    is_privileged = port < PRIVILEGED_PORTS
    values = {
        "user": getpass.getuser(),
        "python": _quote(sys.executable),
        "root": _escape(root),  # takes the rest of its line, and no quotes
        "data": _quote(data),
        "data_variable": _quote(f"COMPANION_DATA={data}"),
        "locale": _quote(root / "companion" / "locale"),
        "visible": " ".join(map(_quote, home_paths)),
        "capability": "CAP_NET_BIND_SERVICE" if is_privileged else "",
        "private_users": "no" if is_privileged else "yes",
    }
    values["sandbox"] = _read_template("sandbox.conf").strip().format(**values)
    names = ("companion.service", "companion-nightly.service", "companion-nightly.timer")
    return {name: _read_template(name).format(**values) for name in names}


def _read_template(name: str) -> str:
    return (TEMPLATES / name).read_text(encoding="utf-8")


def _escape(value: object) -> str:
    """Escape a value for a unit, where `%` starts a specifier."""
    return str(value).replace("%", "%%")


def _quote(value: object) -> str:
    """Quote a value that is one of several on a line."""
    escaped = _escape(value).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
