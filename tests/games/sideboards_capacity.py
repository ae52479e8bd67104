"""Exact search, column by column, that computed the table of capacities.

A column holds each colour (or handle) once. So an instance takes one drawer of its colour from each of its columns,
and two instances of one colour never share a column; the rest of a card can always be filled in. The state of a
partial solution is which drawers each colour takes in the columns to come; colours are interchangeable.
"""

import sys
import textwrap
from collections import defaultdict
from functools import cache
from itertools import product
from math import gcd

from companion.games.sideboards.capacities import build_key
from companion.games.sideboards.packing import list_orientations
from tests.games.random_sideboards import list_patterns

BEAMS = (100, 1_000)
"""Beam widths of the rough search, which nearly always meets the bound and saves the exact search."""
WEIGHTS = (0, 1 / 4, 1 / 3, 1 / 2, 2 / 3, 3 / 4, 1)
"""Weights tried for a line in the bound."""


@cache
def find_most_instances(pattern, kinds, *, mirrored=False, columns=8, lines=5):
    """Return the most instances of a pattern in any full sideboard, over `kinds` colours or handles together."""
    orientations = list_orientations(pattern, mirrored=mirrored)
    step = gcd(*(column for cells in orientations for _line, column in cells)) or 1
    starts = {start for cells in orientations for start in _iter_starts(cells, step, lines)}
    if not starts:
        return 0
    starts = tuple(sorted(starts, key=str))
    # columns that no instance joins, such as every second one, are separate boards
    return sum(_find_most(starts, kinds, len(range(first, columns, step)), lines) for first in range(step))


def _iter_starts(cells, step, lines):
    """Yield the orientation at every height: the line taken in each column from its first, or None."""
    line_by_column = {column // step: line for line, column in cells}
    columns = range(max(line_by_column) + 1)
    for down in range(lines - max(line_by_column.values())):
        yield tuple(line_by_column[column] + down if column in line_by_column else None for column in columns)


@cache
def _find_most(starts, kinds, columns, lines):
    width = len(starts[0])
    most = [0] * (columns + 1)  # bounds of every narrower board
    for count in range(width, columns + 1):
        most[count] = min(
            most[count - 1] + min(kinds, lines),
            int(count * _bound_by_lines(starts, lines) + 1e-9),
            kinds * _pack_one_colour(starts, count),
        )
    least = 0
    for beam in BEAMS:
        least = max(least, _search(starts, kinds, most, columns, least, beam))
        if least == most[columns]:
            return least
    for count in range(width, columns + 1):
        bound = min(most[count], most[count - 1] + min(kinds, lines))
        best = max(most[count - 1], least if count == columns else 0)
        for beam in (*BEAMS, None):
            if best < bound:
                best = max(best, _search(starts, kinds, most, count, best, beam))
        most[count] = best
    return most[columns]


@cache
def _bound_by_lines(starts, lines):
    """Return a bound per column: the least total weight of the lines that gives every instance at least 1."""
    instances = {tuple(sorted(line for line in start if line is not None)) for start in starts}
    totals = (
        sum(weights)
        for weights in product(WEIGHTS, repeat=lines)
        if all(sum(weights[line] for line in drawers) >= 1 - 1e-9 for drawers in instances)
    )
    return min(totals)


@cache
def _pack_one_colour(starts, columns):
    """Return the most instances of one colour: no two may share a column."""
    masks = {sum(1 << column for column, line in enumerate(start) if line is not None) for start in starts}

    @cache
    def find_best(column, used):
        if column == columns:
            return 0
        fitting = (mask for mask in masks if not mask & used and mask.bit_length() <= columns - column)
        totals = (1 + find_best(column + 1, (used | mask) >> 1) for mask in fitting)
        return max([find_best(column + 1, used >> 1), *totals])

    return find_best(0, 0)


def _search(starts, kinds, most, columns, least, beam):
    """Return the best result above `least`, searching exactly or within the beam; otherwise `least`."""
    ahead = len(starts[0]) - 1
    best = {((None,) * ahead,) * kinds: 0}
    for column in range(columns - ahead):
        reached = {}
        for taken, count in best.items():
            for after, started in _list_steps(taken, starts, ahead):
                total = count + started
                if total + most[columns - column - 1] > least and reached.get(after, -1) < total:
                    reached[after] = total
        if beam and len(reached) > beam:
            ranked = sorted(reached.items(), key=lambda item: (-item[1], _count_drawers(item[0])))
            reached = dict(ranked[:beam])
        best = reached
    return max(best.values(), default=least)


def _count_drawers(taken):
    return sum(line is not None for lines in taken for line in lines)


def _list_steps(taken, starts, ahead):
    """Return the states after the next column; at most one instance of each free colour starts there."""
    occupied = [{colour[column] for colour in taken} - {None} for column in range(ahead)] + [set()]
    busy = [(*colour[1:], None) for colour in taken if colour[0] is not None]
    free = [colour for colour in taken if colour[0] is None]
    results = {}

    def choose(number, first, occupied, assigned, count):
        if number == len(free):
            after = tuple(sorted((*busy, *assigned), key=_get_sort_key))
            results[after] = max(results.get(after, 0), count)
            return
        colour = free[number]
        # colours in the same state are interchangeable: try later starts only
        first = first if number and free[number - 1] == colour else 0
        for index in range(first, len(starts)):
            start = starts[index]
            if all(_fits(start, colour, column, occupied) for column in range(ahead + 1)):
                lines = [used | ({line} - {None}) for used, line in zip(occupied, start, strict=True)]
                after = tuple(
                    start[column] if start[column] is not None else (colour[column] if column < ahead else None)
                    for column in range(1, ahead + 1)
                )
                choose(number + 1, index + 1, lines, (*assigned, after), count + 1)
        choose(number + 1, len(starts), occupied, (*assigned, (*colour[1:], None)), count)

    choose(0, 0, occupied, (), 0)
    return results.items()


def _fits(start, colour, column, occupied):
    line = start[column]
    return line is None or (line not in occupied[column] and (column >= len(colour) or colour[column] is None))


def _get_sort_key(cells):
    return tuple(-1 if line is None else line for line in cells)


def main():
    """Print the table: four numbers and the patterns that have them."""
    patterns = {build_key(pattern): pattern for pattern in list_patterns()}
    table = defaultdict(list)
    for key in sorted(patterns, key=lambda key: (len(key.replace("-", "")), key)):
        numbers = [
            find_most_instances(patterns[key], kinds, mirrored=mirrored)
            for kinds in (5, 3)
            for mirrored in (False, True)
        ]
        table["".join("0123456789abcdefghijkl"[number] for number in numbers)].append(key)
    text = " ".join(f"{numbers}: {' '.join(keys)}" for numbers, keys in sorted(table.items(), reverse=True))
    sys.stdout.write(textwrap.fill(text, 120, break_on_hyphens=False) + "\n")


if __name__ == "__main__":
    main()
