"""Rulebooks of games, parsed from Markdown with worked examples."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from companion.core.examples import Example, parse_examples, run_trials
from companion.core.examples import Trial as Trial
from companion.core.game import Game
from companion.games import get_game_package

_HEADING = re.compile(r"^## (?P<title>.+?) \{#(?P<id>[a-z0-9-]+)\}$", re.MULTILINE)
_EXAMPLE = re.compile(r"^\[example (?P<id>[a-z0-9-]+)\]$", re.MULTILINE)
_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table")


def _render_cell(renderer: Any, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    """Render a table cell; columns with an alignment hold words, others figures."""
    token = tokens[index]
    if token.attrs.pop("style", None):
        token.attrSet("class", "words")
    return str(renderer.renderToken(tokens, index, options, env))


for _kind in ("th_open", "td_open"):
    _MARKDOWN.add_render_rule(_kind, _render_cell)


@dataclass(frozen=True)
class Prose:
    """HTML of a text, rendered from the game's own Markdown with raw HTML disabled; safe in templates."""

    html: str
    source: str
    """The text as Markdown."""

    def __html__(self) -> str:
        return self.html


@dataclass(frozen=True)
class WorkedExample:
    """A worked example with the verdicts of the code."""

    example: Example
    caption: str
    names: Sequence[str]
    trials: tuple[Trial, ...]


@dataclass(frozen=True)
class Section:
    """The section of a rule; `id` is the id of the rule."""

    id: str
    title: str
    parts: tuple[Prose | WorkedExample, ...]


@dataclass(frozen=True)
class Rulebook:
    language: str
    title: str
    intro: Prose
    sections: tuple[Section, ...]

    def section(self, rule: str) -> Section | None:
        return next((section for section in self.sections if section.id == rule), None)


def has_rulebook(game: Game, book: str = "rulebook") -> bool:
    """Return whether a game has a book, in English at least."""
    return bool(find_language(game, "en", book))


@cache
def find_language(game: Game, language: str, book: str = "rulebook") -> str:
    """Return the language in which a game has a book: this one, or else English; empty if there is none."""
    return next((code for code in (language, "en") if find_file(game, f"{book}.{code}.md").is_file()), "")


def load_rulebook(game: Game, language: str, book: str = "rulebook") -> Rulebook:
    """Return the rulebook of a game in a language, or else in English. Raises FileNotFoundError if it has none.

    So is its one-page `reference`, whose sections have the ids of those of the rulebook.
    """
    return _load_book(game, book, find_language(game, language, book))


def find_file(game: Game, name: str) -> Traversable:
    """Return a file in the folder of a game, which may not exist."""
    return resources.files(get_game_package(game.slug)).joinpath(name)


@cache
def _load_book(game: Game, name: str, language: str) -> Rulebook:
    text = find_file(game, f"{name}.{language}.md").read_text(encoding="utf-8")
    worked = load_worked_examples(game, language) if name == "rulebook" else {}
    head, *rest = _HEADING.split(text)
    title, _newline, intro = head.strip().partition("\n")
    sections = tuple(
        Section(id_, heading, tuple(_parse_parts(body, worked)))
        for heading, id_, body in zip(rest[0::3], rest[1::3], rest[2::3], strict=True)
    )
    return Rulebook(language, title.removeprefix("# "), _parse_prose(intro), sections)


def load_worked_examples(game: Game, language: str) -> Mapping[str, WorkedExample]:
    """Run the examples of a game and return them by id; none if it has none."""
    file = find_file(game, "examples.toml")
    examples = parse_examples(file.read_text(encoding="utf-8")) if file.is_file() else ()
    return {
        example.id: WorkedExample(
            example, example.captions[language], example.names.get(language, ()), tuple(run_trials(example, game))
        )
        for example in examples
    }


def _parse_parts(body: str, worked: Mapping[str, WorkedExample]) -> Iterator[Prose | WorkedExample]:
    for index, piece in enumerate(_EXAMPLE.split(body)):
        if index % 2:
            yield worked[piece]
        elif piece.strip():
            yield _parse_prose(piece)


def _parse_prose(text: str) -> Prose:
    return Prose(_MARKDOWN.render(text), text.strip())
