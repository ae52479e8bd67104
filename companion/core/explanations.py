"""Explanations of legal plays, positions to ask about, preparation steps and paper score sheets."""

from dataclasses import dataclass

from companion.core.protocols import Record, State
from companion.core.text import Text


@dataclass(frozen=True)
class Explanation:
    """Why an entry is legal: the rulebook section that allows it, and a sentence with the facts.

    A list of legal plays groups them under `heading`; `label` tells the plays of a group apart, if need be.
    """

    rule: str
    heading: Text
    label: str | Text = ""
    reason: Text | None = None


@dataclass(frozen=True)
class Proposal:
    """A play or a count that somebody asks about, and the question in words."""

    text: Text
    entry: Record


@dataclass(frozen=True)
class Position:
    """An imagined state, and the entries that somebody would make in it."""

    state: State
    proposals: tuple[Proposal, ...] = ()


@dataclass(frozen=True)
class PreparationStep:
    """One thing to prepare: what (`label`), how much or who (`value`), and the rulebook section that says so."""

    rule: str
    label: Text
    value: Text


@dataclass(frozen=True)
class Preparation:
    """How to set up a round.

    `lot` is what the rules leave to chance or to the table, such as who deals first. If the rules say that players draw
    for their seats, `draws` is what they draw, by seat.
    """

    steps: tuple[PreparationStep, ...]
    lot: Text | None = None
    draws: tuple[Text, ...] = ()


@dataclass(frozen=True)
class PaperSheet:
    """The lines of a round on a paper score sheet: once for the table, for each side, and last the side's points."""

    side_lines: tuple[Text, ...]
    points: Text
    table_lines: tuple[Text, ...] = ()
