"""Files that every game has, and what lies in them."""

import ast
from dataclasses import fields
from inspect import isfunction
from pathlib import Path

import pytest

from companion import games
from companion.games import get_games

LAYOUT = {
    "plays": ("Options", "Play", "describe", "list_presets"),
    "deck": ("DECK",),
    "state": ("State", "setup", "apply"),
    "rules": ("Rule", "check_options", "judge", "candidates"),
    "scoring": (
        *("sides", "round_count", "tally", "score", "standing"),
        *("highest_wins", "is_won_together", "check_tally", "get_progress"),
    ),
    "board": ("Board", "build_board", "build_picture"),
    "help": ("explain", "get_relevant_rules", "COUNTING_RULES", "build_preparation", "build_paper_sheet"),
    "positions": ("build_position",),
    "stats": ("FACT_KINDS", "collect_facts"),
}
FILES = {name: file for file, names in LAYOUT.items() for name in names}

every_file = pytest.mark.parametrize(
    "file",
    sorted(Path(games.__path__[0]).glob("*/*.py")),
    ids=lambda file: f"{file.parent.name}/{file.name}",
)


def iter_names(file):
    """Yield the names that a module defines."""
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from (name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name))


@every_file
def test_what_every_game_has_lies_in_the_same_file(file):
    if len(list(file.parent.glob("*.py"))) == 1:
        return  # a counted game of a single file
    names = [name for name in iter_names(file) if FILES.get(name, file.stem) != file.stem]
    assert not names, [f"{file}: move {name} to {FILES[name]}.py" for name in names]


@pytest.mark.parametrize("game", get_games().values(), ids=list(get_games()))
def test_functions_of_the_record_have_the_same_names_in_every_game(game):
    parts = [part for part in (game.options, game.pad, game.scoring, game.referee, game.help, game.stats) if part]
    values = [getattr(part, field.name) for part in parts for field in fields(part)]
    own = [value for value in values if isfunction(value) and value.__module__.startswith(f"{games.__name__}.")]
    strange = {value.__name__: value.__module__ for value in own if value.__name__ not in (*FILES, "<lambda>")}
    assert not strange, [f"{file}: no other game has a function called {name}" for name, file in strange.items()]
