"""Exact packing of a pattern into a sideboard without shared drawers."""

from functools import cache
from itertools import chain
from typing import TypeAlias

from companion.games.sideboards.deck import LINES

Pattern: TypeAlias = tuple[int, ...]
"""Cells as two digits, line and column from 1: 11, 22 is a diagonal down to the right."""
Mask: TypeAlias = int
"""Drawers of a sideboard as bits: bit `LINES * column + line`, so lower bits are further left."""
_Chain: TypeAlias = "tuple[Mask, _Chain] | None"


def pack_pattern(cells: Mask, pattern: Pattern, *, mirrored: bool = False, columns: int = 8) -> tuple[Mask, ...]:
    """Return as many placements of the pattern as possible without sharing a cell.

    Dynamic programming over the cells from the left: the state is the set of later cells in use, each with the best
    chain of placements leading to it.
    """
    starts = _group_by_lowest_bit(pattern, mirrored, columns)
    best: dict[Mask, tuple[int, _Chain]] = {0: (0, None)}
    left = cells
    while left:
        first = left & -left
        left ^= first
        fitting = [mask for mask in starts.get(first, ()) if mask & cells == mask]
        if fitting:
            best = _extend_best(best, first, fitting)
    count, chain = max(best.values(), key=lambda state: state[0])
    placements = []
    while chain is not None:
        placement, chain = chain
        placements.append(placement)
    assert len(placements) == count
    return tuple(reversed(placements))


def list_placements(cells: Mask, pattern: Pattern, *, mirrored: bool = False, columns: int = 8) -> tuple[Mask, ...]:
    """Return every placement of the pattern on the cells, overlapping or not."""
    placements = chain.from_iterable(_group_by_lowest_bit(pattern, mirrored, columns).values())
    return tuple(mask for mask in placements if mask & cells == mask)


def _extend_best(
    best: dict[Mask, tuple[int, _Chain]], first: Mask, fitting: list[Mask]
) -> dict[Mask, tuple[int, _Chain]]:
    """Return the best chains by later cells in use, once a placement that begins at `first` is chosen, or none."""
    extended: dict[Mask, tuple[int, _Chain]] = {}
    later = -2 * first  # every bit above the first
    for used, reached in best.items():
        kept = used & later
        if kept not in extended or extended[kept][0] < reached[0]:
            extended[kept] = reached
        if used & first:
            continue
        for mask in fitting:
            if mask & used == 0:
                count = reached[0] + 1
                kept = (used | mask) & later
                if kept not in extended or extended[kept][0] < count:
                    extended[kept] = (count, (mask, reached[1]))
    return extended


@cache
def _group_by_lowest_bit(pattern: Pattern, mirrored: bool, columns: int) -> dict[Mask, tuple[Mask, ...]]:
    """Return every placement on a sideboard of `columns` columns, by its lowest bit."""
    by_lowest_bit: dict[Mask, list[Mask]] = {}
    for shape in list_orientations(pattern, mirrored=mirrored):
        for down in range(LINES - max(line for line, _column in shape)):
            for right in range(columns - max(column for _line, column in shape)):
                mask = sum(1 << (LINES * (column + right) + line + down) for line, column in shape)
                by_lowest_bit.setdefault(mask & -mask, []).append(mask)
    return {first: tuple(masks) for first, masks in by_lowest_bit.items()}


def list_orientations(pattern: Pattern, *, mirrored: bool) -> tuple[tuple[tuple[int, int], ...], ...]:
    """Return the distinct orientations from 0, 0: as drawn, turned by 180 degrees and, if allowed, mirrored."""
    cells = [divmod(cell, 10) for cell in pattern]
    signs = ((1, 1), (-1, -1), (1, -1), (-1, 1)) if mirrored else ((1, 1), (-1, -1))
    orientations = (_move_to_corner([(down * line, right * column) for line, column in cells]) for down, right in signs)
    return tuple(dict.fromkeys(orientations))


def _move_to_corner(cells: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    top, left = min(line for line, _column in cells), min(column for _line, column in cells)
    return tuple(sorted((line - top, column - left) for line, column in cells))
