"""The table of what must hold names tests and commands: all of them are there."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TABLE = Path(__file__).with_name("REQUIREMENTS.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| ([A-Z]\d+[^|]*) \| ([^|]+) \| ([^|]+) \| ([^|]*) ?\|$", re.MULTILINE)


def rows():
    return [(own[1], re.findall(r"`([^`]+)`", own[3])) for own in ROW.finditer(TABLE)]


def functions(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {own.name for own in tree.body if isinstance(own, ast.FunctionDef | ast.AsyncFunctionDef)}


def test_every_row_names_what_shows_it():
    lines = [line for line in TABLE.splitlines() if line.startswith("| ") and not line.startswith("| Id ")]
    assert len(rows()) == len(lines) > 40, "a row that cannot be read"
    assert [name for name, shown in rows() if not shown] == []


def test_every_test_and_command_that_is_named_is_there():
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    gone = []
    for _name, shown in rows():
        for word in shown:
            path, _colons, function = word.partition("::")
            if word.startswith("make "):
                gone += [] if word.split()[1] in targets else [word]
            elif not (ROOT / path).is_file() or function not in functions(ROOT / path):
                gone.append(word)
    assert gone == []
