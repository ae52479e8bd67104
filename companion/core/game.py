"""A game as a record of pure functions, and the small things that every game speaks in. The games are elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from functools import cached_property
from typing import Any, Final, Literal, TypeAlias

from companion.core.explanations import Explanation, PaperSheet, Position, Preparation
from companion.core.facts import Fact, FactKind
from companion.core.text import Text

State: TypeAlias = Any
"""A game's own frozen dataclass: what everybody at the table can see of a round; it has `options`."""
Play: TypeAlias = Any
"""A game's own frozen dataclass: one thing that a player does."""
Count: TypeAlias = Any
"""A game's own frozen dataclass: what a player, or the table, counts up at the end of a round."""
Options: TypeAlias = Any
"""A game's own frozen dataclass: the variants and house rules of a table; `dealer`, the seat that deals first; and
where their number can be agreed on, `rounds`, blank for what is usual."""
Setting: TypeAlias = Any
"""A part of a game's options, as a frozen dataclass that `Options` inherits from: what a table may still say of them
while it plays, such as a goal. No play is legal or illegal for it; what is counted and scored may be."""
Board: TypeAlias = Any
"""A game's own frozen dataclass: all that a page shows of a state; it has `turn`, the seat to play or None."""
Question: TypeAlias = Any
"""A game's own frozen dataclass: what somebody asks about a position, such as whether a card may be laid."""
Tally: TypeAlias = tuple[Count, ...]
OPEN: Final = "?"
"""What stands on a score sheet where a value is not known yet."""
ScoreValue: TypeAlias = int | Literal["?"] | None
"""A number of a score sheet; None where the line does not apply to a side, OPEN where it is not known yet."""


@dataclass(frozen=True)
class Violation:
    """What a play or a count breaks: the rule, and a sentence with the facts. A binding one cannot be overruled."""

    rule: StrEnum
    message: Text
    binding: bool = False


@dataclass(frozen=True)
class ScoreLine:
    """A line of a score sheet: what is counted, and the value for each side."""

    label: Text
    values: tuple[ScoreValue, ...]


@dataclass(frozen=True)
class ScoreSheet:
    """The points of a round: line by line, and in sum by side (None where a line is still open)."""

    lines: tuple[ScoreLine, ...]
    points: tuple[int | None, ...]
    verdict: Text | None = None

    @property
    def is_open(self) -> bool:
        """Whether something is not known yet: such a round is not over, and counts for nothing."""
        return None in self.points


@dataclass(frozen=True)
class Standing:
    """Where a match stands. Ranks are from 1, shared by those who tie, or empty where nobody is ranked."""

    totals: tuple[int, ...]
    ranks: tuple[int, ...]
    is_over: bool
    verdict: Text | None


@dataclass(frozen=True)
class Preset:
    """Options that a circle keeps under a name and is offered again; without words, those kept are filled in."""

    key: str
    label: Text
    words: Mapping[str, str]


