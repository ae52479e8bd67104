"""State of a round of Beavers and Mice, and the effect of each play."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

from companion.games.beavers_and_mice import plays
from companion.games.beavers_and_mice.deck import ROW, Face, Revealed

CHANCES = 2
SeenRow: TypeAlias = "tuple[Face | None, ...]"
"""A row by slots: the face that everybody saw go there, or None."""


@dataclass(frozen=True)
class State:
    """State of a round. Cards face down are not recorded, except those that everybody saw.

    Cards that everybody saw are used only to check the reveal, and shown nowhere before.
    """

    options: plays.Options
    dealer: int
    turn: int
    pile: int
    revealed: tuple[tuple[Revealed, ...] | None, ...]
    """Rows turned over at the end, by seat."""
    seen: tuple[SeenRow, ...]
    """Faces that everybody saw go into the rows, by seat."""
    discards: tuple[Face, ...] = ()
    """Discards since the last shuffle; the last one is on top."""
    held: int = 0
    """Two Chances being played, discarded after both chances."""
    chances: int = 0
    """Draws left from Two Chances; the second is available if the first is not used."""
    drawn: tuple[Face, ...] = ()
    """Possible faces of a card drawn beforehand, if a question gives them; empty at a table."""
    has_begun: bool = False
    acted: int | None = None
    """Seat that has just finished a turn and may knock until the next one acts."""
    had_turn: frozenset[int] = frozenset()
    knocker: int | None = None
    last_turns: frozenset[int] = frozenset()
    """Seats that still have a last turn after the knock."""

    @property
    def seats(self) -> int:
        return len(self.revealed)

    @property
    def top(self) -> Face | None:
        return self.discards[-1] if self.discards else None

    @property
    def can_take(self) -> bool:
        """Whether the top discard can be taken (rules `no-special-from-discards` and `draw`)."""
        return not self.chances and self.top is not None and not self.top.is_special

    def seen_in(self, seat: int, slot: plays.Slot) -> Face | None:
        return self.seen[seat][int(slot) - 1]

    @property
    def is_dealing(self) -> bool:
        """Whether the first discard must be turned up, or covered in the variant for specials."""
        is_special = self.top is None or (self.options.turn_another and self.top.is_special)
        return is_special and not self.has_begun

    @property
    def is_revealing(self) -> bool:
        return (self.knocker is not None and not self.last_turns) or any(self.revealed)

    @property
    def is_over(self) -> bool:
        return all(self.revealed)

    @cached_property
    def order(self) -> tuple[int, ...]:
        """Seats in the order of replacing specials: clockwise from the knocker."""
        first = self.dealer + 1 if self.knocker is None else self.knocker
        return tuple((first + step) % self.seats for step in range(self.seats))

    @property
    def acting(self) -> int | None:
        """Seat that must act next, including for the first discard and the reveal."""
        if self.is_dealing:
            return self.dealer
        if self.is_revealing:
            return next((seat for seat in self.order if not self.revealed[seat]), None)
        return self.turn

    @cached_property
    def unseen(self) -> Mapping[Face, int]:
        """Cards of each face that are face down in the pile or in a row."""
        seen = Counter(self.discards)
        seen[Face.TWO_CHANCES] += self.held
        for row in self.revealed:
            for card in row or ():
                seen.update(card.faces)
        return {face: total - seen[face] for face, total in self.options.deck.cards.items()}

    @cached_property
    def certain(self) -> tuple[SeenRow, ...]:
        """Faces that must be in the hidden rows; nothing is certain about a face that lies open too often."""
        hidden = [(None,) * ROW if open_ else row for row, open_ in zip(self.seen, self.revealed, strict=True)]
        times = Counter(face for row in hidden for face in row if face)
        return tuple(
            tuple(face if face and times[face] <= self.unseen[face] else None for face in row) for row in hidden
        )


def setup(options: plays.Options, seats: int, rounds: int) -> State:
    """Return the state after dealing: the deal passes to the left, and the player left of the dealer begins."""
    dealer = (options.dealer + rounds) % seats
    pile = options.deck.size - ROW * seats
    return State(options, dealer, (dealer + 1) % seats, pile, (None,) * seats, ((None,) * ROW,) * seats)


def apply(state: State, play: plays.Play) -> State:
    """Return the state after the play, legal or not."""
    match play:
        case plays.TurnUp(card=card):
            return replace(state, pile=state.pile - 1, discards=(*state.discards, card))
        case plays.Reshuffle(card=card):
            pile = state.pile + len(state.discards) - 1
            return replace(state, pile=pile, discards=(card,), has_begun=True)
        case plays.Knock(seat):
            return _apply_knock(state, seat)
        case plays.Reveal(seat, cards):
            return _apply_reveal(state, seat, cards)
        case plays.Take(seat, slot, card):
            state = _skip_turn(state, seat)
            state = _set_seen(state, {(seat, slot): state.top})
            return _end_turn(replace(state, discards=(*state.discards[:-1], card)), seat)
        case _:
            return _apply_draw(_skip_turn(state, play.seat), play)


def _skip_turn(state: State, seat: int) -> State:
    """End the turn of the player before, with any chances left, if this seat plays out of turn."""
    return _end_turn(state, state.turn) if state.chances and seat != state.turn else state


def _apply_draw(state: State, play: plays.Draw) -> State:
    state = replace(state, pile=state.pile - 1, has_begun=True, drawn=())
    match play:
        case plays.TwoChances(seat):
            return replace(state, held=state.held + 1, chances=CHANCES, turn=seat, acted=None)
        case plays.Swap(seat, slot):
            state = _set_seen(state, {(seat, slot): None})
        case plays.Exchange(seat, slot, other, other_slot):
            own, theirs = state.seen_in(seat, slot), state.seen_in(other, other_slot)
            state = _set_seen(state, {(seat, slot): theirs, (other, other_slot): own})
    is_first_chance = isinstance(play, plays.Discard) and state.chances == CHANCES
    state = replace(state, discards=(*state.discards, play.card))
    return replace(state, chances=1) if is_first_chance else _end_turn(state, play.seat)


def _set_seen(state: State, faces: Mapping[tuple[int, plays.Slot], Face | None]) -> State:
    rows = tuple(
        tuple(faces.get((seat, slot), face) for slot, face in zip(plays.Slot, row, strict=True))
        for seat, row in enumerate(state.seen)
    )
    return replace(state, seen=rows)


def _end_turn(state: State, seat: int) -> State:
    """End a turn: discard Two Chances and pass the turn clockwise."""
    last_turns = state.last_turns - {seat}
    following = [(seat + step) % state.seats for step in range(1, state.seats + 1)]
    turn = next((other for other in following if not last_turns or other in last_turns), seat)
    return replace(
        state,
        turn=turn,
        discards=(*state.discards, *(Face.TWO_CHANCES,) * state.held),
        held=0,
        chances=0,
        has_begun=True,
        acted=seat,
        had_turn=state.had_turn | {seat},
        last_turns=last_turns,
    )


def _apply_knock(state: State, seat: int) -> State:
    """Record a knock: everybody else has one more turn, beginning with the next player."""
    if state.chances:
        state = _end_turn(state, state.turn)
    last_turns = frozenset(range(state.seats)) - {seat}
    turn = state.turn if state.turn != seat else (seat + 1) % state.seats
    return replace(state, knocker=seat, last_turns=last_turns, turn=turn, has_begun=True)


def _apply_reveal(state: State, seat: int, cards: tuple[Revealed, ...]) -> State:
    """Reveal a row: replacements come from the pile; once it runs out, the discards are shuffled in."""
    drawn = sum(card.replacements for card in cards)
    is_short = drawn > state.pile
    pile = state.pile - drawn + len(state.discards) * is_short
    revealed = tuple(cards if other == seat else row for other, row in enumerate(state.revealed))
    return replace(
        state, revealed=revealed, pile=pile, discards=() if is_short else state.discards, has_begun=True, acted=None
    )
