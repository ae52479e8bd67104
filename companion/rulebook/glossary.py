"""Glossary and settled doubts of a game."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from companion.core.game import Game
from companion.core.languages import LANGUAGES
from companion.rulebook.loader import find_file


@dataclass(frozen=True)
class Term:
    """A term of the rules by language, and the section that explains it."""

    id: str
    section: str
    name: Mapping[str, str]
    also: Mapping[str, Sequence[str]]
    """Synonyms for searching; not displayed."""
    means: Mapping[str, str]


@dataclass(frozen=True)
class Doubt:
    """A question that the printed rules leave open, and how it is settled."""

    id: str
    section: str
    option: str
    """The option that lets a table choose another reading, if any."""
    question: Mapping[str, str]
    readings: tuple[Mapping[str, str], ...]
    """The first one applies."""
    why: Mapping[str, str]


@cache
def load_glossary(game: Game) -> tuple[Term, ...]:
    """Return the terms in the order of the rulebook."""
    return tuple(
        Term(
            row["id"],
            row["section"],
            {language: row[language] for language in LANGUAGES if language in row},
            row.get("also", {}),
            row["means"],
        )
        for row in _load_rows(game, "glossary.toml", "term")
    )


@cache
def load_doubts(game: Game) -> tuple[Doubt, ...]:
    """Return the settled doubts in the order of the rulebook."""
    return tuple(
        Doubt(row["id"], row["section"], row.get("option", ""), row["question"], tuple(row["reading"]), row["why"])
        for row in _load_rows(game, "doubts.toml", "doubt")
    )


def _load_rows(game: Game, file: str, name: str) -> Sequence[Mapping[str, Any]]:
    path = find_file(game, file)
    return tomllib.loads(path.read_text(encoding="utf-8"))[name] if path.is_file() else ()