@dataclass(frozen=True, eq=False)
class Game:
    """Everything that the app knows of one game; a game is equal to itself alone."""

    slug: str
    title: Text
    summary: Text
    version: int
    """Raised when an old log could be judged differently."""
    seats: range
    minutes: int | None
    """About how long a match takes, where that can be said."""
    options: type[Options]
    plays: Mapping[str, type[Play]]
    """None where nothing can be refereed."""
    counts: Mapping[str, type[Count]]
    """A kind whose dataclass has a `seat` is counted once a side, by its first seat; any other once a table."""
    rules: type[StrEnum]
    match_rule: StrEnum
    """The rule that says when a match is over."""
    sides: Callable[[Options, int], tuple[tuple[int, ...], ...]]
    """The seats of each side that scores together; it does not depend on a setting, nor do rounds or the name."""
    round_count: Callable[[Options, int], int | None]
    """How many rounds the match has; None where the table plays as long as it likes."""
    setup: Callable[[Options, int, int], State]
    """The state of a new round, from the options, the number of seats and the rounds played before."""
    judge: Callable[[State, Play], Iterator[Violation]]
    apply: Callable[[State, Play], State]
    candidates: Callable[[State], Iterable[Play]]
    is_round_over: Callable[[State], bool]
    tally: Callable[[State], Tally]
    check_tally: Callable[[Options, int, Tally], Iterator[Violation]]
    progress: Callable[[Tally], Text | None]
    """How much of the deck a tally, complete or not, accounts for."""
    score: Callable[[Options, Tally], ScoreSheet]
    standing: Callable[[Options, int, tuple[ScoreSheet, ...]], Standing]
    """From sheets on which nothing is open."""
    board: Callable[[State], Board]
    describe: Callable[[Options, Play | Count | Setting], Text]
    """A line of the log."""
    explain: Callable[[State, Play | Count], Explanation]
    """Why a legal play (or a count that may be counted) is legal."""
    relevant_rules: Callable[[State], tuple[str, ...]]
    """The sections of the rulebook that matter in a state, the most important first."""
    counting_rules: tuple[str, ...]
    """Those that matter when a round is counted."""
    preparation: Callable[[Options, int], Preparation]
    """What is prepared before the first round, with these options and so many seats."""
    paper_sheet: Callable[[Options, int], PaperSheet]
    """The lines of a score sheet on paper, with these options and so many seats."""
    questions: Mapping[str, type[Question]] = field(default_factory=dict)
    """What can be asked without a table: kind -> frozen dataclass, all of whose fields may be left out."""
    position: Callable[[Question], Position] = lambda question: Position(None)
    """The position that a question is about. Raises Malformed where there cannot be one."""
    picture: Callable[[Options, Count], Any] | None = None
    """What a page can draw of a count, a dataclass of the game's own; None where there is nothing to see."""
    can_score_single_count: bool = True
    """Whether the points of a count can be told before the others have counted."""
    check_options: Callable[[Options, int], Iterator[Violation]] = lambda options, seats: iter(())
    """What the options break at a table with so many seats."""
    settings: Mapping[str, type[Setting]] = field(default_factory=dict)
    """What of the options is recorded as an entry, too: it counts in its round, and in those that begin after it."""
    presets: Callable[[Options], tuple[Preset, ...]] = lambda options: ()
    """What of the options a circle keeps for its next tables."""
    table_title: Callable[[Options], Text] | None = None
    """What a table with these options is called, if not by the title."""
    highest_wins: Callable[[Options], bool] = lambda options: True
    """Whether a high total is good."""
    is_won_together: Callable[[Options, Standing], bool] | None = None
    """Whether the table has won together; None where players play against each other."""
    facts: Callable[[Any], Iterator[Fact]] = lambda match: iter(())
    """What the finished rounds of a Match tell that only this game can tell; read them by `told`."""
    fact_kinds: tuple[FactKind, ...] = ()
    """All that it can tell, in the order in which it is shown."""
    is_generic: bool = False
    """Whether it stands for every game that has no folder; the last in every list."""

    def get_table_title(self, options: Options) -> Text:
        """What a table with these options is called."""
        return self.table_title(options) if self.table_title else self.title

    @cached_property
    def kinds(self) -> Mapping[str, type]:
        return {**self.plays, **self.counts, **self.settings}

    def get_kind(self, entry: Play | Count | Setting) -> str:
        return next(kind for kind, cls in self.kinds.items() if cls is type(entry))


def iter_distinct_candidates(game: Game, state: State) -> Iterator[Play]:
    """Yield each candidate once, whatever a game repeats: of equal plays nobody could choose one."""
    seen: set[Play] = set()
    for play in game.candidates(state):
        if play not in seen:
            seen.add(play)
            yield play


def iter_legal_plays(game: Game, state: State) -> Iterator[Play]:
    """The candidates that break nothing: derived, so that it cannot differ from the law."""
    return (play for play in iter_distinct_candidates(game, state) if is_legal(game, state, play))


def is_legal(game: Game, state: State, play: Play) -> bool:
    return next(game.judge(state, play), None) is None


def apply_setting(options: Options, setting: Setting) -> Options:
    """Return the options with those of a setting in their place."""
    return replace(options, **{part.name: getattr(setting, part.name) for part in fields(setting)})


def get_setting(options: Options, cls: type[Setting]) -> Setting:
    """Return a setting as it is in the options."""
    return cls(**{part.name: getattr(options, part.name) for part in fields(cls)})


def sum_points(sheets: Iterable[ScoreSheet], side: int) -> int:
    """Return what a side has scored on all sheets. Raises ValueError for a sheet on which something is open."""
    points = [sheet.points[side] for sheet in sheets]
    if None in points:
        raise ValueError("an open sheet has no total")
    return sum(own for own in points if own is not None)


def rank_totals(totals: Iterable[int], *, highest_first: bool = True) -> tuple[int, ...]:
    """The rank of each total, from 1; equal totals share the better rank and the next ones are skipped (1, 1, 3)."""
    kept = tuple(totals)
    return tuple(1 + sum((other > own) if highest_first else (other < own) for other in kept) for own in kept)
