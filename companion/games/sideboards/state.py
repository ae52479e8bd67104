"""State of a round of Sideboards, and the effect of each play."""

from dataclasses import dataclass, replace
from typing import TypeVar

from companion.games.sideboards.deck import DECK_SIZE, SideboardCard
from companion.games.sideboards.plays import COLUMNS, End, Options, PlaceCard, Play, Swap

T = TypeVar("T")

START = 2
"""Start cards, needed before anybody may swap."""


@dataclass(frozen=True)
class State:
    """State of a round. Everybody plays at the same time; hands are not recorded."""

    options: Options
    sideboards: tuple[tuple[SideboardCard, ...], ...]
    """Cards by seat, from left to right."""
    swaps: tuple[int, ...]
    """Swaps by seat: at most one, unless the table insists."""
    last: int = 0
    """Seat of the last entry."""

    @property
    def seats(self) -> int:
        return len(self.sideboards)

    @property
    def is_over(self) -> bool:
        return all(len(cards) >= COLUMNS for cards in self.sideboards)

    @property
    def hand(self) -> int:
        """Cards dealt to each player."""
        return 4 if self.options.four_cards else 3

    @property
    def pile(self) -> int:
        """Cards to draw from, if everybody has drawn; a swap that exhausts it shuffles in the discards (doubt 7)."""
        left = DECK_SIZE - self.seats * self.hand - sum(map(self._count_draws, self.sideboards)) - 2 * sum(self.swaps)
        return left if left >= 0 else left + 2 * sum(self.swaps)

    def _count_draws(self, cards: tuple[SideboardCard, ...]) -> int:
        """Return one draw for each card from the second to the seventh, or two when playing solo."""
        draws = max(min(len(cards), COLUMNS - 1) - START + 1, 0)
        return draws * (2 if self.seats == 1 else 1)


def setup(options: Options, seats: int, rounds: int) -> State:
    return State(options, ((),) * seats, (0,) * seats)


def apply(state: State, play: Play) -> State:
    """Return the state after the play, legal or not."""
    match play:
        case PlaceCard(seat, _card, end):
            cards = state.sideboards[seat]
            cards = (play.laid_card, *cards) if end is End.LEFT else (*cards, play.laid_card)
            return replace(state, sideboards=_replace_at(state.sideboards, seat, cards), last=seat)
        case Swap(seat):
            return replace(state, swaps=_replace_at(state.swaps, seat, state.swaps[seat] + 1), last=seat)


def _replace_at(values: tuple[T, ...], index: int, value: T) -> tuple[T, ...]:
    return (*values[:index], value, *values[index + 1 :])
