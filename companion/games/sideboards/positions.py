"""Positions of Sideboards to check without a table."""

import re
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import ClassVar, NamedTuple, Self

from companion.core.explanations import Position, Proposal
from companion.core.schema import LabelledEnum, Malformed, display_word, field
from companion.core.text import Text, _, format_number, ngettext
from companion.games.sideboards.board import number_instances
from companion.games.sideboards.deck import (
    CARD,
    LINES,
    SAMPLES,
    UNFINISHED,
    Colour,
    Handle,
    SideboardCard,
    describe_drawer,
)
from companion.games.sideboards.goals import Claim
from companion.games.sideboards.packing import Mask
from companion.games.sideboards.plays import COLOUR_GOALS, COLUMNS, HANDLE_GOALS, Options, PlaceCard, Swap
from companion.games.sideboards.rules import GRID, MIN_CELLS, iter_pattern_faults
from companion.games.sideboards.state import START, setup

BLANK_COLUMN = "-" * LINES
"""A column with no known drawer."""


class PatternKey(NamedTuple):
    """A button: the value it posts, its colour or handle, its face and label, and whether it is pressed."""

    word: str
    kind: str
    face: Text | None
    label: Text
    is_on: bool = False
    number: int = 0
    """The number of the instance that counts the drawer, or 0."""


@dataclass(frozen=True)
class DrawnPattern:
    """A letter or `-` for every drawer, column by column; no letter twice in a column."""

    kinds: ClassVar[tuple[Colour | Handle, ...]]

    columns: tuple[str, ...] = (BLANK_COLUMN,) * COLUMNS

    @classmethod
    def read(cls, word: str) -> Self:
        """Parse `R--T-.-R---`, one part per column, `-` for a column in which nothing is known."""
        columns = tuple(BLANK_COLUMN if column == "-" else column for column in word.split("."))
        if len(columns) > COLUMNS or not all(map(cls._is_column, columns)):
            raise Malformed(_("“{word}” does not describe the drawers of a sideboard.", word=display_word(word)))
        return cls((*columns, *(BLANK_COLUMN,) * (COLUMNS - len(columns))))

    @classmethod
    def _is_column(cls, column: str) -> bool:
        letters = column.replace("-", "")
        return len(column) == LINES and set(letters) <= set(cls.kinds) and len(set(letters)) == len(letters)

    def __str__(self) -> str:
        return re.sub(r"(\.-)+$", "", ".".join("-" if column == BLANK_COLUMN else column for column in self.columns))

    def mask(self, kind: Colour | Handle) -> Mask:
        positions = ((place, column.index(kind)) for place, column in enumerate(self.columns) if kind in column)
        return sum(1 << (LINES * column + line) for column, line in positions)

    def with_toggled(self, kind: Colour | Handle, line: int, column: int) -> Self:
        """Return the pattern with a drawer toggled; a card has each colour or handle only once."""
        before = self.columns[column]
        freed = before.replace(kind, "-")
        after = freed if before[line] == kind else self._complete_column(freed[:line] + kind + freed[line + 1 :])
        return replace(self, columns=(*self.columns[:column], after, *self.columns[column + 1 :]))

    def _complete_column(self, column: str) -> str:
        """Return the column with its last drawer filled in, which can only have the colour that is left."""
        missing = "".join(kind for kind in self.kinds if kind not in column)
        return column.replace("-", missing) if len(missing) == column.count("-") == 1 else column


@dataclass(frozen=True)
class Colours(DrawnPattern):
    kinds: ClassVar = tuple(Colour)


@dataclass(frozen=True)
class Handles(DrawnPattern):
    kinds: ClassVar = tuple(Handle)


@dataclass(frozen=True)
class PartialCard:
    """The drawers of a card tapped so far, from the top; not necessarily a possible card."""

    word: str = ""

    @classmethod
    def read(cls, word: str) -> "PartialCard":
        if not (UNFINISHED.fullmatch(word) or CARD.fullmatch(word)):
            raise Malformed(_("“{word}” does not describe the drawers of a card.", word=display_word(word)))
        return cls(word)

    def __str__(self) -> str:
        return self.word

    @property
    def drawers(self) -> tuple[str, ...]:
        """The notation of each drawer."""
        return tuple(re.findall("[RTPOB][fsb]?", self.word))

    @property
    def is_whole(self) -> bool:
        return len(self.drawers) == LINES

    @property
    def shorter(self) -> str:
        return self.word[:-1]

    def with_colour(self, colour: Colour) -> str:
        """Return the notation with one more drawer."""
        return "" if self.is_whole else self.word + colour

    def with_handle(self, handle: Handle) -> str:
        """Return the notation with a handle on the last drawer, replacing any other."""
        return self.word.rstrip("fsb") + handle if self.word else ""


