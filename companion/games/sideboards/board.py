"""Board of Sideboards, as its pages show it."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from companion.core.text import Text, _
from companion.games.sideboards.deck import LINES, Colour, Handle, SideboardCard
from companion.games.sideboards.goals import GoalResults, find_goals
from companion.games.sideboards.packing import Mask
from companion.games.sideboards.plays import COLUMNS, Count, Options
from companion.games.sideboards.scoring import DRAWER, sum_known
from companion.games.sideboards.state import START, State


class DrawerView(NamedTuple):
    """A drawer of the sideboard; each `in_...` is the number of the instance or row that counts it, 0 for none."""

    colour: Colour
    handle: Handle | None
    in_colours: int
    in_handles: int
    in_rows: int


class LineView(NamedTuple):
    """A line of a sideboard, from left to right; `says` is its text for screen readers."""

    drawers: tuple[DrawerView, ...]
    says: Text


class GoalView(NamedTuple):
    """A goal on a sideboard: its number, the calculation and its points."""

    id: str
    """`c`, `h` or `r`, as on the drawers."""
    number: int
    sum: str
    points: int | None
    """None while the pattern is not drawn."""


@dataclass(frozen=True)
class Picture:
    """A sideboard and the goals met on it."""

    lines: tuple[LineView, ...]
    goals: tuple[GoalView, ...]
    cards: int

    @property
    def points(self) -> int | None:
        """Points so far, without row bonus and swap card; None while a pattern is not drawn."""
        return sum_known(tuple(goal.points for goal in self.goals))

    @property
    def room(self) -> range:
        """The empty columns."""
        return range(COLUMNS - self.cards)


@dataclass(frozen=True)
class SeatView:
    """A player's sideboard."""

    seat: int
    picture: Picture
    has_swap: bool
    can_swap: bool
    has_swapped: bool

    @property
    def notes(self) -> tuple[Text, ...]:
        """How many cards are laid, and what is to be said of the swap card."""
        notes = (self.can_swap, _("may swap")), (self.has_swapped, _("has swapped"))
        return (_("{n} of 8 cards", n=self.picture.cards), *(text for holds, text in notes if holds))

    @property
    def id(self) -> str:
        return str(self.seat)

    @property
    def is_full(self) -> bool:
        return self.picture.cards >= COLUMNS


@dataclass(frozen=True)
class Board:
    turn: None
    """Always None: everybody plays at the same time."""
    places: tuple[SeatView, ...]
    shown: int
    """The seat whose sideboard is open for entries."""


def build_board(state: State) -> Board:
    places = tuple(_build_seat(state, seat) for seat in range(state.seats))
    return Board(turn=None, places=places, shown=_get_shown_seat(state, places))


def build_picture(options: Options, count: Count) -> Picture | None:
    """Return the picture of a count's sideboard, or None for a count without cards."""
    return draw_sideboard(options, count.cards) if count.cards else None


@lru_cache(maxsize=2_000)
def draw_sideboard(options: Options, cards: tuple[SideboardCard, ...]) -> Picture:
    results = find_goals(options, cards)
    colours, handles = results.counts
    goals = (
        _build_instance_goal("c", options.colour_goal, colours, options.colour_points),
        _build_instance_goal("h", options.handle_goal, handles, options.handle_points),
        _build_row_goal(options, results.lengths),
    )
    return Picture(_build_lines(cards, results), goals, len(cards))


def _build_instance_goal(id: str, goal: int, count: int | None, points: int) -> GoalView:
    return GoalView(id, goal, "?", None) if count is None else GoalView(id, goal, f"{count} × {points}", count * points)


def _build_row_goal(options: Options, lengths: tuple[int, ...]) -> GoalView:
    drawers = str(lengths[0]) if len(lengths) == 1 else f"({' + '.join(map(str, lengths))})"
    return GoalView("r", options.row_goal, f"{drawers} × {DRAWER}", DRAWER * sum(lengths))


def _build_lines(cards: tuple[SideboardCard, ...], results: GoalResults) -> tuple[LineView, ...]:
    numbers = (
        number_instances(results.colours or ()),
        number_instances(results.handles or ()),
        number_instances(row.mask for row in results.rows if row.length),
    )
    return tuple(_build_line(cards, line, numbers) for line in range(LINES))


def _build_line(cards: tuple[SideboardCard, ...], line: int, numbers: tuple[dict[Mask, int], ...]) -> LineView:
    drawers = tuple(
        DrawerView(
            Colour(card.colours[line]),
            None if card.handles[line] == "-" else Handle(card.handles[line]),
            *(by_mask.get(1 << (LINES * column + line), 0) for by_mask in numbers),
        )
        for column, card in enumerate(cards)
    )
    return LineView(drawers, _("line {n}: {drawers}", n=line + 1, drawers=tuple(map(_build_drawer, drawers))))


def _build_drawer(drawer: DrawerView) -> Text:
    if drawer.handle is None:
        return drawer.colour.label
    return _("{colour} with {handle}", colour=drawer.colour.label, handle=drawer.handle.label)


def number_instances(masks: Iterable[Mask]) -> dict[Mask, int]:
    """Return the number of the first mask that contains each drawer, by drawer bit."""
    return {bit: number for number, mask in enumerate(masks, 1) for bit in _list_bits(mask)}


def _list_bits(mask: Mask) -> Iterable[Mask]:
    while mask:
        yield mask & -mask
        mask &= mask - 1


def _build_seat(state: State, seat: int) -> SeatView:
    shown = draw_sideboard(state.options, state.sideboards[seat])
    has_swap = not (state.options.four_cards or state.swaps[seat])
    can_swap = has_swap and START <= shown.cards < COLUMNS
    has_swapped = not (state.options.four_cards or has_swap)
    return SeatView(seat, shown, has_swap, can_swap, has_swapped)


def _get_shown_seat(state: State, places: tuple[SeatView, ...]) -> int:
    """Return the seat of the last entry, or the next seat with room once that sideboard is full."""
    following = [(state.last + step) % state.seats for step in range(state.seats)]
    return next((seat for seat in following if not places[seat].is_full), state.last)
