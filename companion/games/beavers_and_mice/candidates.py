"""Plays worth trying in a round of Beavers and Mice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import product

from companion.games.beavers_and_mice.deck import NUMBERS, Face, Revealed
from companion.games.beavers_and_mice.plays import (
    Discard,
    Exchange,
    Knock,
    Peek,
    Play,
    Reshuffle,
    Reveal,
    Slot,
    Swap,
    Take,
    TurnUp,
    TwoChances,
)
from companion.games.beavers_and_mice.state import State


def candidates(state: State) -> Iterator[Play]:
    """Yield every play of the seats that may act; of the rows to reveal, only a sample of possible ones."""
    if state.is_over:
        return
    if state.is_dealing:
        yield from (TurnUp(state.dealer, card) for card in Face)
        return
    if state.is_revealing:
        yield from _iter_reveals(state)
    knocks = () if state.acted is None or state.is_revealing else (Knock(state.acted),)
    if state.pile == 0:  # the knock comes first, so that a random match ends
        yield from knocks
        yield from (Reshuffle(seat, card) for seat in range(state.seats) for card in Face)
    if not state.is_revealing:
        yield from (play for play in _list_turns(state.turn, state.seats) if not _is_pointless(state, play))
    if state.pile:
        yield from knocks


def _is_pointless(state: State, play: Play) -> bool:
    """Return whether a take gives a card that is gone for a discard that cannot be taken: one violation is enough."""
    return isinstance(play, Take) and not state.can_take and state.unseen[play.card] < 1


@lru_cache(maxsize=64)
def _list_turns(seat: int, seats: int) -> tuple[Play, ...]:
    others = [other for other in range(seats) if other != seat]
    return (
        *(Discard(seat, card) for card in Face),
        *(Take(seat, slot, card) for slot, card in product(Slot, Face)),
        *(Swap(seat, slot, card) for slot, card in product(Slot, Face)),
        *(Exchange(seat, *picked) for picked in product(Slot, others, Slot)),
        *(Peek(seat, slot) for slot in Slot),
        TwoChances(seat),
    )


def _iter_reveals(state: State) -> Iterator[Reveal]:
    """Yield possible rows of the next seat to reveal: each number first in turn, without a special and with one."""
    seat = next(other for other in state.order if not state.revealed[other])
    preferred = [(*NUMBERS[first:], *NUMBERS[:first]) for first in range(len(NUMBERS))]
    rows = (
        _build_row(state, seat, faces, begins_special=begins) for faces, begins in product(preferred, (False, True))
    )
    yield from (Reveal(seat, row) for row in dict.fromkeys(rows) if row)


def _build_row(state: State, seat: int, preferred: tuple[Face, ...], *, begins_special: bool) -> tuple[Revealed, ...]:
    """Return four hidden cards, preferred numbers first; specials are replaced by more of the same.

    A card that everybody saw go into a slot stays there.
    """
    hidden, pile = Counter(state.unseen), state.pile
    hidden.subtract(face for certain in state.certain for face in certain if face)
    specials = tuple(face for face in Face if face.is_special)
    row: list[Revealed] = []
    for place, certain in enumerate(state.certain[seat]):
        order = (*specials, *preferred) if begins_special and place == 0 else (*preferred, *specials)
        faces = [certain] if certain else []
        while not faces or faces[-1].is_special:
            if faces and pile == 0:
                hidden.update(state.discards)
                pile = len(state.discards)
            card = next((face for face in order if hidden[face] > 0), None)
            if card is None:
                return ()
            pile -= bool(faces)
            hidden[card] -= 1
            faces.append(card)
            order = (*preferred, *specials)
        row.append(Revealed(tuple(faces)))
    return tuple(row)
