"""Options, plays and counts of Sideboards, and their text in the log."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from companion.core.game import Preset
from companion.core.schema import Choice, Incomplete, LabelledEnum, Meaning, Seated, encode_field, field, field_names
from companion.core.text import SeatName, Text, _, format_number, ngettext
from companion.games.sideboards.deck import Colour, Handle, SideboardCard

COLOUR_GOALS, HANDLE_GOALS, ROW_GOALS = range(1, 8), range(8, 15), range(15, 31)
SINGLE_KIND_GOALS, TWO_LINE_GOALS = range(19, 27), range(27, 31)
"""Row goals that name one colour or handle, and those that name two lines."""
HANDLE_ROW_GOALS = (16, 18, 24, 25, 26, 28, 30)
"""Row goals that count handles; the others count colours."""
COLUMNS = 8
"""Cards of a finished sideboard."""


class RowKind(LabelledEnum):
    """Subject of the row goals 19 to 26; `usual` is the one in the leaflet's list."""

    USUAL = "usual", _("as listed")
    RED = "red", Colour.RED.label
    TURQUOISE = "turquoise", Colour.TURQUOISE.label
    PINK = "pink", Colour.PINK.label
    ORANGE = "orange", Colour.ORANGE.label
    BLACK = "black", Colour.BLACK.label
    FLOWER = "flower", Handle.FLOWER.label
    SQUARE = "square", Handle.SQUARE.label
    BAR = "bar", Handle.BAR.label


COLOURS_AND_HANDLES: tuple[Colour | Handle, ...] = (*Colour, *Handle)
NAMED_KINDS: dict[RowKind, Colour | Handle] = dict(zip(list(RowKind)[1:], COLOURS_AND_HANDLES, strict=True))


ROW_TEXTS = {
    15: _("two longest, by colour"),
    16: _("two longest, by handle"),
    17: _("longest row, same colour"),
    18: _("longest row, same handle"),
    **{
        goal: _("longest row of {kind}", kind=kind.label)
        for goal, kind in zip(SINGLE_KIND_GOALS, COLOURS_AND_HANDLES, strict=True)
    },
    **dict.fromkeys((27, 29), _("two lines, by colour")),
    **dict.fromkeys((28, 30), _("two lines, by handle")),
}


def _build_goal_choices(goals: Iterable[int]) -> tuple[Choice, ...]:
    return tuple(Choice(str(n), format_number(n), ROW_TEXTS.get(n)) for n in goals)


@dataclass(frozen=True)
class ColourGoal:
    """The colour goal on the table, as printed; its pattern is empty until it is drawn."""

    colour_goal: int = field(_("Colour goal"), choices=_build_goal_choices(COLOUR_GOALS), default=1)
    colour_pattern: tuple[int, ...] = field(
        _("Colour pattern"), _("Tap the drawers that are printed on the card."), meaning=Meaning.PATTERN, default=()
    )
    colour_points: int = field(
        _("Points of the colour goal"), _("As printed on the card."), range_=range(1, 21), default=4
    )


@dataclass(frozen=True)
class HandleGoal:
    """The handle goal on the table, as printed; its pattern is empty until it is drawn."""

    handle_goal: int = field(_("Handle goal"), choices=_build_goal_choices(HANDLE_GOALS), default=8)
    handle_pattern: tuple[int, ...] = field(
        _("Handle pattern"), _("Tap the handles that are printed on the card."), meaning=Meaning.PATTERN, default=()
    )
    handle_points: int = field(
        _("Points of the handle goal"), _("As printed on the card."), range_=range(1, 21), default=3
    )


