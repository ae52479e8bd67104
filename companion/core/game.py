"""The Game record and the types its functions share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from functools import cached_property
from typing import Generic, Never, TypeAlias, TypeVar, cast

from companion.core.defaults import derived
from companion.core.explanations import Explanation, PaperSheet, Position, Preparation
from companion.core.facts import Fact, FactKind
from companion.core.protocols import Board, Count, Options, Play, Question, Record, Setting, State
from companion.core.scoring import CountingRule, CountT, OptionsT, Scoring
from companion.core.text import Text

StateT = TypeVar("StateT", bound=State)
PlayT = TypeVar("PlayT", bound=Play)
BoardT = TypeVar("BoardT", bound=Board)
QuestionT = TypeVar("QuestionT", bound=Question)
EntryT = TypeVar("EntryT", bound=Record)
SettingT = TypeVar("SettingT", bound=Setting)
MatchT_contra = TypeVar("MatchT_contra", contravariant=True)
"""The Match, which knows its game: only a variable keeps their modules apart."""


@dataclass(frozen=True)
class Violation:
    """A broken rule, and a sentence with the facts. The table cannot overrule a binding violation."""

    rule: StrEnum
    message: Text
    binding: bool = False


@dataclass(frozen=True)
class Preset:
    """Options that a circle saves under `key` for its next tables. Empty `words` stand for the saved ones."""

    key: str
    label: Text
    words: Mapping[str, str]


@dataclass(frozen=True)
class PlainOptions:
    """Options of a game that has none."""

    dealer: int = 0


@dataclass(frozen=True)
class About:
    """What lists say of a game."""

    slug: str
    title: Text
    summary: Text
    version: int
    """Raise it when an old log could be judged differently."""
    seats: range
    minutes: int | None = None
    """How long a match takes; None if that cannot be said."""


@dataclass(frozen=True)
class OptionSet(Generic[OptionsT]):
    """What a table can agree on before it plays."""

    cls: type[OptionsT] = cast("type[OptionsT]", PlainOptions)
    check: Callable[[OptionsT, int], Iterator[Violation]] = lambda options, seats: iter(())
    """(options, seats): yield what the options break."""
    settings: Mapping[str, type[Setting]] = field(default_factory=dict)
    """Kinds of settings. Recorded as an entry, one counts in its round and in those that begin after it."""
    presets: Callable[[OptionsT], tuple[Preset, ...]] = lambda options: ()
    """(options) -> what a circle saves of them for its next tables."""
    table_title: Callable[[OptionsT], Text] | None = None
    """(options) -> the name of the game that this table plays, which has no folder; None: the title of the game."""


@dataclass(frozen=True)
class Pad(Generic[OptionsT, CountT]):
    """What is counted at the end of a round."""

    counts: Mapping[str, type[CountT]]
    """Kinds of counts. One with a `seat` field is counted once per side (at its first seat), others once per table."""
    check: Callable[[OptionsT, int, tuple[CountT, ...]], Iterator[Violation]] = lambda options, seats, tally: iter(())
    """(options, seats, tally): yield what a tally, complete or not, breaks: counts that the deck cannot add up to.

    `build_game` adds that there is no such seat, or that it has been counted, and leaves the former out of the tally.
    """
    count_rule: StrEnum = CountingRule.SCORE
    """The rule that is broken by counting twice."""
    progress: Callable[[tuple[CountT, ...]], Text | None] = lambda tally: None
    """How much of the deck a tally, complete or not, accounts for; None if there is nothing to say."""
    picture: Callable[[OptionsT, CountT], Record | None] | None = None
    """(options, count) -> what a page can draw of one count alone, in a game that scores complete tallies only.

    None: a count is scored before the other sides have counted."""


@dataclass(frozen=True)
class Referee(Generic[OptionsT, StateT, PlayT, CountT, BoardT]):
    """The rules of play: what is legal, and what each play does.

    `judge` is the law and `apply` is the physics: a table may insist on an illegal play.
    """

    plays: Mapping[str, type[PlayT]]
    """Kinds of plays."""
    setup: Callable[[OptionsT, int, int], StateT]
    """(options, seats, rounds played before) -> the state in which a round begins."""
    judge: Callable[[StateT, PlayT], Iterator[Violation]]
    """Yield every violation of a play in a state: nothing if it is legal. Must not raise.

    Each violation names a section of the rulebook, and its message what lies on the table and what was played. It is
    binding if no table can overrule it, such as a card laid twice. `build_game` adds that there is no such seat.
    """
    apply: Callable[[StateT, PlayT], StateT]
    """Return the state after a play, legal or not. It is never given a play with a binding violation."""
    candidates: Callable[[StateT], Iterable[PlayT]]
    """Yield plays that may be legal in a state: every legal one (of long sequences, a few). May repeat some.

    Called only while the round is not over."""
    tally: Callable[[StateT], tuple[CountT, ...]]
    """Return what players would count at the end of a round; called only once the round is over."""
    board: Callable[[StateT], BoardT]
    """Return what a page shows of a state."""
    slot: Callable[[PlayT], int | None] = lambda play: None
    """The seat whose own slot a play takes, where players act at the same time; None: its place in the round."""

    def iter_distinct_candidates(self, state: StateT) -> Iterator[PlayT]:
        """Yield each candidate once, even if the game repeats some."""
        return iter(dict.fromkeys(self.candidates(state)))

    def iter_legal_plays(self, state: StateT) -> Iterator[PlayT]:
        """Yield the candidates that break no rule: the perft of a position.

        Derived from `candidates` and `judge`, so that it cannot disagree with them.
        """
        return (play for play in self.iter_distinct_candidates(state) if self.is_legal(state, play))

    def share_slot(self, play: PlayT, other: PlayT) -> bool:
        """Return whether two plays made on the same board clash."""
        slot = self.slot(play)
        return slot is None or self.slot(other) in (slot, None)

    def is_legal(self, state: StateT, play: PlayT) -> bool:
        return next(self.judge(state, play), None) is None


@dataclass(frozen=True)
class Help(Generic[OptionsT, StateT, EntryT, QuestionT]):
    """What the game says in words: entries, reasons, rules that matter, preparation, and questions."""

    describe: Callable[[OptionsT, EntryT], Text] = derived
    """(options, entry) -> a play, count or setting as a line of the log."""
    explain: Callable[[StateT, EntryT], Explanation] = derived
    """(state, entry) -> the rule that allows a legal play or count. Not called for one that `judge` refuses."""
    relevant_rules: Callable[[StateT], tuple[str, ...]] = derived
    """(state) -> the rulebook sections that matter now, most important first; by default the first rules."""
    counting_rules: tuple[str, ...] = ()
    """The rulebook sections that matter when a round is counted; by default all rules."""
    preparation: Callable[[OptionsT, int], Preparation] = derived
    """(options, seats) -> how to set the game up before the first round."""
    paper_sheet: Callable[[OptionsT, int], PaperSheet] = derived
    """(options, seats) -> the lines of the score sheet to print."""
    questions: Mapping[str, type[QuestionT]] = field(default_factory=dict)
    """Questions that can be asked without a table, by kind."""
    position: Callable[[QuestionT], Position] = derived
    """(question) -> the position it is about. Raises Malformed if there can be no such position."""


@dataclass(frozen=True)
class Stats(Generic[OptionsT, MatchT_contra]):
    """What only this game can tell of a match."""

    facts: Callable[[OptionsT, MatchT_contra], Iterator[Fact]] = lambda options, match: iter(())
    """(options, match): yield statistics that only this game has. Callers use `match_facts.collect_facts`."""
    fact_kinds: tuple[FactKind, ...] = ()
    """All kinds of facts, in the order in which they are shown."""


AnyReferee: TypeAlias = Referee[Options, State, Play, Count, Board]
"""The referee of some game: its dataclasses are known by their protocols only."""


@dataclass(frozen=True)
class CountedState:
    """The state of a round that is not refereed."""

    options: Options
    seats: int
    is_over: bool = False


@dataclass(frozen=True, eq=False, repr=False)
class Game:
    """Everything the app knows about a game: its description, and pure functions over its own dataclasses.

    Functions are named for what they do (`judge`) or for what they return (`board`). Games compare by identity.
    `game_builder.build_game` makes one; to add a game, start from the folder of a small one, such as `games/take_that`.
    """

    about: About
    rules: type[StrEnum]
    """Every rule that a violation can name: each is a section of the rulebook."""
    options: OptionSet[Options]
    pad: Pad[Options, Count]
    scoring: Scoring[Options, Count]
    referee: AnyReferee | None
    """None if the game is only counted."""
    help: Help[Options, State, Record, Question]
    stats: Stats[Options, Never]

    def __repr__(self) -> str:
        return self.about.slug

    @property
    def slug(self) -> str:
        return self.about.slug

    @property
    def title(self) -> Text:
        return self.about.title

    @property
    def is_generic(self) -> bool:
        """Whether its tables name the game they play: it scores every game that has no folder, and comes last."""
        return self.options.table_title is not None

    def get_table_title(self, options: Options) -> Text:
        """Return the name of a table with these options."""
        return self.options.table_title(options) if self.options.table_title else self.title

    def set_up_round(self, options: Options, seats: int, rounds_before: int) -> State:
        """Return the state in which a round begins."""
        return self.referee.setup(options, seats, rounds_before) if self.referee else CountedState(options, seats)

    @cached_property
    def plays(self) -> Mapping[str, type[Play]]:
        """Kinds of plays; none if the game is only counted."""
        return self.referee.plays if self.referee else {}

    @cached_property
    def kinds(self) -> Mapping[str, type[Record]]:
        """Kinds of plays, counts and settings."""
        return {**self.plays, **self.pad.counts, **self.options.settings}

    def get_kind(self, entry: Record) -> str:
        return next(kind for kind, cls in self.kinds.items() if cls is type(entry))


def apply_setting(options: OptionsT, setting: Setting) -> OptionsT:
    """Return the options with the values of a setting."""
    return replace(options, **{part.name: getattr(setting, part.name) for part in fields(setting)})


def get_setting(options: Options, cls: type[SettingT]) -> SettingT:
    """Return the current values of a setting."""
    return cls(**{part.name: getattr(options, part.name) for part in fields(cls)})
