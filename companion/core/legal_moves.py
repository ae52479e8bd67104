"""What may be done from here, and may this be done? Both derive from the law, so that they cannot differ from it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from companion.core.explanations import Explanation, Position
from companion.core.game import Game, State, Violation, iter_legal_plays
from companion.core.schema import decode_partial
from companion.core.text import Text


@dataclass(frozen=True)
class LegalPlayGroup:
    """What may be done by one rule: each legal play as short as can be, numbers in a row as one span."""

    rule: str
    heading: Text
    labels: tuple[str | Text, ...]
    reason: Text | None = None
    """What is to be said where it is a single play."""


@dataclass(frozen=True)
class Ruling:
    """What the rules say to one thing asked: either what it breaks, or what allows it."""

    text: Text
    violations: tuple[Violation, ...]
    explanation: Explanation | None = None


def group_legal_plays(game: Game, state: State, words: Mapping[str, str] | None = None) -> tuple[LegalPlayGroup, ...]:
    """All that is legal in a state, by the rule that allows it, in the order of the candidates.

    With words, only what agrees with them: such as a row that has been chosen.
    """
    found: dict[tuple[str, Text], list[Explanation]] = {}
    for play in iter_legal_plays(game, state):
        if words and not _agrees(play, words):
            continue
        permission = game.explain(state, play)
        found.setdefault((permission.rule, permission.heading), []).append(permission)
    return tuple(
        LegalPlayGroup(rule, what, tuple(_spans(own.label for own in owns)), owns[0].reason if len(owns) == 1 else None)
        for (rule, what), owns in found.items()
    )


def _agrees(play: Any, words: Mapping[str, str]) -> bool:
    """Whether the play says what the words say, in the fields that it has."""
    return decode_partial(type(play), words) == {name: getattr(play, name, None) for name in words}


def judge_proposals(game: Game, position: Position) -> Iterator[Ruling]:
    """What the rules say to everything that is asked in a position."""
    for asked in position.proposals:
        broken = tuple(_broken(game, position.state, asked.entry))
        yield Ruling(asked.text, broken, None if broken else game.explain(position.state, asked.entry))


def _broken(game: Game, state: State, entry: Any) -> Iterator[Violation]:
    if type(entry) in game.plays.values():
        return game.judge(state, entry)
    return game.check_tally(state.options, state.seats, (entry,))


def _spans(shorts: Iterable[str | Text]) -> Iterator[str | Text]:
    """Each once; three numbers or more that follow each other as first and last."""
    once = [short for short in dict.fromkeys(shorts) if short]
    for _key, group in groupby(enumerate(once), lambda own: _distance(*own)):
        run = [short for _index, short in group]
        yield from run if len(run) < 3 else (f"{run[0]}–{run[-1]}",)


def _distance(index: int, short: str | Text) -> object:
    """The same for numbers that follow each other; anything else is like nothing but itself."""
    return int(short) - index if isinstance(short, str) and short.isdecimal() else (index, short)