@dataclass(frozen=True)
class RowGoal:
    """The row goal on the table, with its colour, handle or lines."""

    row_goal: int = field(_("Row goal"), choices=_build_goal_choices(ROW_GOALS), default=17)
    row_of: RowKind = field(
        _("Which colour or handle?"),
        _("Only for goals 19 to 26, and only if the card differs from the list."),
        applies=lambda options: options.row_goal in SINGLE_KIND_GOALS,
        default=RowKind.USUAL,
    )
    lines: tuple[int, ...] = field(
        _("Which two lines?"),
        _("Only for goals 27 to 30. Usually 1 and 4, or 2 and 3."),
        applies=lambda options: options.row_goal in TWO_LINE_GOALS,
        default=(),
    )

    @property
    def counted_kind(self) -> Colour | Handle | None:
        """The colour or handle of goals 19 to 26, as on the card or by default as in the leaflet."""
        if self.row_goal not in SINGLE_KIND_GOALS:
            return None
        usual = COLOURS_AND_HANDLES[self.row_goal - SINGLE_KIND_GOALS[0]]
        return NAMED_KINDS.get(self.row_of, usual)

    @property
    def two_lines(self) -> tuple[int, ...]:
        """The lines of goals 27 to 30, from 1 at the top; none for other goals."""
        if self.row_goal not in TWO_LINE_GOALS:
            return ()
        return self.lines or ((1, 4) if self.row_goal in (27, 28) else (2, 3))

    @property
    def row_text(self) -> Text:
        """Description of the row goal."""
        if self.counted_kind is not None:
            return _("longest row of {kind}", kind=self.counted_kind.label)
        lines = " + ".join(map(str, self.two_lines))
        return _("{text} ({lines})", text=ROW_TEXTS[self.row_goal], lines=lines) if lines else ROW_TEXTS[self.row_goal]


@dataclass(frozen=True)
class Options(RowGoal, HandleGoal, ColourGoal):
    """The three goals on the table, and its variants."""

    dealer: int = 0
    mirrored: bool = field(
        _("Patterns also mirrored"), _("Usually a pattern may be turned upside down, but not mirrored."), default=False
    )
    four_cards: bool = field(
        _("Four cards"), _("Start with four cards and pass two on. There are no swap cards."), default=False
    )
    rounds: int = field(_("Rounds"), _("A match is one round; you may agree on more."), range_=range(1, 100), default=1)

    @property
    def undrawn(self) -> tuple[int, ...]:
        """Goals whose pattern is not drawn yet."""
        goals = ((self.colour_goal, self.colour_pattern), (self.handle_goal, self.handle_pattern))
        return tuple(goal for goal, pattern in goals if not pattern)


class End(LabelledEnum):
    """End of the sideboard at which a card is laid."""

    LEFT = "left", _("on the left")
    RIGHT = "right", _("on the right")


@dataclass(frozen=True)
class PlaceCard:
    """A card laid at one end of a sideboard; `turned` if upside down compared with its notation."""

    seat: int = field(_("Whose sideboard is it?"))
    card: SideboardCard = field(_("Which card?"))
    end: End = field(_("Which end?"), default=End.RIGHT)
    turned: bool = field(_("upside down"), default=False)

    @property
    def laid_card(self) -> SideboardCard:
        """The card as laid."""
        return self.card.turned if self.turned else self.card


@dataclass(frozen=True)
class Swap:
    """Both hand cards discarded and two new ones drawn; the swap card is used up."""

    seat: int = field(_("Who swaps?"))


@dataclass(frozen=True)
class Count(Seated):
    """A player's result: the finished sideboard, or the numbers counted on it.

    With a sideboard, instances can be counted by hand while their pattern is not drawn; otherwise they stay open.
    Raises Incomplete for neither or both.
    """

    colours: int | None = field(_("colour goal, times"), _("how many times"), default=None)
    handles: int | None = field(_("handle goal, times"), _("how many times"), default=None)
    rows: tuple[int, ...] | None = field(
        _("row"),
        _("drawers in it"),
        box_labels=lambda options, seats: (
            (_("row, drawers"),) if is_single(options.row_goal) else (_("row 1, drawers"), _("row 2, drawers"))
        ),
        default=None,
    )
    cards: tuple[SideboardCard, ...] | None = field(
        _("sideboard"),
        _("the eight cards from left to right"),
        box_labels=lambda options, seats: tuple(format_number(n) for n in range(1, COLUMNS + 1)),
        default=None,
    )
    unused: bool = field(_("swap card unused"), applies=lambda options: not options.four_cards, default=False)

    def __post_init__(self) -> None:
        if self.cards is not None and self.rows is not None:
            raise Incomplete(_("Enter the eight cards or the numbers counted on them, not both."), "cards")
        if self.cards is None and None in (self.colours, self.handles, self.rows):
            raise Incomplete(_("Enter the colour goal, the handle goal and the row, or the eight cards."), "colours")


