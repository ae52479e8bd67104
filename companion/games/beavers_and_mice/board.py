"""Board of Beavers and Mice: everything a page shows of the state."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from companion.core.text import Text, _, ngettext
from companion.games.beavers_and_mice.deck import NUMBERS, SPECIALS, Face, Revealed
from companion.games.beavers_and_mice.plays import Slot
from companion.games.beavers_and_mice.state import State

NUMBER_ROW, SPECIAL_ROW = _("Numbers"), _("Specials")


class FaceView(NamedTuple):
    """A face of the deck to tap: how many of it can still come, from among those face down or, if the pile is
    exhausted, from the discards that are shuffled."""

    face: Text
    word: str
    left: int
    is_possible: bool

    @property
    def marks(self) -> str:
        """How it looks: the words ` legal` or ` laid`, and a special by its name."""
        look = " legal" if self.is_possible else " laid"
        return look + f" special {self.word}" * (self.word in SPECIALS)

    @property
    def data(self) -> tuple[tuple[str, str], ...]:
        """How many are left, for the page to print small."""
        return (("left", str(self.left)),)

    @property
    def says(self) -> tuple[Text, ...]:
        return (ngettext("{n} left", "{n} left", self.left),)


Row: TypeAlias = "tuple[Text, tuple[FaceView, ...]]"


class PlayView(NamedTuple):
    """A kind of play that the cards below it finish, or one that is quiet because the rules forbid it now."""

    kind: str
    label: Text
    picks_slot: bool
    is_possible: bool = True


class SpecialView(NamedTuple):
    """A special that can be drawn and played now, or not."""

    face: Face
    label: Text
    is_possible: bool


@dataclass(frozen=True)
class SeatView:
    """A player: what everybody can see of their round."""

    seat: int
    is_turn: bool
    is_knocker: bool
    has_last_turn: bool
    revealed: tuple[Revealed, ...]
    points: int | None


@dataclass(frozen=True)
class Board:
    turn: int | None
    is_dealing: bool
    is_revealing: bool
    is_over: bool
    pile: int
    discards: int
    held: int
    """Two Chances being played: set aside until their chances are over."""
    top: Face | None
    acted: int | None
    """Who may knock, or could if it were not too early."""
    can_knock: bool
    knocker: int | None
    chances: int
    last_turns: tuple[int, ...]
    places: tuple[SeatView, ...]
    ways: tuple[PlayView, ...]
    slots: tuple[Slot, ...]
    cards: tuple[Row, ...]
    """The thirteen faces: the numbers, and the specials."""
    specials: tuple[SpecialView, ...]

    @property
    def numbers(self) -> tuple[Row, ...]:
        return self.cards[:1]

    @property
    def special_cards(self) -> tuple[Row, ...]:
        return self.cards[1:]

    @property
    def is_exhausted(self) -> bool:
        """Nothing can be drawn before the discards are shuffled."""
        return bool(self.ways) and self.ways[0] == SHUFFLE

    @property
    def take(self) -> PlayView | None:
        """What a tap on the top discard means."""
        return next((way for way in self.ways if way.kind == TAKE.kind), None)

    @property
    def is_last_turn(self) -> bool:
        return self.turn in self.last_turns

    @property
    def top_special(self) -> str:
        """The name of the special on top of the discards, or nothing."""
        return self.top.value if self.top is not None and self.top.is_special else ""


DISCARD, KEEP = PlayView("discard", _("draws, discards"), False), PlayView("swap", _("draws, keeps"), True)
TAKE, SHUFFLE = PlayView("take", _("takes discard"), True), PlayView("reshuffle", _("shuffles, turns up"), False)
TURN_UP = PlayView("turn-up", _("turns up"), False)


def build_board(state: State) -> Board:
    is_playing = not (state.is_dealing or state.is_revealing or state.is_over)
    everybody_had_a_turn = len(state.had_turn) == state.seats
    may_knock = state.acted is not None and state.knocker is None and not state.is_revealing
    return Board(
        turn=state.acting,
        is_dealing=state.is_dealing,
        is_revealing=state.is_revealing and not state.is_over,
        is_over=state.is_over,
        pile=state.pile,
        discards=len(state.discards),
        held=state.held,
        top=state.top,
        acted=state.acted if may_knock else None,
        can_knock=may_knock and everybody_had_a_turn,
        knocker=state.knocker,
        chances=state.chances,
        last_turns=tuple(seat for seat in state.order if seat in state.last_turns),
        places=tuple(_build_seat(state, seat) for seat in range(state.seats)),
        ways=_build_plays(state),
        slots=tuple(Slot),
        cards=_build_faces(state),
        specials=tuple(SpecialView(face, face.label, is_playing and _can_draw(state, face)) for face in SPECIALS),
    )


def _build_plays(state: State) -> tuple[PlayView, ...]:
    """What can be done with a tap on a card; the first is what is done most."""
    if state.is_dealing:
        return (TURN_UP,)
    if state.is_revealing:
        return ()
    drawing = (DISCARD, KEEP) if state.pile else (SHUFFLE,)
    return (*drawing, TAKE._replace(is_possible=state.can_take))


def _build_faces(state: State) -> tuple[Row, ...]:
    """Every face with how many are left to come, marked by what the first way would make of it."""
    left = Counter(state.discards) if SHUFFLE in _build_plays(state) else state.unseen

    def row(faces: tuple[Face, ...]) -> tuple[FaceView, ...]:
        return tuple(FaceView(face.label, face.value, max(left[face], 0), left[face] > 0) for face in faces)

    return (NUMBER_ROW, row(NUMBERS)), (SPECIAL_ROW, row(SPECIALS))


def _can_draw(state: State, face: Face) -> bool:
    return state.pile > 0 and state.unseen[face] > 0


def _build_seat(state: State, seat: int) -> SeatView:
    row = state.revealed[seat] or ()
    return SeatView(
        seat,
        is_turn=seat == state.acting,
        is_knocker=seat == state.knocker,
        has_last_turn=seat in state.last_turns,
        revealed=row,
        points=sum(card.points for card in row) if row else None,
    )
