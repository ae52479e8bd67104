"""Each saboteur is let loose in a copy of the app, and the test that is named must turn red: else it proves nothing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from functools import cache
from pathlib import Path

import pytest

from tests.saboteurs.patches import SABOTEURS, Saboteur

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 600
"""After which a test that hangs counts as none."""


def test_every_saboteur_fits():
    """The text that a saboteur replaces is there, once, and what comes out of it can be read."""
    for own in SABOTEURS:
        text = (ROOT / own.file).read_text(encoding="utf-8")
        assert text.count(own.old) == 1, own.name
        if own.file.endswith(".py"):
            compile(text.replace(own.old, own.new), own.file, "exec")


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The app as it stands here, with what is not committed yet."""
    there = tmp_path_factory.mktemp("sabotage")
    named = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    for name in subprocess.check_output(named, cwd=ROOT).decode().split("\0"):
        if name and (ROOT / name).is_file():
            (there / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, there / name)
    (there / ".venv").symlink_to(Path(sys.prefix))
    return there


def verdict(folder: Path, node: str) -> str:
    """`green`, `red`, or what else became of a test. A test that could not begin is not red."""
    report = folder / "report.xml"
    report.unlink(missing_ok=True)
    env = {name: word for name, word in os.environ.items() if not name.startswith(("PYTEST_", "TEST_RUN"))}
    env |= {"COMPANION_DATA": str(folder / "data"), "PYTHONPATH": str(folder)}
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", f"--junit-xml={report}", node]
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=SECONDS)
    if not report.exists():
        return done.stdout + done.stderr
    suite = ElementTree.parse(report).getroot()[0]
    ran, failures, others = (int(suite.attrib[name]) for name in ("tests", "failures", "errors"))
    if failures and "NameError" not in done.stdout:
        return "red"  # what watches over a page may find more when the test is over, which counts as an error
    return "green" if ran and not failures and not others else done.stdout


@cache
def unharmed(folder: Path, node: str) -> str:
    return verdict(folder, node)


@pytest.mark.long
@pytest.mark.parametrize("own", SABOTEURS, ids=lambda own: own.name.split()[0])
def test_the_named_test_catches_the_saboteur(copy: Path, own: Saboteur):
    assert unharmed(copy, own.caught_by) == "green"
    path = copy / own.file
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(own.old, own.new), encoding="utf-8")
    try:
        assert verdict(copy, own.caught_by) == "red"
    finally:
        path.write_text(text, encoding="utf-8")
