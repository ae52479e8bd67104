"""A copy of the whole app in a folder of its own, with more games in it: copies of Take That under other names."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.ops.test_serve import ROOT

SOURCE = "take-that"
_PARTS = ("companion", "templates", "static", "manage.py", "pyproject.toml")


def copy_app(to: Path) -> Path:
    """Copy what runs; data, tests and environment stay behind."""
    to.mkdir()
    for name in _PARTS:
        path = ROOT / name
        if path.is_dir():
            shutil.copytree(path, to / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(path, to / name)
    return to


def game_folder(root: Path, slug: str) -> Path:
    return root / "companion" / "games" / slug.replace("-", "_")


def stylesheet(root: Path, slug: str) -> Path:
    return game_folder(root, slug) / "static" / "style.css"


def drawing(root: Path, slug: str) -> Path:
    return game_folder(root, slug) / "static" / "drawing.svg"


def templates(root: Path, slug: str) -> Path:
    return game_folder(root, slug) / "templates"


def add_game(root: Path, slug: str) -> None:
    """Add a whole game with everything that it is made of, called by its slug."""
    shutil.copytree(game_folder(root, SOURCE), game_folder(root, slug))
    names = {SOURCE: slug, "companion.games.take_that": f"companion.games.{slug.replace('-', '_')}"}
    names['_("Take That")'] = f'Text("{slug}")'
    names["from companion.core.text import _\n"] = "from companion.core.text import Text, _\n"
    for file in game_folder(root, slug).rglob("*.*"):
        if file.is_file():
            replace_in(file, names)


def replace_in(file: Path, names: dict[str, str]) -> None:
    text = file.read_text(encoding="utf-8")
    for old, new in names.items():
        text = text.replace(old, new)
    file.write_text(text, encoding="utf-8")


def environment_of(root: Path) -> dict[str, str]:
    own = {"COMPANION_DATA": str(root / "data"), "DATABASE_URL": "", "PUBLIC_URL": ""}
    return {**os.environ, **own, "LOG_FORMAT": "JSON", "WORKERS": "1"}


def manage(root: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Run a command of the copy with its own data."""
    run = [sys.executable, "manage.py", *command]
    return subprocess.run(run, cwd=root, env=environment_of(root), capture_output=True, text=True, timeout=120)
