"""`manage.py new_game`: a new game passes the tests of every game at once."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.games.game_copies import ROOT, build_environment, copy_app, get_game_folder, manage

pytestmark = pytest.mark.slow
SLUGS = {"--pad": "five-dice", "--referee": "heap-of-stones"}


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy the app with its tests, and start one game of each kind in it."""
    root = copy_app(tmp_path_factory.mktemp("new-game") / "app")
    shutil.copytree(ROOT / "tests", root / "tests", ignore=shutil.ignore_patterns("__pycache__"))
    for option, slug in SLUGS.items():
        done = manage(root, "new_game", slug, option)
        assert done.returncode == 0, done.stderr
    return root


def run(root: Path, *command: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=root, env=build_environment(root), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout[-4_000:] + done.stderr[-2_000:]
    return done.stdout


@pytest.mark.parametrize("slug", SLUGS.values())
def test_a_new_game_passes_the_tests_of_every_game(app, slug):
    folder = slug.replace("-", "_")
    names = (
        "layout",
        "every_game",
        "help_of_every_game",
        "log_of_every_game",
        "stats_of_every_game",
        "notation_files",
        folder,
    )
    files = (*(f"tests/games/test_{name}.py" for name in names), "tests/rulebook", "tests/web/test_plain_board.py")
    output = run(app, "pytest", "-q", "-p", "no:cacheprovider", "-k", f"{slug} or {folder}", *files)
    assert int(output.rsplit(" passed", 1)[0].split()[-1]) > 15, output


@pytest.mark.parametrize("slug", SLUGS.values())
def test_a_new_game_is_typed_and_formatted(app, slug):
    folder = get_game_folder(app, slug)
    tests = app / "tests" / "games" / f"test_{folder.name}.py"
    run(app, "ruff", "check", str(folder), str(tests))
    run(app, "ruff", "format", "--check", str(folder), str(tests))
    run(app, "mypy", str(folder))


def test_a_new_game_is_not_reported_as_broken(app):
    done = manage(app, "check", "--fail-level", "WARNING")
    assert done.returncode == 0, done.stderr


def test_a_counted_game_is_one_short_file(app):
    (file,) = (path for path in get_game_folder(app, SLUGS["--pad"]).iterdir() if path.is_file())
    statements = [line for line in file.read_text().splitlines() if line and not line.startswith(('"""', "from "))]
    assert len(statements) <= 15


@pytest.mark.parametrize("slug", ["Take-That", "take_that", "take-that-", "", "../x", "é"])
def test_an_invalid_slug_writes_nothing(app, slug):
    before = sorted(app.rglob("*-tpl"))
    done = manage(app, "new_game", slug, "--pad")
    assert done.returncode != 0 and "cannot be a slug" in done.stderr
    assert sorted(app.rglob("*-tpl")) == before


def test_an_existing_game_is_kept(app):
    file = get_game_folder(app, "take-that") / "__init__.py"
    before = file.read_text()
    done = manage(app, "new_game", "take-that", "--pad")
    assert done.returncode != 0 and "exists already" in done.stderr
    assert file.read_text() == before