@dataclass(frozen=True)
class CardToLay:
    """A card in hand and the number of cards already laid."""

    title: ClassVar = _("A card")

    card: PartialCard = field(_("My card"), _("from top to bottom"), default=PartialCard())
    laid: int | None = field(_("Cards in front of me"), range_=range(COLUMNS + 1), default=None)

    @property
    def colours(self) -> tuple[PatternKey, ...]:
        return tuple(PatternKey(self.card.with_colour(part), part, part.letter, part.label) for part in Colour)

    @property
    def handles(self) -> tuple[PatternKey, ...]:
        return tuple(PatternKey(self.card.with_handle(part), part, part.letter, part.label) for part in Handle)

    @property
    def drawers(self) -> tuple[PatternKey | None, ...]:
        """The card from top to bottom; None for drawers not tapped yet."""
        done = tuple(
            PatternKey("", " ".join(drawer), Colour(drawer[0]).letter, describe_drawer(drawer[0], drawer[1:] or "-"))
            for drawer in self.card.drawers
        )
        return (*done, *(None,) * (LINES - len(done)))

    @property
    def choices(self) -> tuple[PatternKey, ...]:
        """The card counts that the rules tell apart."""
        return (self._span(0, START - 1), self._span(START, COLUMNS - 1), self._span(COLUMNS, COLUMNS))

    @property
    def remove(self) -> tuple[str, str]:
        """The field that removes what was tapped last, and its value."""
        return ("tapped", self.card.shorter) if self.card.shorter else ("drop", "card")

    def _span(self, least: int, most: int) -> PatternKey:
        span = Text("{least}–{most}", (("least", least), ("most", most)))
        face = span if least < most else format_number(most)
        return PatternKey(str(most), "", face, face, is_on=self.laid in range(least, most + 1))


def _build_card_position(question: CardToLay) -> Position:
    proposals = []
    if question.card.is_whole:
        card = SideboardCard.read(question.card.word)
        proposals.append(Proposal(_("Lay {card}", card=card.label), PlaceCard(0, card)))
    if question.laid is not None:
        proposals.append(Proposal(_("Swap both hand cards"), Swap(0)))
    state = setup(Options(), 2, 0)
    return Position(replace(state, sideboards=(SAMPLES[: question.laid or 0], ())), tuple(proposals))


class PatternSort(LabelledEnum):
    """Sort of pattern; the value is the field in which its drawers are tapped."""

    COLOURS = "colours", _("colours 1–7")
    HANDLES = "handles", _("handles 8–14")


class TapTarget(StrEnum):
    """Target of a tap: the pattern of the goal, or the drawers of a colour or handle."""

    GOAL = "goal"
    RED = "R"
    TURQUOISE = "T"
    PINK = "P"
    ORANGE = "O"
    BLACK = "B"
    FLOWER = "f"
    SQUARE = "s"
    BAR = "b"


