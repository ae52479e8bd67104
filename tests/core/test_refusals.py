import ast
from pathlib import Path

import companion
from companion.core import refusals
from companion.core.text import Text

FOLDER = Path(companion.__file__).parent
TEXTS = {name: text for name, text in vars(refusals).items() if isinstance(text, Text)}


def test_every_refusal_is_written_once():
    messages = {text.message for text in TEXTS.values()}
    assert len(messages) == len(TEXTS) > 30
    sources = [path for path in FOLDER.rglob("*.py") if path.name != "refusals.py"]
    repeated = {
        f"{path.relative_to(FOLDER)}: {node.value}"
        for path in sources
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in messages
    }
    assert not repeated


def test_every_refusal_is_used():
    sources = "".join(path.read_text(encoding="utf-8") for path in FOLDER.rglob("*.py"))
    assert not [name for name in TEXTS if f"refusals.{name}" not in sources]


def test_a_refusal_is_filled_in():
    assert str(refusals.UNKNOWN_SEAT.with_values(n=7)) == "There is no seat 7 at this table."
