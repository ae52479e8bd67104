"""Tests, commands and runs named in REQUIREMENTS.md."""

import ast
import re
from pathlib import Path

from tests.scale import RUNS, get_first_run, get_folder_marker

ROOT = Path(__file__).resolve().parent.parent
TABLE = Path(__file__).with_name("REQUIREMENTS.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| ([A-Z]\d+[^|]*) \| ([^|]+) \| ([a-z]+) \| ([^|]+) \| ([^|]*) ?\|$", re.MULTILINE)
BY_HAND = "hand"
"""The run of rows that only commands verify."""


def parse_rows():
    """Return the id, the run, and the tests and commands of each row."""
    return [(row[1], row[3], re.findall(r"`([^`]+)`", row[4])) for row in ROW.finditer(TABLE)]


def parse_functions(path):
    """Return the functions of a file by name, and the markers of the module."""
    body = ast.parse(path.read_text(encoding="utf-8")).body
    module_markers = {get_folder_marker(path)} - {None}
    for node in body:
        if isinstance(node, ast.Assign) and [ast.unparse(target) for target in node.targets] == ["pytestmark"]:
            module_markers |= find_markers(node.value)
    return {node.name: node for node in body if isinstance(node, ast.FunctionDef)}, module_markers


def find_markers(*nodes):
    return set(re.findall(r"pytest\.mark\.(\w+)", " ".join(map(ast.unparse, nodes))))


def get_run(names):
    """Return the shortest run that includes all tests named in a row."""
    runs = []
    for node_id in names:
        path, _colons, name = node_id.partition("::")
        if name:
            by_name, markers = parse_functions(ROOT / path)
            runs.append(get_first_run(ROOT / path, markers | find_markers(*by_name[name].decorator_list)))
    return max(runs, key=RUNS.index, default=BY_HAND)


def test_every_row_names_a_test_or_command():
    lines = [line for line in TABLE.splitlines() if line.startswith("| ") and not line.startswith("| Id ")]
    assert len(parse_rows()) == len(lines) > 40, "a row cannot be parsed"
    assert [row_id for row_id, _run, names in parse_rows() if not names] == []


def test_named_tests_and_commands_exist():
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    missing = []
    for _row_id, _run, names in parse_rows():
        for name in names:
            path, _colons, function = name.partition("::")
            if name.startswith("make "):
                missing += [] if name.split()[1] in targets else [name]
            elif not (ROOT / path).is_file() or function not in parse_functions(ROOT / path)[0]:
                missing.append(name)
    assert missing == []


def test_every_row_names_the_run_of_its_tests():
    wrong = [f"{row_id}: {run}, not {get_run(names)}" for row_id, run, names in parse_rows() if run != get_run(names)]
    assert wrong == []
