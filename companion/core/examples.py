"""Worked examples of a game as data, and what the rules make of them. Printing them is left to the rulebook."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from companion.core.game import Game, iter_legal_plays
from companion.core.notation import LineVerdict, Replay, replay_notation
from companion.core.schema import decode
from companion.core.text import Text


@dataclass(frozen=True)
class Example:
    """A position, and plays tried in it, in notation; captions and names are by language."""

    id: str
    section: str
    seats: int
    captions: Mapping[str, str]
    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    options: Mapping[str, str] = field(default_factory=dict)
    given: tuple[str, ...] = ()
    legal: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    legal_count: Mapping[str, int] = field(default_factory=dict)
    """How many plays of a kind are legal in the position."""
    shows: Mapping[str, Any] = field(default_factory=dict)
    """What the board shows of the position, by the name of the part; `verdict` is that of the score sheet."""


@dataclass(frozen=True)
class Trial:
    """A play tried in an example: what it says, and the reason if the rules refuse it."""

    text: Text
    rule: str = ""
    reason: Text | None = None


def parse_examples(text: str) -> tuple[Example, ...]:
    """The examples of a TOML file."""
    return tuple(_example(row) for row in tomllib.loads(text)["example"])


def run_trials(example: Example, game: Game) -> Iterator[Trial]:
    """What the rules say of each play that is tried."""
    for line in (*example.legal, *example.refused):
        verdict = _tried(example, game, line).verdicts[-1]
        rule = line.partition("!")[2].strip()
        reasons = dict(zip(verdict.broken_rules, verdict.reasons, strict=True))
        options = decode(game.options, example.options)
        text = game.describe(options, decode(game.kinds[verdict.kind], verdict.words))
        yield Trial(text, rule, reasons.get(rule)) if rule else Trial(text)


def find_problems(example: Example, game: Game) -> Iterator[str]:
    """Where the example and the code disagree; nothing if it may be printed."""
    position = replay_notation(_notation(example, game), {game.slug: game})
    yield from _disagreements(position.problems)
    for line in (*example.legal, *example.refused):
        yield from _disagreements(_tried(example, game, line).problems)
    played = position.match.get_round(position.match.last_number)
    found = (
        Counter(game.get_kind(play) for play in iter_legal_plays(game, played.state))
        if example.legal_count
        else Counter()
    )
    for kind, count in example.legal_count.items():
        if found[kind] != count:
            yield f"{example.id}: {found[kind]} legal plays of kind {kind}, not {count}"
    board = game.board(played.state)
    for name, said in example.shows.items():
        shown = str(played.sheet and played.sheet.verdict) if name == "verdict" else _plain(getattr(board, name))
        if shown != said:
            yield f"{example.id}: {name} is {shown}, not {said}"


def _disagreements(verdicts: tuple[LineVerdict, ...]) -> Iterator[str]:
    return (f"{verdict.text}: {verdict.problem}" for verdict in verdicts)


def _tried(example: Example, game: Game, line: str) -> Replay:
    return replay_notation(_notation(example, game) + line + "\n", {game.slug: game})


def _notation(example: Example, game: Game) -> str:
    options = [f"option {name}={word}" for name, word in example.options.items()]
    return "\n".join([f"game {game.slug}", f"seats {example.seats}", *options, *example.given]) + "\n"


def _plain(value: Any) -> Any:
    """A part of a board as an example file would write it: cards by their numbers."""
    return [getattr(part, "number", part) for part in value] if isinstance(value, tuple) else value


def _example(row: Mapping[str, Any]) -> Example:
    known = {"id", "section", "seats", "names", "options", "given", "legal", "refused", "legal_count", "shows"}
    return Example(
        id=row["id"],
        section=row["section"],
        seats=row["seats"],
        captions={language: text for language, text in row.items() if language not in known},
        names={language: tuple(names) for language, names in row.get("names", {}).items()},
        options=row.get("options", {}),
        given=tuple(row.get("given", ())),
        legal=tuple(row.get("legal", ())),
        refused=tuple(row.get("refused", ())),
        legal_count=row.get("legal_count", {}),
        shows=row.get("shows", {}),
    )
