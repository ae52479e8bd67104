"""Copies of the app with more games in it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.servers import ROOT

SOURCE = "take-that"
_PARTS = ("companion", "templates", "static", "manage.py", "pyproject.toml")


def copy_app(destination: Path) -> Path:
    """Copy the code without data, tests and environment."""
    destination.mkdir()
    for name in _PARTS:
        path = ROOT / name
        if path.is_dir():
            shutil.copytree(path, destination / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(path, destination / name)
    return destination


def get_game_folder(root: Path, slug: str) -> Path:
    return root / "companion" / "games" / slug.replace("-", "_")


def get_stylesheet(root: Path, slug: str) -> Path:
    return get_game_folder(root, slug) / "static" / "style.css"


def get_drawing(root: Path, slug: str) -> Path:
    return get_game_folder(root, slug) / "static" / "drawing.svg"


def get_templates(root: Path, slug: str) -> Path:
    return get_game_folder(root, slug) / "templates"


def add_game_copy(root: Path, slug: str) -> None:
    """Add a copy of a game, titled by its slug."""
    shutil.copytree(get_game_folder(root, SOURCE), get_game_folder(root, slug))
    names = {SOURCE: slug, "companion.games.take_that": f"companion.games.{slug.replace('-', '_')}"}
    names['_("Take That")'] = f'Text("{slug}")'
    names["from companion.core.text import _\n"] = "from companion.core.text import Text, _\n"
    for file in get_game_folder(root, slug).rglob("*.*"):
        if file.is_file() and file.suffix != ".mo":
            replace_in(file, names)


def add_counted_game(root: Path, slug: str) -> None:
    """Add a game that is one file, of the same name in this folder."""
    get_game_folder(root, slug).mkdir()
    shutil.copy(Path(__file__).parent / f"{slug}.py", get_game_folder(root, slug) / "__init__.py")


def replace_in(file: Path, replacements: dict[str, str]) -> None:
    text = file.read_text(encoding="utf-8")
    for old, new in replacements.items():
        text = text.replace(old, new)
    file.write_text(text, encoding="utf-8")


def build_environment(root: Path) -> dict[str, str]:
    overrides = {"COMPANION_DATA": str(root / "data"), "DATABASE_URL": "", "PUBLIC_URL": ""}
    return {**os.environ, **overrides, "LOG_FORMAT": "JSON", "WORKERS": "1"}


def manage(root: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Run a management command of the copy."""
    arguments = [sys.executable, "manage.py", *command]
    return subprocess.run(arguments, cwd=root, env=build_environment(root), capture_output=True, text=True, timeout=120)
