"""A refereed game that writes only what it must: the dice are rolled, and everybody crosses a number at once."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeAlias

from companion.core.game import About, OptionSet, Pad, PlainOptions, Referee, Violation
from companion.core.game_builder import build_game
from companion.core.schema import field
from companion.core.scoring import Scoring
from companion.core.text import Text

ROLLS = 2


class Rule(StrEnum):
    CROSS = "cross"
    END = "end"


@dataclass(frozen=True)
class Roll:
    pass


@dataclass(frozen=True)
class Cross:
    seat: int
    number: int = field(Text("number"))


@dataclass(frozen=True)
class Count:
    seat: int
    points: int = field(Text("points"))


Play: TypeAlias = Roll | Cross


@dataclass(frozen=True)
class State:
    options: PlainOptions
    seats: int
    rolls: int = 0
    crossed: tuple[tuple[int, ...], ...] = ()
    """The numbers crossed since the last roll, by seat."""
    points: tuple[int, ...] = ()

    @property
    def is_over(self) -> bool:
        return self.rolls == ROLLS and all(self.crossed)


@dataclass(frozen=True)
class Board:
    rolls: int
    turn: int | None = None


def setup(options: PlainOptions, seats: int, rounds: int) -> State:
    return State(options, seats, crossed=((),) * seats, points=(0,) * seats)


def judge(state: State, play: Play) -> Iterator[Violation]:
    if isinstance(play, Roll) and state.rolls == ROLLS:
        yield Violation(Rule.END, Text("The dice have been rolled twice."))
    if isinstance(play, Cross) and (not state.rolls or state.crossed[play.seat]):
        yield Violation(Rule.CROSS, Text("One number a roll."))


def apply(state: State, play: Play) -> State:
    if isinstance(play, Roll):
        return replace(state, rolls=state.rolls + 1, crossed=((),) * state.seats)
    crossed = tuple((play.number,) if seat == play.seat else row for seat, row in enumerate(state.crossed))
    points = tuple(total + play.number * (seat == play.seat) for seat, total in enumerate(state.points))
    return replace(state, crossed=crossed, points=points)


def candidates(state: State) -> Iterator[Play]:
    yield Roll()
    for seat in range(state.seats):
        yield from (Cross(seat, number) for number in range(2, 13))


GAME = build_game(
    about=About("dice", Text("Dice"), Text("Roll and cross."), 1, range(2, 5)),
    rules=Rule,
    options=OptionSet(PlainOptions),
    pad=Pad({"count": Count}, count_rule=Rule.CROSS),
    scoring=Scoring(match_rule=Rule.END, round_count=lambda options, seats: 1),
    referee=Referee[PlainOptions, State, Play, Count, Board](
        plays={"roll": Roll, "cross": Cross},
        setup=setup,
        judge=judge,
        apply=apply,
        candidates=candidates,
        tally=lambda state: tuple(Count(seat, points) for seat, points in enumerate(state.points)),
        board=lambda state: Board(state.rolls),
        slot=lambda play: play.seat if isinstance(play, Cross) else None,
    ),
)
