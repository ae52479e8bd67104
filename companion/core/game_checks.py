"""Checks of a game folder at start-up: its record and its texts."""

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
from companion.core.game import About, Game, Help, OptionSet, Pad, Referee, Scoring, Stats
from companion.core.languages import LANGUAGES
from companion.core.match import Match
from companion.core.text import Text

_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_EXAMPLE = re.compile(r"^\[example (?P<id>[a-z0-9-]+)\]$", re.MULTILINE)
_ROWS = {
    "glossary.toml": ("term", {"id", "section", "means", *LANGUAGES}),
    "doubts.toml": ("doubt", {"id", "section", "question", "reading", "why"}),
}
"""Optional files: the name of their rows, and the keys each row needs."""


@dataclass(frozen=True)
class GameFault:
    """A fault of a game, and the file in its folder that has it."""

    file: str
    reason: str


class InvalidGame(Exception):
    """A game that cannot be used, because of `fault`."""

    def __init__(self, fault: GameFault) -> None:
        super().__init__(f"{fault.file}: {fault.reason}")
        self.fault = fault


def check_game(game: object, folder: Path) -> Game:
    """Return the game of a folder, after trying out what every page needs. Raises InvalidGame for the first fault."""
    try:
        _check_record(game, folder)
        assert isinstance(game, Game)
        _try_out(game)
        _check_texts(game, folder)
    except InvalidGame:
        raise
    except Exception as error:  # one broken game must not take the others down
        raise InvalidGame(locate_fault(error, folder)) from error
    return game


