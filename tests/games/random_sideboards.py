"""Random sideboards and all patterns, for the tests and the benchmark of the packing."""

from itertools import combinations, product

from companion.games.sideboards.deck import SideboardCard
from companion.games.sideboards.packing import list_orientations

GRID = tuple(10 * line + column for line, column in product(range(1, 6), repeat=2))


def random_card(chance):
    """Return a well-formed random card."""
    handles = ["-"] * 5
    for line, handle in zip(chance.sample(range(5), 3), "fsb", strict=True):
        handles[line] = handle
    return SideboardCard("".join(chance.sample("RTPOB", 5)), "".join(handles))


def random_sideboard(chance, columns=8):
    return tuple(random_card(chance) for _column in range(columns))


def list_patterns():
    """Return every pattern of two to four cells in different columns, regardless of its position on the grid."""
    patterns = {}
    for size in (2, 3, 4):
        for pattern in combinations(GRID, size):
            if len({cell % 10 for cell in pattern}) == size:
                patterns.setdefault(frozenset(list_orientations(pattern, mirrored=False)), pattern)
    return tuple(patterns.values())


def random_pattern(chance):
    """Return two to four random cells of the grid, possibly in one column."""
    return tuple(chance.sample(GRID, chance.choice((2, 3, 4))))
