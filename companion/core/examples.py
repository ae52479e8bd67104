"""Worked examples of the rulebooks, checked against the rules."""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from companion.core.game import Game
from companion.core.notation import Replay, replay_notation
from companion.core.schema import decode
from companion.core.text import Text


@dataclass(frozen=True)
class Example:
    """A position and plays to try in it, in notation. Captions and names of players are by language.

    `given` are the entries that lead to the position; `refused` plays end with `! rule-id`.
    """

    id: str
    section: str
    seats: int
    captions: Mapping[str, str]
    names: Mapping[str, Sequence[str]] = field(default_factory=dict)
    options: Mapping[str, str] = field(default_factory=dict)
    given: Sequence[str] = ()
    legal: Sequence[str] = ()
    refused: Sequence[str] = ()
    legal_count: Mapping[str, int] = field(default_factory=dict)
    """Number of legal plays in the position, by kind."""
    shows: Mapping[str, Any] = field(default_factory=dict)
    """Expected attributes of the board; `verdict` is that of the score sheet."""


@dataclass(frozen=True)
class Trial:
    """A play tried in an example: its description, and the rule and reason if it is refused."""

    text: Text
    rule: str = ""
    reason: Text | None = None


def parse_examples(text: str) -> tuple[Example, ...]:
    """Parse the examples of a TOML file. Raises TOMLDecodeError, or TypeError for a missing key."""
    return tuple(map(_build_example, tomllib.loads(text)["example"]))


def run_trials(example: Example, game: Game) -> Iterator[Trial]:
    """Yield a trial of each play of an example."""
    for line in (*example.legal, *example.refused):
        replay = replay_example(example, game, line)
        verdict = replay.verdicts[-1]
        rule = line.partition("!")[2].strip()
        reasons = dict(zip(verdict.broken_rules, verdict.reasons, strict=True))
        text = game.help.describe(replay.match.options, decode(game.kinds[verdict.kind], verdict.words))
        yield Trial(text, rule, reasons.get(rule))


def replay_example(example: Example, game: Game, *lines: str) -> Replay:
    """Return the position of an example after some more lines."""
    options = [f"option {name}={word}" for name, word in example.options.items()]
    text = "\n".join([f"game {game.slug}", f"seats {example.seats}", *options, *example.given, *lines])
    return replay_notation(text, {game.slug: game})


def _build_example(row: dict[str, Any]) -> Example:
    languages = row.keys() - {part.name for part in fields(Example)}
    return Example(captions={language: row.pop(language) for language in languages}, **row)
