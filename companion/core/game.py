"""The Game record and the types its functions share."""

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
"""A frozen dataclass of the game: the public state of a round. It has `options` and `seats`."""
Play: TypeAlias = Any
"""A frozen dataclass of the game: one thing that a player does."""
Count: TypeAlias = Any
"""A frozen dataclass of the game: what a side, or the table, counts up at the end of a round."""
Options: TypeAlias = Any
"""A frozen dataclass of the game: the variants and house rules of a table. It has `dealer`, the seat that deals first,
and, where players may agree on their number, `rounds` (None: the usual number)."""
Setting: TypeAlias = Any
"""A frozen dataclass that `Options` inherits from: options that can still be set during play, such as a goal card.
A setting never changes which plays are legal, only what is counted and scored."""
Board: TypeAlias = Any
"""A frozen dataclass of the game: what a page shows of a state. It has `turn`, the seat to play, or None."""
Question: TypeAlias = Any
"""A frozen dataclass of the game: a question about an imagined position ("may I lay this card here?")."""
Tally: TypeAlias = tuple[Count, ...]
OPEN: Final = "?"
"""Score sheet value that is not known yet."""
ScoreValue: TypeAlias = int | Literal["?"] | None
"""A number on a score sheet; None if the line does not apply to the side, OPEN if it is not known yet."""


@dataclass(frozen=True)
class Violation:
    """A broken rule, and a sentence with the facts. The table cannot overrule a binding violation."""

    rule: StrEnum
    message: Text
    binding: bool = False


@dataclass(frozen=True)
class ScoreLine:
    """A line of a score sheet: its label and the value of each side."""

    label: Text
    values: tuple[ScoreValue, ...]


@dataclass(frozen=True)
class ScoreSheet:
    """The score of a round: its lines, and the points of each side (None while a line is open)."""

    lines: tuple[ScoreLine, ...]
    points: tuple[int | None, ...]
    verdict: Text | None = None

    @property
    def is_open(self) -> bool:
        """Whether a side's points are not known yet. Such a round is not over and does not count."""
        return None in self.points


@dataclass(frozen=True)
class Standing:
    """The totals of a match by side. Ranks start at 1, ties share one; empty if nobody is ranked (yet)."""

    totals: tuple[int, ...]
    ranks: tuple[int, ...]
    is_over: bool
    verdict: Text | None


@dataclass(frozen=True)
class Preset:
    """Options that a circle saves under `key` for its next tables. Empty `words` stand for the saved ones."""

    key: str
    label: Text
    words: Mapping[str, str]


