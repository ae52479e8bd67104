"""Checks of a game folder at start-up: its record and its texts."""

import re
import tomllib
import traceback
from collections.abc import Callable, Mapping
from dataclasses import Field, dataclass, fields, is_dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from companion.core.examples import Example, parse_examples, run_trials
from companion.core.game import Game
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
    reason = " ".join(f"{type(error).__name__}: {message}".replace(f"{folder.parents[2]}/", "").split())
    frames = traceback.walk_tb(error.__traceback__)
    places = [(Path(frame.f_code.co_filename), line) for frame, line in frames]
    places = [(file, line) for file, line in places if file.is_relative_to(folder)]
    if isinstance(error, SyntaxError) and error.filename:
        places = [(Path(error.filename), error.lineno or 1)]
    if not places:
        return GameFault("__init__.py", reason)
    file, line = places[-1]
    name = str(file.relative_to(folder)) if file.is_relative_to(folder) else file.name
    return GameFault(name, f"{reason} (line {line})")


def _check_record(game: object, folder: Path) -> None:
    if not isinstance(game, Game):
        raise _build_error("GAME is missing, or not a Game.")
    for part in (game, *(getattr(game, part.name) for part in fields(game))):
        for field in fields(part) if is_dataclass(part) else ():
            _check_field(field, getattr(part, field.name))
    if not _SLUG.fullmatch(game.slug):
        raise _build_error(f"The slug {game.slug!r} is not valid.")
    if game.slug.replace("-", "_") != folder.name:
        raise _build_error(f"The slug {game.slug!r} belongs to a folder of that name, not to {folder.name!r}.")
    if not game.pad.counts:
        raise _build_error("Nothing is counted.")


def _check_field(field: Field[object], value: object) -> None:
    """Raise InvalidGame for a field of a game or one of its parts that cannot be right."""
    hint = str(field.type)
    is_valid = next((check for start, check in _VALIDATORS.items() if hint.startswith(start)), None)
    if is_valid and not is_valid(value) and not (value is None and hint.endswith("| None")):
        raise _build_error(f"{field.name} cannot be {value!r}.")


def _is_kind_mapping(value: object) -> bool:
    return isinstance(value, Mapping) and all(isinstance(cls, type) and is_dataclass(cls) for cls in value.values())


_VALIDATORS: Mapping[str, Callable[[Any], bool]] = {
    "Text": lambda value: isinstance(value, Text),
    "str": lambda value: isinstance(value, str),
    "type[StrEnum]": lambda value: isinstance(value, type) and issubclass(value, StrEnum),
    "type[OptionsT]": lambda value: isinstance(value, type) and is_dataclass(value),
    "Callable": callable,
    "Mapping[str, type": _is_kind_mapping,
    "int": lambda value: isinstance(value, int) and value > 0,
    "range": lambda value: isinstance(value, range) and len(value) > 0 and value[0] > 0,
}
"""Checks of fields of a game and its parts, by how their type begins."""


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
    _read_in_every_language(folder, "reference")
    rulebook = _read_in_every_language(folder, "rulebook")
    printed = [(language, id_) for language, text in rulebook.items() for id_ in _EXAMPLE.findall(text)]
    examples = _check_examples(game, folder) if printed else {}
    for language, id_ in printed:
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


def _check_examples(game: Game, folder: Path) -> Mapping[str, Example]:
    """Return the examples by id, after trying them out."""
    file = "examples.toml"
    text = _read(folder, file)
    try:
        examples = parse_examples(text)
        for example in examples:
            tuple(run_trials(example, game))
    except Exception as error:
        fault = locate_fault(error, folder)
        raise InvalidGame(fault if fault.file != "__init__.py" else GameFault(file, fault.reason)) from error
    return {example.id: example for example in examples}


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
