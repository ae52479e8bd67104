"""What a page shows of Sideboards, computed; templates only print it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from companion.core.text import Text, _
from companion.games.sideboards.deck import LINES, Colour, Handle, SideboardCard
from companion.games.sideboards.goals import Found, found
from companion.games.sideboards.packing import Mask
from companion.games.sideboards.plays import COLUMNS, Count, Options
from companion.games.sideboards.scoring import DRAWER, undrawn
from companion.games.sideboards.state import START, State


class Drawer(NamedTuple):
    """A drawer as it lies, and the number of the instance or row that counts it in each goal (0: none)."""

    colour: Colour
    handle: Handle | None
    in_colours: int
    in_handles: int
    in_rows: int


class Line(NamedTuple):
    """A line of a sideboard, from left to right; `says` is the same in words."""

    drawers: tuple[Drawer, ...]
    says: Text


class Goal(NamedTuple):
    """What a goal finds on a sideboard: how it is called, the sum that it makes, and what that comes to."""

    id: str
    """As the drawers call it: `c`, `h` or `r`."""
    number: int
    sum: str
    points: int | None
    """None while its pattern is not drawn."""


@dataclass(frozen=True)
class Picture:
    """A sideboard with what the goals find on it; instances are None while their pattern is not drawn."""

    lines: tuple[Line, ...]
    goals: tuple[Goal, ...]
    cards: int
    colours: int | None
    handles: int | None
    rows: tuple[int, ...]
    points: int | None
    """So far, without the bonus and the swap card; None while a pattern is not drawn."""

    @property
    def room(self) -> range:
        """The columns that are still empty."""
        return range(COLUMNS - self.cards)


@dataclass(frozen=True)
class Place:
    """What lies before a player."""

    seat: int
    picture: Picture
    has_swap: bool
    can_swap: bool

    @property
    def id(self) -> str:
        return str(self.seat)

    @property
    def is_full(self) -> bool:
        return self.picture.cards >= COLUMNS


@dataclass(frozen=True)
class Board:
    turn: None
    """Nobody's: all play at the same time."""
    places: tuple[Place, ...]
    shown: int
    """The seat that is entered: the last one, as long as it has room."""
    pile: int
    undrawn: Text | None
    """Which goals the app cannot count on a sideboard."""
    points: tuple[int | None, ...]
    """So far, without the bonus and the swap card; None while a pattern is not drawn."""
    colours: tuple[int | None, ...]
    handles: tuple[int | None, ...]
    rows: tuple[int, ...]
    """Drawers that count for the row goal, by seat."""


def board(state: State) -> Board:
    places = tuple(_place(state, seat) for seat in range(state.seats))
    pictures = [place.picture for place in places]
    return Board(
        turn=None,
        places=places,
        shown=_shown(state, places),
        pile=state.pile,
        undrawn=undrawn(state.options),
        points=tuple(own.points for own in pictures),
        colours=tuple(own.colours for own in pictures),
        handles=tuple(own.handles for own in pictures),
        rows=tuple(sum(own.rows) for own in pictures),
    )


def picture_of(options: Options, count: Count) -> Picture | None:
    """The sideboard of a count, if it has one that can be drawn."""
    return picture(options, count.cards) if count.cards else None


@lru_cache(maxsize=2_000)
def picture(options: Options, cards: tuple[SideboardCard, ...]) -> Picture:
    on_it = found(options, cards)
    colours = None if on_it.colours is None else len(on_it.colours)
    handles = None if on_it.handles is None else len(on_it.handles)
    goals = (
        _instances("c", options.colour_goal, colours, options.colour_points),
        _instances("h", options.handle_goal, handles, options.handle_points),
        _row(options, on_it.lengths),
    )
    known = [goal.points for goal in goals if goal.points is not None]
    points = sum(known) if len(known) == len(goals) else None
    return Picture(_lines(cards, on_it), goals, len(cards), colours, handles, on_it.lengths, points)


def _instances(id: str, goal: int, count: int | None, points: int) -> Goal:
    return Goal(id, goal, "?", None) if count is None else Goal(id, goal, f"{count} × {points}", count * points)


def _row(options: Options, lengths: tuple[int, ...]) -> Goal:
    drawers = str(lengths[0]) if len(lengths) == 1 else f"({' + '.join(map(str, lengths))})"
    return Goal("r", options.row_goal, f"{drawers} × {DRAWER}", DRAWER * sum(lengths))


def _lines(cards: tuple[SideboardCard, ...], on_it: Found) -> tuple[Line, ...]:
    numbers = (
        numbered(on_it.colours or ()),
        numbered(on_it.handles or ()),
        numbered(row.mask for row in on_it.rows if row.length),
    )
    return tuple(_line(cards, line, numbers) for line in range(LINES))


def _line(cards: tuple[SideboardCard, ...], line: int, numbers: tuple[dict[Mask, int], ...]) -> Line:
    drawers = tuple(
        Drawer(
            Colour(card.colours[line]),
            None if card.handles[line] == "-" else Handle(card.handles[line]),
            *(own.get(1 << (LINES * column + line), 0) for own in numbers),
        )
        for column, card in enumerate(cards)
    )
    return Line(drawers, _("line {n}: {drawers}", n=line + 1, drawers=tuple(map(_drawer, drawers))))


def _drawer(drawer: Drawer) -> Text:
    if drawer.handle is None:
        return drawer.colour.label
    return _("{colour} with {handle}", colour=drawer.colour.label, handle=drawer.handle.label)


def numbered(masks: Iterable[Mask]) -> dict[Mask, int]:
    """Each drawer of the given ones, as its bit, with the number of the first that has it."""
    return {bit: number for number, mask in enumerate(masks, 1) for bit in _bits(mask)}


def _bits(mask: Mask) -> Iterable[Mask]:
    while mask:
        yield mask & -mask
        mask &= mask - 1


def _place(state: State, seat: int) -> Place:
    shown = picture(state.options, state.sideboards[seat])
    has_swap = not (state.options.four_cards or state.swaps[seat])
    can_swap = has_swap and START <= shown.cards < COLUMNS
    return Place(seat, shown, has_swap, can_swap)


def _shown(state: State, places: tuple[Place, ...]) -> int:
    """The seat of the last card, or the next one with room once that sideboard is finished."""
    following = [(state.last + step) % state.seats for step in range(state.seats)]
    return next((seat for seat in following if not places[seat].is_full), state.last)