Play: TypeAlias = PlaceCard | Swap


def is_single(row_goal: int) -> bool:
    """Return whether a row goal counts one row, not two."""
    return row_goal in range(17, 27)


def can_lack_row(row_goal: int) -> bool:
    """Return whether a full sideboard may have no row for a goal: a line can lack handles, but never colours."""
    return row_goal in (28, 30)


def describe(options: Options, entry: Play | Count | ColourGoal | HandleGoal | RowGoal) -> Text:
    """Return the text of an entry in the log."""
    match entry:
        case PlaceCard(seat, end=end):
            return _("{name} lays {end}: {card}", name=SeatName(seat), end=end.label, card=entry.laid_card.drawers)
        case Swap(seat):
            return _("{name} swaps both hand cards", name=SeatName(seat))
        case Count(seat):
            return _("{name}: {text}", name=SeatName(seat), text=tuple(_describe_count(entry)))
        case ColourGoal(goal, pattern, points) | HandleGoal(goal, pattern, points):
            return _describe_pattern_goal(goal, pattern, points)
        case RowGoal(goal):
            return _("Goal {n}: {text}", n=goal, text=entry.row_text)


def _describe_pattern_goal(goal: int, pattern: tuple[int, ...], points: int) -> Text:
    if not pattern:
        return _("Goal {n}: not drawn yet", n=goal)
    cells = tuple(Text("{line}/{column}", (("line", cell // 10), ("column", cell % 10))) for cell in sorted(pattern))
    return _("Goal {n}: drawers {cells} (line/column), {points} points each time", n=goal, cells=cells, points=points)


def _describe_count(count: Count) -> Iterator[Text]:
    if count.cards is not None:
        yield ngettext("{n} card", "{n} cards", len(count.cards))
    if count.colours is not None:
        yield ngettext("colour goal {n} time", "colour goal {n} times", count.colours)
    if count.handles is not None:
        yield ngettext("handle goal {n} time", "handle goal {n} times", count.handles)
    if count.rows is not None:
        yield _("row {drawers}", drawers=" + ".join(map(str, count.rows)))
    if count.unused:
        yield _("swap card unused")


def list_presets(options: Options) -> tuple[Preset, ...]:
    """Return the options to reuse for each goal; a preset without values is filled in from the saved one."""
    goals: list[tuple[str, int, tuple[str, ...]]] = [
        ("colour", options.colour_goal, field_names(ColourGoal) if options.colour_pattern else ()),
        ("handle", options.handle_goal, field_names(HandleGoal) if options.handle_pattern else ()),
    ]
    if options.row_goal in SINGLE_KIND_GOALS:
        goals.append(("row", options.row_goal, () if options.row_of is RowKind.USUAL else ("row_goal", "row_of")))
    if options.row_goal in TWO_LINE_GOALS:
        goals.append(("row", options.row_goal, ("row_goal", "lines") if options.lines else ()))
    return tuple(_build_goal_preset(options, *goal) for goal in goals)


def _build_goal_preset(options: Options, kind: str, goal: int, names: tuple[str, ...]) -> Preset:
    words = {name: encode_field(Options, name, getattr(options, name)) for name in names}
    return Preset(f"{kind}-{goal}", _("Goal {n}", n=goal), words)