def locate_fault(error: Exception, folder: Path) -> GameFault:
    """Return the message of an error and the file in the folder that raised it."""
    message = error.msg if isinstance(error, SyntaxError) else str(error)
    message = " ".join(message.replace(f"{folder.parents[2]}/", "").split())
    reason = f"{type(error).__name__}: {message}"
    if isinstance(error, SyntaxError) and error.filename:
        return GameFault(_get_relative_path(error.filename, folder), f"{reason} (line {error.lineno})")
    frames = [(frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(error.__traceback__)]
    frames = [(file, line) for file, line in frames if Path(file).is_relative_to(folder)]
    if not frames:
        return GameFault("__init__.py", reason)
    file, line = frames[-1]
    return GameFault(_get_relative_path(file, folder), f"{reason} (line {line})")


def _get_relative_path(file: str, folder: Path) -> str:
    path = Path(file)
    return str(path.relative_to(folder)) if path.is_relative_to(folder) else path.name


def _check_record(game: object, folder: Path) -> None:
    if not isinstance(game, Game):
        raise _build_error("GAME is missing, or not a Game.")
    _check_fields(game, "")
    if not (isinstance(game.slug, str) and _SLUG.fullmatch(game.slug)):
        raise _build_error(f"The slug {game.slug!r} is not valid.")
    if game.slug.replace("-", "_") != folder.name:
        raise _build_error(f"The slug {game.slug!r} belongs to a folder of that name, not to {folder.name!r}.")
    for part in fields(game):
        value = getattr(game, part.name)
        if is_dataclass(value):
            _check_fields(value, f"{part.name}.")


def _check_fields(record: Any, prefix: str) -> None:
    """Raise InvalidGame for a field of a game or one of its parts that cannot be right."""
    for part in fields(record):
        name, value, hint = f"{prefix}{part.name}", getattr(record, part.name), str(part.type)
        is_valid = _VALIDATORS.get(name) or (callable if hint.startswith("Callable") else lambda value: True)
        if not is_valid(value) and not (value is None and hint.endswith("| None")):
            raise _build_error(f"{name} cannot be {value!r}.")


def _is_kind_mapping(value: object) -> bool:
    return isinstance(value, Mapping) and all(isinstance(cls, type) and is_dataclass(cls) for cls in value.values())


_VALIDATORS: Mapping[str, Callable[[Any], bool]] = {
    "about": lambda value: isinstance(value, About),
    "rules": lambda value: isinstance(value, type) and issubclass(value, StrEnum),
    "options": lambda value: isinstance(value, OptionSet),
    "pad": lambda value: isinstance(value, Pad),
    "scoring": lambda value: isinstance(value, Scoring),
    "referee": lambda value: isinstance(value, Referee),
    "help": lambda value: isinstance(value, Help),
    "stats": lambda value: isinstance(value, Stats),
    "about.title": lambda value: isinstance(value, Text),
    "about.summary": lambda value: isinstance(value, Text),
    "about.version": lambda value: isinstance(value, int) and value > 0,
    "about.seats": lambda value: isinstance(value, range) and len(value) > 0 and value[0] > 0,
    "options.cls": lambda value: isinstance(value, type) and is_dataclass(value),
    "pad.counts": lambda value: bool(value) and _is_kind_mapping(value),
    "referee.plays": lambda value: bool(value) and _is_kind_mapping(value),
    "help.questions": _is_kind_mapping,
}
"""Checks of the fields of a game and its parts that are not functions."""


def _build_error(reason: str, file: str = "__init__.py") -> InvalidGame:
    return InvalidGame(GameFault(file, reason))


def _try_out(game: Game) -> None:
    """Start a match with the fewest and the most players; raises whatever the game raises."""
    options = game.options.cls()
    for seats in (game.about.seats[0], game.about.seats[-1]):
        match = Match(game, options, seats)
        state = match.get_round(1).state
        if game.referee:
            next(iter(game.referee.candidates(state)), None)
            str(game.referee.board(state).turn)
        str((match.standing.totals, game.get_table_title(options)))
        game.help.preparation(options, seats)
        game.help.paper_sheet(options, seats)


def _check_texts(game: Game, folder: Path) -> None:
    """Check the texts that there are; none is needed, but one in a single language would be half a text."""
    rulebook, _reference = (_read_in_every_language(folder, name) for name in ("rulebook", "reference"))
    printed = {language: _EXAMPLE.findall(text) for language, text in rulebook.items()}
    examples = {example.id: example for example in _check_examples(game, folder)} if any(printed.values()) else {}
    for language, ids in printed.items():
        for id_ in ids:
            if id_ not in examples:
                raise _build_error(f"The example {id_!r} does not exist.", f"rulebook.{language}.md")
            if language not in examples[id_].captions:
                raise _build_error(f"The example {id_!r} has no caption in {language!r}.", "examples.toml")
    for file, (name, keys) in _ROWS.items():
        for row in _parse_rows(folder, file, name) if (folder / file).is_file() else ():
            if missing := sorted(keys - set(row)):
                raise _build_error(f"A {name} lacks {', '.join(missing)}.", file)


def _read_in_every_language(folder: Path, name: str) -> Mapping[str, str]:
    """Return a text by language; nothing if there is none at all."""
    if not any(folder.glob(f"{name}.*.md")):
        return {}
    return {language: _read(folder, f"{name}.{language}.md") for language in LANGUAGES}


def _check_examples(game: Game, folder: Path) -> Iterator[Example]:
    file = "examples.toml"
    text = _read(folder, file)
    try:
        for example in parse_examples(text):
            tuple(run_trials(example, game))
            yield example
    except Exception as error:
        fault = locate_fault(error, folder)
        raise InvalidGame(fault if fault.file != "__init__.py" else GameFault(file, fault.reason)) from error


def _parse_rows(folder: Path, file: str, name: str) -> list[Mapping[str, object]]:
    try:
        rows = tomllib.loads(_read(folder, file)).get(name)
    except tomllib.TOMLDecodeError as error:
        raise _build_error(f"Invalid TOML: {error}", file) from error
    if not isinstance(rows, list):
        raise _build_error(f"It has no [[{name}]].", file)
    return rows


def _read(folder: Path, file: str) -> str:
    try:
        return (folder / file).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise _build_error("The file is missing.", file) from None
    except UnicodeDecodeError as error:
        raise _build_error(f"Invalid UTF-8: {error.reason}", file) from error
