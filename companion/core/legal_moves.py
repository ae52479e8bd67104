"""Legal plays of a state, and rulings on proposed ones, derived from `judge`."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby

from companion.core.explanations import Explanation, Position
from companion.core.game import Game, Violation
from companion.core.protocols import State
from companion.core.schema import decode_partial
from companion.core.text import Text


@dataclass(frozen=True)
class LegalPlayGroup:
    """The legal plays that one rule allows, by their labels; consecutive numbers are one range."""

    rule: str
    heading: Text
    labels: tuple[str | Text, ...]
    reason: Text | None = None
    """The reason, if it is a single play."""


@dataclass(frozen=True)
class Ruling:
    """The answer to a proposal: what it breaks, or what allows it."""

    text: Text
    violations: tuple[Violation, ...]
    explanation: Explanation | None = None


def group_legal_plays(game: Game, state: State, words: Mapping[str, str] | None = None) -> tuple[LegalPlayGroup, ...]:
    """Return the legal plays of a state by the rule that allows them, in the order of the candidates.

    `words` are fields in notation that the plays must have, such as a row that has been chosen.
    """
    groups: dict[tuple[str, Text], list[Explanation]] = {}
    for play in game.referee.iter_legal_plays(state) if game.referee else ():
        if not words or decode_partial(type(play), words) == {name: getattr(play, name, None) for name in words}:
            explanation = game.help.explain(state, play)
            groups.setdefault((explanation.rule, explanation.heading), []).append(explanation)
    return tuple(
        LegalPlayGroup(
            rule, heading, tuple(_merge_runs(e.label for e in group)), group[0].reason if len(group) == 1 else None
        )
        for (rule, heading), group in groups.items()
    )


def judge_proposals(game: Game, position: Position) -> Iterator[Ruling]:
    """Yield the ruling on each proposal in a position."""
    state = position.state
    for proposal in position.proposals:
        entry = proposal.entry
        if game.referee and type(entry) in game.plays.values():
            violations = tuple(game.referee.judge(state, entry))
        else:
            violations = tuple(game.pad.check(state.options, state.seats, (entry,)))
        yield Ruling(proposal.text, violations, None if violations else game.help.explain(state, entry))


def _merge_runs(labels: Iterable[str | Text]) -> Iterator[str | Text]:
    """Yield each label once; three or more consecutive numbers as "first–last"."""
    unique = [label for label in dict.fromkeys(labels) if label]
    for _key, group in groupby(enumerate(unique), lambda item: _run_key(*item)):
        run = [label for _index, label in group]
        yield from run if len(run) < 3 else (f"{run[0]}–{run[-1]}",)


def _run_key(index: int, label: str | Text) -> object:
    """Return a key that is equal for consecutive numbers and unique for any other label."""
    return int(label) - index if isinstance(label, str) and label.isdecimal() else (index, label)
