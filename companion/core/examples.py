"""Worked examples of the rulebooks, checked against the rules."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from companion.core.game import Game
from companion.core.notation import LineVerdict, Replay, replay_notation
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
    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    options: Mapping[str, str] = field(default_factory=dict)
    given: tuple[str, ...] = ()
    legal: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
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
    """Parse the examples of a TOML file. Raises TOMLDecodeError, or KeyError for a missing key."""
    return tuple(_parse_example(row) for row in tomllib.loads(text)["example"])


def run_trials(example: Example, game: Game) -> Iterator[Trial]:
    """Yield a trial of each play of an example."""
    for line in (*example.legal, *example.refused):
        verdict = _try_line(example, game, line).verdicts[-1]
        rule = line.partition("!")[2].strip()
        reasons = dict(zip(verdict.broken_rules, verdict.reasons, strict=True))
        options = decode(game.options.cls, example.options)
        text = game.help.describe(options, decode(game.kinds[verdict.kind], verdict.words))
        yield Trial(text, rule, reasons.get(rule)) if rule else Trial(text)


def find_problems(example: Example, game: Game) -> Iterator[str]:
    """Yield where the example and the code disagree; nothing if it may be printed."""
    position = replay_notation(_notation(example, game), {game.slug: game})
    yield from _format_problems(position.problems)
    for line in (*example.legal, *example.refused):
        yield from _format_problems(_try_line(example, game, line).problems)
    played = position.match.get_round(position.match.last_number)
    counts = (
        Counter(map(game.get_kind, game.referee.iter_legal_plays(played.state)))
        if example.legal_count and game.referee
        else Counter()
    )
    for kind, count in example.legal_count.items():
        if counts[kind] != count:
            yield f"{example.id}: {counts[kind]} legal plays of kind {kind}, not {count}"
    board = game.referee.board(played.state) if game.referee else None
    for name, expected in example.shows.items():
        actual = str(played.sheet and played.sheet.verdict) if name == "verdict" else _plain(getattr(board, name))
        if actual != expected:
            yield f"{example.id}: {name} is {actual}, not {expected}"


def _format_problems(verdicts: tuple[LineVerdict, ...]) -> Iterator[str]:
    return (f"{verdict.text}: {verdict.problem}" for verdict in verdicts)


def _try_line(example: Example, game: Game, line: str) -> Replay:
    return replay_notation(_notation(example, game) + line + "\n", {game.slug: game})


def _notation(example: Example, game: Game) -> str:
    options = [f"option {name}={word}" for name, word in example.options.items()]
    return "\n".join([f"game {game.slug}", f"seats {example.seats}", *options, *example.given]) + "\n"


def _plain(value: Any) -> Any:
    """Return an attribute of a board as an example file writes it: cards by number."""
    return [getattr(part, "number", part) for part in value] if isinstance(value, tuple) else value


def _parse_example(row: Mapping[str, Any]) -> Example:
    keys = {"id", "section", "seats", "names", "options", "given", "legal", "refused", "legal_count", "shows"}
    return Example(
        id=row["id"],
        section=row["section"],
        seats=row["seats"],
        captions={language: text for language, text in row.items() if language not in keys},
        names={language: tuple(names) for language, names in row.get("names", {}).items()},
        options=row.get("options", {}),
        given=tuple(row.get("given", ())),
        legal=tuple(row.get("legal", ())),
        refused=tuple(row.get("refused", ())),
        legal_count=row.get("legal_count", {}),
        shows=row.get("shows", {}),
    )