@dataclass(frozen=True)
class PatternOnDrawers:
    """A pattern, some drawers of a sideboard, and a claim of how often the pattern is met."""

    title: ClassVar = _("A pattern")
    sorts: ClassVar = tuple(PatternSort)

    of: PatternSort = field(_("A goal of"), default=PatternSort.COLOURS)
    pattern: tuple[int, ...] = field(_("The pattern"), range_=range(11, 56), default=())
    mirrored: bool = field(_("Patterns also mirrored"), default=False)
    colours: Colours = field(_("The colours"), default=Colours())
    handles: Handles = field(_("The handles"), default=Handles())
    times: int | None = field(_("I count it"), range_=range(1, 41), default=None)
    tap: TapTarget = field(_("What are you tapping?"), default=TapTarget.GOAL)

    @property
    def is_goal(self) -> bool:
        return self.tap is TapTarget.GOAL

    @property
    def drawn(self) -> DrawnPattern:
        return self.colours if self.of is PatternSort.COLOURS else self.handles

    @property
    def kind(self) -> Colour | Handle:
        """The colour or handle being tapped; the first, if the target belongs to the other sort of goal."""
        kinds = self.drawn.kinds
        return next((kind for kind in kinds if str(kind) == str(self.tap)), kinds[0])

    @property
    def task(self) -> Text:
        return _("Tap all of them: {kind}", kind=self.kind.label)

    @property
    def into(self) -> str:
        return "pattern" if self.is_goal else str(self.of)

    @property
    def keys(self) -> tuple[PatternKey, ...]:
        """A button for each colour or handle."""
        return tuple(
            PatternKey(kind, kind, kind.letter, kind.label, is_on=kind == self.kind and not self.is_goal)
            for kind in self.drawn.kinds
        )

    @property
    def cells(self) -> tuple[tuple[PatternKey, ...], ...]:
        """The pattern's grid, line by line."""
        return tuple(
            tuple(self._build_key(line, column) for column in range(1, GRID + 1)) for line in range(1, GRID + 1)
        )

    def _build_key(self, line: int, column: int) -> PatternKey:
        cell, label = 10 * line + column, _("line {line}, column {column}", line=line, column=column)
        return PatternKey(str(cell), "", None, label, is_on=cell in self.pattern)

    @property
    def claim(self) -> Claim | None:
        """None while there are too few drawers or cells for anything to fit."""
        drawers = tuple((kind, self.drawn.mask(kind)) for kind in self.drawn.kinds)
        size = len(self.pattern)
        if size < MIN_CELLS or all(mask.bit_count() < size for _kind, mask in drawers):
            return None
        claim = Claim(self.pattern, drawers, 1, self.mirrored)
        return replace(claim, times=self.times or max(claim.most, 1))

    @property
    def choices(self) -> tuple[int, ...]:
        """Numbers to claim, close to the right one."""
        if self.claim is None:
            return ()
        near = range(max(self.claim.most - 2, 1), self.claim.most + 4)
        return tuple(sorted({*near, self.claim.times}))

    @property
    def lines(self) -> tuple[tuple[PatternKey, ...], ...]:
        """The drawers, line by line, with the number of the instance that counts each."""
        masks = [mask for packed in self.claim.instances.values() for mask in packed] if self.claim else []
        numbers = number_instances(masks)
        return tuple(tuple(self._cell(line, column, numbers) for column in range(COLUMNS)) for line in range(LINES))

    def _cell(self, line: int, column: int, numbers: dict[Mask, int]) -> PatternKey:
        letter, number = self.drawn.columns[column][line], numbers.get(1 << (LINES * column + line), 0)
        place = _("line {line}, column {column}", line=line + 1, column=column + 1)
        word = str(self.drawn.with_toggled(self.kind, line, column))
        if letter == "-":
            return PatternKey(word, "room", None, place)
        kind = next(kind for kind in self.drawn.kinds if kind == letter)
        label = _("{place}: {drawer}", place=place, drawer=kind.label)
        if number:
            label = _("{place}: {drawer}, counts for number {n}", place=place, drawer=kind.label, n=number)
        return PatternKey(word, letter, kind.letter, label, number=number)


def build_position(question: PatternOnDrawers | CardToLay) -> Position:
    """Build a position from a pattern or a card. Raises Malformed for a pattern that no card can meet."""
    if isinstance(question, CardToLay):
        return _build_card_position(question)
    goals = COLOUR_GOALS if question.of is PatternSort.COLOURS else HANDLE_GOALS
    name = Text("{first}–{last}", (("first", goals[0]), ("last", goals[-1])))
    fault = next(iter_pattern_faults(name, question.pattern), None)
    if fault and len(question.pattern) >= MIN_CELLS:
        raise Malformed(fault, "pattern")
    state, claim = setup(Options(), 2, 0), question.claim
    if claim is None:
        return Position(state)
    text = ngettext("The goal is met {n} time", "The goal is met {n} times", claim.times)
    return Position(state, (Proposal(text, claim),))
