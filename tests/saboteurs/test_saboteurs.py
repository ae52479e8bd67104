"""Mutation tests: each deliberate bug, in a copy of the app, must make its test fail."""

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
"""Time limit of one test run."""


def test_every_patch_applies():
    for saboteur in SABOTEURS:
        text = (ROOT / saboteur.file).read_text(encoding="utf-8")
        assert text.count(saboteur.old) == 1, saboteur.name
        if saboteur.file.endswith(".py"):
            compile(text.replace(saboteur.old, saboteur.new), saboteur.file, "exec")


@pytest.fixture(scope="module")
def app_copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy the app, including uncommitted changes."""
    target = tmp_path_factory.mktemp("sabotage")
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    for name in subprocess.check_output(command, cwd=ROOT).decode().split("\0"):
        if name and (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)
    (target / ".venv").symlink_to(Path(sys.prefix))
    return target


def run_test(folder: Path, node: str) -> str:
    """Return `green`, `red`, or the output of a test that could not run."""
    report = folder / "report.xml"
    report.unlink(missing_ok=True)
    env = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "TEST_RUN"))}
    env |= {"COMPANION_DATA": str(folder / "data"), "PYTHONPATH": str(folder)}
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", f"--junit-xml={report}", node]
    process = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=SECONDS)
    if not report.exists():
        return process.stdout + process.stderr
    suite = ElementTree.parse(report).getroot()[0]
    tests, failures, errors = (int(suite.attrib[name]) for name in ("tests", "failures", "errors"))
    if failures and "NameError" not in process.stdout:
        return "red"  # fixtures of browser tests may raise further errors at teardown
    return "green" if tests and not failures and not errors else process.stdout


@cache
def run_unmodified(folder: Path, node: str) -> str:
    return run_test(folder, node)


@pytest.mark.long
@pytest.mark.parametrize("saboteur", SABOTEURS, ids=lambda saboteur: saboteur.name.split()[0])
def test_the_named_test_catches_the_saboteur(app_copy: Path, saboteur: Saboteur):
    assert run_unmodified(app_copy, saboteur.caught_by) == "green"
    path = app_copy / saboteur.file
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(saboteur.old, saboteur.new), encoding="utf-8")
    try:
        assert run_test(app_copy, saboteur.caught_by) == "red"
    finally:
        path.write_text(text, encoding="utf-8")
