"""What a game says to whoever wants to know: why a play is legal, what a question is about, what is prepared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from companion.core.text import Text


@dataclass(frozen=True)
class Explanation:
    """Why a legal entry is legal: the section of the rulebook that allows it, and a sentence with the facts.

    In a list of all that is legal it stands under `what` as `short`, blank where there is nothing to tell apart.
    """

    rule: str
    heading: Text
    label: str | Text = ""
    reason: Text | None = None


@dataclass(frozen=True)
class Proposal:
    """A play or a count that is asked about, and how the question reads."""

    text: Text
    entry: Any


@dataclass(frozen=True)
class Position:
    """What a question is about: a state that is only imagined, and what is asked in it."""

    state: Any
    """A State of the game."""
    proposals: tuple[Proposal, ...] = ()


@dataclass(frozen=True)
class PreparationStep:
    """One thing to prepare before a round: what, how much or who, and the section that says so."""

    rule: str
    label: Text
    value: Text


@dataclass(frozen=True)
class Preparation:
    """All that is prepared for a round.

    `lot` is what the rules leave to chance or to the table, such as who deals first; `draws` is what the players draw
    for their seats, in the order of the seats, where the rules say that seats are drawn.
    """

    steps: tuple[PreparationStep, ...]
    lot: Text | None = None
    draws: tuple[Text, ...] = ()


@dataclass(frozen=True)
class PaperSheet:
    """A score sheet on paper, as the people who play the game write it: the lines of a round.

    `table` is noted once, `side` by each side, and last of all its points.
    """

    side_lines: tuple[Text, ...]
    points: Text
    table_lines: tuple[Text, ...] = ()
