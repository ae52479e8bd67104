"""Board of Beavers and Mice, as its pages show it."""

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from companion.core.card_view import CardView
from companion.core.text import Text, _, ngettext
from companion.games.beavers_and_mice.deck import NUMBERS, SPECIALS, Face, Revealed
from companion.games.beavers_and_mice.plays import Slot
from companion.games.beavers_and_mice.state import State

NUMBER_ROW, SPECIAL_ROW = _("Numbers"), _("Specials")


Row: TypeAlias = "tuple[Text, tuple[CardView, ...]]"


class PlayView(NamedTuple):
    """A kind of play that is completed by tapping a card; not possible if the rules forbid it now."""

    kind: str
    label: Text
    picks_slot: bool
    is_legal: bool = True


@dataclass(frozen=True)
class SeatView:
    """A player, with what everybody can see."""

    seat: int
    is_turn: bool
    is_knocker: bool
    has_last_turn: bool
    revealed: tuple[Revealed, ...]
    points: int | None

    @property
    def revealed_labels(self) -> tuple[Text, ...]:
        return tuple(card.label for card in self.revealed)


@dataclass(frozen=True)
class Board:
    turn: int | None
    is_dealing: bool
    is_revealing: bool
    pile: int
    discards: int
    held: int
    """Two Chances being played, set aside until both chances are used."""
    top: Face | None
    acted: int | None
    """The seat that has just acted, while nobody has knocked; `can_knock` says whether it may knock yet."""
    can_knock: bool
    chances: int
    last_turns: tuple[int, ...]
    places: tuple[SeatView, ...]
    ways: tuple[PlayView, ...]
    slots: tuple[Slot, ...]
    cards: tuple[Row, ...]
    """The thirteen faces: the numbers, then the specials."""
    specials: tuple[CardView, ...]
    """The specials, and whether each can be drawn and played now."""

    @property
    def is_exhausted(self) -> bool:
        """Whether the discards must be shuffled before anybody can draw."""
        return bool(self.ways) and self.ways[0] == SHUFFLE

    @property
    def take(self) -> PlayView | None:
        """The play made by tapping the top discard."""
        return next((way for way in self.ways if way.kind == TAKE.kind), None)

    @property
    def is_shuffled_or_dealt(self) -> bool:
        """Whether a card is turned up now, so that no special can be played."""
        return self.is_dealing or self.is_exhausted

    @property
    def pile_note(self) -> Text:
        return _("pile {n}", n=self.pile)

    @property
    def status(self) -> tuple[Text, ...]:
        """What there is to say of the turn."""
        notes = (
            (self.turn in self.last_turns, _("the last turn")),
            (self.chances == 2, _("two chances")),
            (self.chances == 1, _("second chance: the turn ends with it")),
        )
        return tuple(text for holds, text in notes if holds)

    @property
    def revealed_places(self) -> tuple[SeatView, ...]:
        return tuple(place for place in self.places if place.revealed)

    @property
    def top_special(self) -> str:
        """Name of the special on top of the discards, or an empty string."""
        return self.top.value if self.top is not None and self.top.is_special else ""


DISCARD, KEEP = PlayView("discard", _("draws, discards"), False), PlayView("swap", _("draws, keeps"), True)
TAKE, SHUFFLE = PlayView("take", _("takes discard"), True), PlayView("reshuffle", _("shuffles, turns up"), False)
TURN_UP = PlayView("turn-up", _("turns up"), False)


def build_board(state: State) -> Board:
    can_draw = state.pile > 0 and not (state.is_dealing or state.is_revealing or state.is_over)
    everybody_had_a_turn = len(state.had_turn) == state.seats
    may_knock = state.acted is not None and state.knocker is None and not state.is_revealing
    return Board(
        turn=state.acting,
        is_dealing=state.is_dealing,
        is_revealing=state.is_revealing and not state.is_over,
        pile=state.pile,
        discards=len(state.discards),
        held=state.held,
        top=state.top,
        acted=state.acted if may_knock else None,
        can_knock=may_knock and everybody_had_a_turn,
        chances=state.chances,
        last_turns=tuple(seat for seat in state.order if seat in state.last_turns),
        places=tuple(_build_seat(state, seat) for seat in range(state.seats)),
        ways=_build_plays(state),
        slots=tuple(Slot),
        cards=_build_faces(state),
        specials=tuple(CardView(face.value, face.label, can_draw and state.unseen[face] > 0) for face in SPECIALS),
    )


def _build_plays(state: State) -> tuple[PlayView, ...]:
    """Return the plays completed by tapping a card, the most frequent first."""
    if state.is_dealing:
        return (TURN_UP,)
    if state.is_revealing:
        return ()
    drawing = (DISCARD, KEEP) if state.pile else (SHUFFLE,)
    return (*drawing, TAKE._replace(is_legal=state.can_take))


def _build_faces(state: State) -> tuple[Row, ...]:
    """Return every face with the number left to draw or turn up."""
    left = Counter(state.discards) if SHUFFLE in _build_plays(state) else state.unseen

    numbers, specials = (tuple(_build_face(face, left[face]) for face in faces) for faces in (NUMBERS, SPECIALS))
    return (NUMBER_ROW, numbers), (SPECIAL_ROW, specials)


@lru_cache(maxsize=1_000)
def _build_face(face: Face, left: int) -> CardView:
    """Return a face, tagged `laid` if it cannot come, and `special` with its name."""
    left = max(left, 0)
    tags = ("laid",) * (left == 0) + (("special", face.value) if face.is_special else ())
    return CardView(
        face.value, face.label, left > 0, tags, (ngettext("{n} left", "{n} left", left),), (("left", str(left)),)
    )


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
