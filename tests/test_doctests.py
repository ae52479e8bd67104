"""Doctests, one test per module."""

import doctest
import importlib
import io
from pathlib import Path

import pytest

from companion import settings
from companion.games import get_games

ROOT = Path(settings.__file__).parent
MODULES = sorted(
    ".".join(path.relative_to(ROOT.parent).with_suffix("").parts)
    for path in ROOT.rglob("*.py")
    if ">>> " in path.read_text(encoding="utf-8")
)


@pytest.mark.parametrize("name", MODULES)
def test_doctests_pass(name):
    report = io.StringIO()
    runner = doctest.DocTestRunner()
    for case in doctest.DocTestFinder().find(importlib.import_module(name), extraglobs={"games": get_games()}):
        runner.run(case, out=report.write)
    assert runner.tries and not runner.failures, report.getvalue()


def test_core_modules_with_an_exact_format_have_doctests():
    formats = {"codecs", "facts", "notation", "notation_lexer", "sanitize", "schema", "scoring", "text"}
    assert {f"companion.core.{name}" for name in formats} <= set(MODULES)