@dataclass(frozen=True, eq=False)
class Game:
    """Everything the app knows about a game: its description, and pure functions over its own dataclasses.

    Fields that hold functions are named for what they do (`judge`) or for what they return (`board`). Games compare by
    identity. To add a game, start from the folder of a small one, such as `games/take_that`.
    """

    slug: str
    title: Text
    summary: Text
    version: int
    """Raise it when an old log could be judged differently."""
    seats: range
    minutes: int | None
    """How long a match takes; None if that cannot be said."""
    options: type[Options]
    plays: Mapping[str, type[Play]]
    """Kinds of plays; empty if the game is only counted, never refereed."""
    counts: Mapping[str, type[Count]]
    """Kinds of counts. One with a `seat` field is counted once per side (at its first seat), others once per table."""
    rules: type[StrEnum]
    match_rule: StrEnum
    """The rule that is broken by starting a round after the match is over."""
    sides: Callable[[Options, int], tuple[tuple[int, ...], ...]]
    """(options, seats) -> the seats of each side. Like `round_count` and `table_title`, independent of settings."""
    round_count: Callable[[Options, int], int | None]
    """(options, seats) -> the rounds of a match; None if the table plays as long as it likes."""
    setup: Callable[[Options, int, int], State]
    """(options, seats, rounds played before) -> the state in which a round begins."""
    judge: Callable[[State, Play], Iterator[Violation]]
    """Yield every violation of a play in a state: nothing if it is legal. Must not raise.

    Each violation names a section of the rulebook, and its message what lies on the table and what was played. It is
    binding if no table can overrule it (a card laid twice, a seat that does not exist).
    """
    apply: Callable[[State, Play], State]
    """Return the state after a play, legal or not. It is never given a play with a binding violation."""
    candidates: Callable[[State], Iterable[Play]]
    """Yield plays that may be legal in a state: every legal one (of long sequences, a few). May repeat some."""
    is_round_over: Callable[[State], bool]
    """Whether the plays have ended the round."""
    tally: Callable[[State], Tally]
    """Return what players would count at the end of a round; called only once the round is over."""
    check_tally: Callable[[Options, int, Tally], Iterator[Violation]]
    """(options, seats, tally): yield what a tally, complete or not, breaks: counts that the deck cannot add up to."""
    progress: Callable[[Tally], Text | None]
    """How much of the deck a tally, complete or not, accounts for; None if there is nothing to say."""
    score: Callable[[Options, Tally], ScoreSheet]
    """(options, complete tally) -> the score sheet of a round. Pad, referee and calculator all score with it."""
    standing: Callable[[Options, int, tuple[ScoreSheet, ...]], Standing]
    """(options, seats, score sheets by round, none of them open) -> totals, ranks, verdict, and whether it is over."""
    board: Callable[[State], Board]
    """Return what a page shows of a state."""
    describe: Callable[[Options, Play | Count | Setting], Text]
    """(options, entry) -> the entry as a line of the log."""
    explain: Callable[[State, Play | Count], Explanation]
    """(state, entry) -> the rule that allows a legal play or count. Not called for one that `judge` refuses."""
    relevant_rules: Callable[[State], tuple[str, ...]]
    """(state) -> the rulebook sections that matter now, most important first."""
    counting_rules: tuple[str, ...]
    """The rulebook sections that matter when a round is counted."""
    preparation: Callable[[Options, int], Preparation]
    """(options, seats) -> how to set the game up before the first round."""
    paper_sheet: Callable[[Options, int], PaperSheet]
    """(options, seats) -> the lines of the score sheet to print."""
    questions: Mapping[str, type[Question]] = field(default_factory=dict)
    """Questions that can be asked without a table: kind -> frozen dataclass whose fields all have defaults."""
    position: Callable[[Question], Position] = lambda question: Position(None)
    """(question) -> the position it is about. Raises Malformed if there can be no such position."""
    picture: Callable[[Options, Count], Any] | None = None
    """(options, count) -> a dataclass of the game that a page can draw; None if the count has no picture."""
    can_score_single_count: bool = True
    """Whether a count can be scored before the other sides have counted."""
    check_options: Callable[[Options, int], Iterator[Violation]] = lambda options, seats: iter(())
    """(options, seats): yield what the options break."""
    settings: Mapping[str, type[Setting]] = field(default_factory=dict)
    """Kinds of settings. Recorded as an entry, one counts in its round and in those that begin after it."""
    presets: Callable[[Options], tuple[Preset, ...]] = lambda options: ()
    """(options) -> what a circle saves of them for its next tables."""
    table_title: Callable[[Options], Text] | None = None
    """(options) -> the name of a table with these options; None: the title of the game."""
    highest_wins: Callable[[Options], bool] = lambda options: True
    """(options) -> whether the highest total wins."""
    is_won_together: Callable[[Options, Standing], bool] | None = None
    """(options, standing) -> whether the table has won together; None if players play against each other."""
    facts: Callable[[Any], Iterator[Fact]] = lambda match: iter(())
    """(match): yield statistics that only this game has. Callers use `match_facts.collect_facts`."""
    fact_kinds: tuple[FactKind, ...] = ()
    """All kinds of facts, in the order in which they are shown."""
    is_generic: bool = False
    """Whether it scores every game that has no folder; it comes last in lists."""

    def get_table_title(self, options: Options) -> Text:
        """Return the name of a table with these options."""
        return self.table_title(options) if self.table_title else self.title

    @cached_property
    def kinds(self) -> Mapping[str, type]:
        return {**self.plays, **self.counts, **self.settings}

    def get_kind(self, entry: Play | Count | Setting) -> str:
        return next(kind for kind, cls in self.kinds.items() if cls is type(entry))


def iter_distinct_candidates(game: Game, state: State) -> Iterator[Play]:
    """Yield each candidate once, even if the game repeats some."""
    seen: set[Play] = set()
    for play in game.candidates(state):
        if play not in seen:
            seen.add(play)
            yield play


def iter_legal_plays(game: Game, state: State) -> Iterator[Play]:
    """Yield the candidates that break no rule: the perft of a position.

    Derived from `candidates` and `judge`, so that it cannot disagree with the referee.
    """
    return (play for play in iter_distinct_candidates(game, state) if is_legal(game, state, play))


def is_legal(game: Game, state: State, play: Play) -> bool:
    return next(game.judge(state, play), None) is None


def apply_setting(options: Options, setting: Setting) -> Options:
    """Return the options with the values of a setting."""
    return replace(options, **{part.name: getattr(setting, part.name) for part in fields(setting)})


def get_setting(options: Options, cls: type[Setting]) -> Setting:
    """Return the current values of a setting."""
    return cls(**{part.name: getattr(options, part.name) for part in fields(cls)})


def sum_points(sheets: Iterable[ScoreSheet], side: int) -> int:
    """Return the total points of a side. Raises ValueError if a sheet is open.

    >>> sum_points([ScoreSheet((), (-5, 2)), ScoreSheet((), (8, 0))], 0)
    3
    """
    points = [sheet.points[side] for sheet in sheets]
    if None in points:
        raise ValueError("an open sheet has no total")
    return sum(value for value in points if value is not None)


def rank_totals(totals: Iterable[int], *, highest_first: bool = True) -> tuple[int, ...]:
    """Return the rank of each total, from 1. Ties share the better rank, and the next ones are skipped.

    >>> rank_totals([12, 30, 30])
    (3, 1, 1)
    >>> rank_totals([12, 30, 30], highest_first=False)
    (1, 2, 2)
    """
    totals = tuple(totals)
    return tuple(1 + sum((other > total) if highest_first else (other < total) for other in totals) for total in totals)
