"""Checks of a game's folder: whether it holds a whole record and readable texts."""

from __future__ import annotations

import re
import tomllib
import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from companion.core.examples import Example, parse_examples, run_trials
from companion.core.game import Game
from companion.core.match import Match
from companion.core.text import Text

LANGUAGES = ("en", "el")
"""Languages in which every game has its texts."""
_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_EXAMPLE = re.compile(r"^\[example (?P<id>[a-z0-9-]+)\]$", re.MULTILINE)
_ROWS = {
    "glossary.toml": ("term", {"id", "section", "means", *LANGUAGES}),
    "doubts.toml": ("doubt", {"id", "section", "question", "reading", "why"}),
}
"""Optional files: what each row is called, and which keys it must have."""


@dataclass(frozen=True)
class GameFault:
    """What is wrong with a game, and in which file of its folder."""

    file: str
    reason: str


class InvalidGame(Exception):
    """A game cannot be used."""

    def __init__(self, fault: GameFault) -> None:
        super().__init__(f"{fault.file}: {fault.reason}")
        self.fault = fault


def check_game(game: object, folder: Path) -> Game:
    """Return the game of a folder if all pages of it can be drawn. Raises InvalidGame for the first fault."""
    try:
        _check_record(game, folder)
        assert isinstance(game, Game)
        _try_out(game)
        _check_texts(game, folder)
    except InvalidGame:
        raise
    except Exception as error:  # whatever a folder holds, the others are served
        raise InvalidGame(locate_fault(error, folder)) from error
    return game


def locate_fault(error: Exception, folder: Path) -> GameFault:
    """Return where in the folder an error came from, and what it says."""
    words = error.msg if isinstance(error, SyntaxError) else str(error)
    words = " ".join(words.replace(f"{folder.parents[2]}/", "").split())
    said = f"{type(error).__name__}: {words}"
    if isinstance(error, SyntaxError) and error.filename:
        return GameFault(_relative(error.filename, folder), f"{said} (line {error.lineno})")
    frames = [(frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(error.__traceback__)]
    own = [(file, line) for file, line in frames if Path(file).is_relative_to(folder)]
    return (
        GameFault(_relative(own[-1][0], folder), f"{said} (line {own[-1][1]})")
        if own
        else GameFault("__init__.py", said)
    )


def _relative(file: str, folder: Path) -> str:
    path = Path(file)
    return str(path.relative_to(folder)) if path.is_relative_to(folder) else path.name


def _check_record(game: object, folder: Path) -> None:
    if not isinstance(game, Game):
        raise _unsound("GAME is missing, or is no Game.")
    if not (isinstance(game.slug, str) and _SLUG.fullmatch(game.slug)):
        raise _unsound(f"The slug {game.slug!r} is no slug.")
    if game.slug.replace("-", "_") != folder.name:
        raise _unsound(f"The slug {game.slug!r} belongs to a folder of that name, not to {folder.name!r}.")
    for name, is_right in _RIGHT.items():
        if not is_right(getattr(game, name)):
            raise _unsound(f"{name} cannot be {getattr(game, name)!r}.")
    for part in fields(Game):
        value, kind = getattr(game, part.name), str(part.type)
        is_absent = value is None and kind.endswith("| None")
        if kind.startswith("Callable") and not (callable(value) or is_absent):
            raise _unsound(f"{part.name} cannot be {value!r}.")


def _are_kinds(value: object) -> bool:
    return isinstance(value, Mapping) and all(isinstance(cls, type) and is_dataclass(cls) for cls in value.values())


_RIGHT: Mapping[str, Callable[[Any], bool]] = {
    "title": lambda value: isinstance(value, Text),
    "summary": lambda value: isinstance(value, Text),
    "version": lambda value: isinstance(value, int) and value > 0,
    "seats": lambda value: isinstance(value, range) and len(value) > 0 and value[0] > 0,
    "options": lambda value: isinstance(value, type) and is_dataclass(value),
    "plays": _are_kinds,
    "counts": lambda value: bool(value) and _are_kinds(value),
    "questions": _are_kinds,
    "rules": lambda value: isinstance(value, type) and issubclass(value, StrEnum),
}
"""What the values of a record must be, beside those that are called."""


def _unsound(reason: str, file: str = "__init__.py") -> InvalidGame:
    return InvalidGame(GameFault(file, reason))


def _try_out(game: Game) -> None:
    """Begin a match with as few and as many players as the game has; raises whatever that raises."""
    options = game.options()
    for seats in (game.seats[0], game.seats[-1]):
        match = Match(game, options, seats)
        state = match.get_round(1).state
        next(iter(game.candidates(state)), None)
        for part in (match.standing.totals, game.board(state).turn, game.get_table_title(options)):
            str(part)
        game.preparation(options, seats)
        game.paper_sheet(options, seats)


def _check_texts(game: Game, folder: Path) -> None:
    known = {example.id: example for example in _examples(game, folder)}
    for language in LANGUAGES:
        _read(folder, f"reference.{language}.md")
        file = f"rulebook.{language}.md"
        for id_ in _EXAMPLE.findall(_read(folder, file)):
            if id_ not in known:
                raise _unsound(f"There is no example {id_!r}.", file)
            if language not in known[id_].captions:
                raise _unsound(f"The example {id_!r} has no caption in {language!r}.", "examples.toml")
    for file, (name, keys) in _ROWS.items():
        for row in _rows(folder, file, name) if (folder / file).is_file() else ():
            if lacking := sorted(keys - set(row)):
                raise _unsound(f"A {name} lacks {', '.join(lacking)}.", file)


def _examples(game: Game, folder: Path) -> Iterator[Example]:
    file = "examples.toml"
    text = _read(folder, file)
    try:
        for example in parse_examples(text):
            tuple(run_trials(example, game))
            yield example
    except Exception as error:
        fault = locate_fault(error, folder)
        raise InvalidGame(fault if fault.file != "__init__.py" else GameFault(file, fault.reason)) from error


def _rows(folder: Path, file: str, name: str) -> list[Mapping[str, object]]:
    try:
        rows = tomllib.loads(_read(folder, file)).get(name)
    except tomllib.TOMLDecodeError as error:
        raise _unsound(f"This is no TOML: {error}", file) from error
    if not isinstance(rows, list):
        raise _unsound(f"There is no [[{name}]] in it.", file)
    return rows


def _read(folder: Path, file: str) -> str:
    try:
        return (folder / file).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise _unsound("The file is missing.", file) from None
    except UnicodeDecodeError as error:
        raise _unsound(f"This is no UTF-8: {error.reason}", file) from error
